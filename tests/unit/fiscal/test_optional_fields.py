"""No field that is added to a valid body makes an invalid XML, and every field of the bodies is tried.

Here each field is tried alone with its samples, and a few together; tests/fuzz draws many values.
"""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carimbo.fiscal.documents.nfce import document as nfce_document
from carimbo.fiscal.documents.nfce.qr import supplement_of
from carimbo.fiscal.documents.nfce.request import NfceRequest
from carimbo.fiscal.documents.nfce.settings import NfceSettings
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.layouts.nfe_v4.invoice import Invoice, check, enclose, write
from carimbo.fiscal.layouts.signed_part import WrittenPart
from carimbo.fiscal.making import Composition
from carimbo.fiscal.problems import SCHEMA_PROBLEM, Problem
from carimbo.fiscal.signed_documents import SignedDocument
from unit.fiscal import optional_fields as may
from unit.fiscal import optional_taxes as tax
from unit.fiscal.drawing import AMOUNT, Fields, Strategy, having, some_of
from unit.fiscal.good_bodies import (
    EXPORTED,
    IN_THE_STATE,
    OF_AN_NFCE,
    REGIMES,
    SIMPLES,
    TO_A_COMPANY,
    TO_A_CONSUMER,
    answer_to,
    good_bodies,
    quick,
    usual_seller,
)
from unit.fiscal.goods.support import (
    CSC,
    NFCE_BODY,
    SCHEMAS,
    SOFTWARE,
    composed_nfe,
    emission,
    issued_nfce,
    issued_nfe,
    item,
)
from unit.fiscal.optional_goods import SCALE, SPECIAL_GOODS
from unit.fiscal.published_fields import NFCE, NFE, fields_of, objects_in

# The point of sale's own XML, which is forwarded unchanged, and a price that documents of 2026 don't have.
LEFT_OUT = {"NfceRequest.signedXml", "ItemBody.netUnitValue"}


@pytest.fixture(scope="module")
def signer(signer: Signer) -> Signer:
    return quick(signer)


class TestGoodBodies:
    def test_valid_bodies_have_every_published_field(self) -> None:
        objects = [inner for good in good_bodies() for inner in objects_in(good.body, good.root)]
        tried = {f"{inner.kind}.{name}" for inner in objects for name in inner.value}
        assert (fields_of(NFE) | fields_of(NFCE)) - tried == LEFT_OUT

    def test_valid_bodies_have_the_right_form_and_fit_the_schema(self, signer: Signer) -> None:
        wrong = {}
        for good in good_bodies():
            answer = answer_to(good, signer)
            if answer == () or against_the_schema(answer):
                wrong[f"{good.root.title} {good.body}"] = answer
        assert wrong == {}


@st.composite
def items_with_more(draw: Callable[..., Any], regime: str, charges: Strategy) -> list[dict[str, Any]]:
    """Draws items with any of their optional fields."""
    icms = tax.ICMS_BY_CSOSN if regime in SIMPLES else tax.ICMS_BY_CST
    special = having({}) | SCALE | SPECIAL_GOODS
    parts = [some_of(may.ITEM | {"icms": icms}), charges, special.strategy]
    return [
        item(**draw(parts[0]) | draw(parts[1]) | draw(parts[2])) for _ in range(draw(st.sampled_from((1, 2))))
    ]


@st.composite
def sale_with_more(draw: Callable[..., Any], regime: str, of_the_type: Fields) -> dict[str, Any]:
    """Draws optional fields of a sale; charges are in the items or in the sale, never in both."""
    by_item = draw(st.booleans())
    items = draw(items_with_more(regime, may.CHARGES.strategy if by_item else st.just({})))
    freight = draw(some_of(may.FREIGHT | ({} if by_item else {"amount": AMOUNT})))
    fields = may.SALE | of_the_type | ({} if by_item else may.SALE_CHARGES)
    more: dict[str, Any] = {"items": items} | draw(some_of(fields))
    return more | {"freight": freight | draw(may.CARRIAGE.strategy)} if freight else more


def schema_problems(invoice: Invoice, signer: Signer, *, is_receipt: bool = False) -> tuple[Problem, ...]:
    """Returns the problems of a document by the XSD, whether or not a rule refuses it."""
    written = write(invoice)
    if not isinstance(written, WrittenPart):
        return written
    signature, supplement = signer.sign(written.canonical, written.id), b""
    if is_receipt:
        result = supplement_of(invoice, emission(), NfceSettings.model_validate(CSC), signature, signer)
        assert isinstance(result, bytes)
        supplement = result
    return check(enclose(written, signature, supplement), SCHEMAS)


def against_the_schema(outcome: SignedDocument | tuple[Problem, ...]) -> list[Problem]:
    problems = outcome if isinstance(outcome, tuple) else ()
    return [problem for problem in problems if problem.code == SCHEMA_PROBLEM]


def assert_fits_the_schema(signer: Signer, regime: str, good: dict[str, Any], more: dict[str, Any]) -> None:
    """Checks the XML of an NF-e with more fields, whether or not a rule refuses it."""
    body = good | more | {"recipient": good["recipient"] | more.pop("recipient", {})}
    composition = composed_nfe(by=usual_seller(regime), **body)
    assert isinstance(composition, Composition), composition
    assert schema_problems(composition.document, signer) == ()
    assert against_the_schema(issued_nfe(signer, by=usual_seller(regime), **body)) == []


def assert_receipt_fits_the_schema(signer: Signer, regime: str, more: dict[str, Any]) -> None:
    """Checks the XML of an NFC-e with more fields, whether or not a rule refuses it."""
    request = NfceRequest.model_validate(NFCE_BODY | more)
    composition = nfce_document.compose(request, usual_seller(regime), emission(), SOFTWARE)
    assert not composition.problems, composition.problems
    assert schema_problems(composition.document, signer, is_receipt=True) == ()
    assert against_the_schema(issued_nfce(signer, by=usual_seller(regime), **more)) == []


OF_AN_EXPORT = may.NFE_ONLY | {"recipient": having({}, may.RECIPIENT)}
OF_AN_NFE = may.NFE_ONLY | {"recipient": having({}, may.RECIPIENT) | may.BUYER_FIELDS}
SALES = {
    "in the state": IN_THE_STATE,
    "to a consumer elsewhere": TO_A_CONSUMER,
    "to a company elsewhere": TO_A_COMPANY,
    "exported": EXPORTED,
}


@st.composite
def sales_with_more(draw: Callable[..., Any]) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """Draws a regime, a valid body of an NF-e, and optional fields of it."""
    regime, good = draw(st.sampled_from(REGIMES)), SALES[draw(st.sampled_from(sorted(SALES)))]
    fields = OF_AN_EXPORT if good is EXPORTED else OF_AN_NFE
    return regime, good, draw(sale_with_more(regime, fields))


@st.composite
def receipts_with_more(draw: Callable[..., Any]) -> tuple[str, dict[str, Any]]:
    """Draws a regime, and optional fields of an NFC-e."""
    regime = draw(st.sampled_from(REGIMES))
    return regime, draw(sale_with_more(regime, OF_AN_NFCE))


class TestFieldsThatAnExportCannotHave:
    @pytest.mark.parametrize(
        "more",
        [
            {"items": [item(stateShare={"internalRate": 18})]},
            {"items": [item(icms={"cst": "00"})], "destination": "interstate"},
        ],
        ids=["share of the buyer's state", "rate between states"],
    )
    def test_export_with_an_interstate_field_is_refused(self, signer: Signer, more: dict[str, Any]) -> None:
        assert isinstance(issued_nfe(signer, by=usual_seller("normal"), **EXPORTED | more), tuple)


class TestOptionalFields:
    @pytest.mark.parametrize(
        "icms",
        [
            {"cst": "00", "fcpRate": 0},
            # More tax than price leaves no base for PIS and COFINS.
            {"cst": "00", "base": 1000, "rate": 18},
        ],
        ids=["no poverty fund", "more tax than price"],
    )
    def test_optional_fields_of_icms_fit_the_schema(self, signer: Signer, icms: dict[str, Any]) -> None:
        assert_fits_the_schema(signer, "normal", IN_THE_STATE, {"items": [item(icms=icms)]})

    @settings(max_examples=60)
    @given(sale=sales_with_more())
    def test_optional_fields_of_an_nfe_fit_the_schema_together(
        self, signer: Signer, sale: tuple[str, dict[str, Any], dict[str, Any]]
    ) -> None:
        assert_fits_the_schema(signer, *sale)

    @settings(max_examples=30)
    @given(receipt=receipts_with_more())
    def test_optional_fields_of_an_nfce_fit_the_schema_together(
        self, signer: Signer, receipt: tuple[str, dict[str, Any]]
    ) -> None:
        assert_receipt_fits_the_schema(signer, *receipt)
