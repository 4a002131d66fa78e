"""No field that is added to a good body makes an invalid XML, and no field of the bodies is left untried."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from carimbo.fiscal.documents.nfce import document as nfce_document
from carimbo.fiscal.documents.nfce.request import NfceRequest
from carimbo.fiscal.documents.nfce.settings import NfceSettings
from carimbo.fiscal.documents.nfce.supplement import supplement_of
from carimbo.fiscal.goods.composition import Composition
from carimbo.fiscal.layouts.nfe_v4.document import check, enclose, write
from carimbo.fiscal.layouts.nfe_v4.invoice import Invoice
from carimbo.fiscal.layouts.signed_part import WrittenPart
from carimbo.fiscal.problems import SCHEMA_PROBLEM, Problem
from carimbo.fiscal.signature import Signer
from carimbo.fiscal.signed_document import SignedDocument
from unit.fiscal import optional_fields as may
from unit.fiscal import optional_taxes as tax
from unit.fiscal.drawing import AMOUNT, Fields, Strategy, Values, having, some_of
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
    seller,
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

# The point of sale's own XML, which is sent on as it came, and a price that documents of 2026 don't have.
LEFT_OUT = {"NfceRequest.signedXml", "ItemBody.netUnitValue"}


@pytest.fixture(scope="module")
def signer(signer: Signer) -> Signer:
    return quick(signer)


class TestGoodBodies:
    def test_leave_no_published_field_out(self) -> None:
        objects = [told for good in good_bodies() for told in objects_in(good.body, good.root)]
        tried = {f"{told.kind}.{name}" for told in objects for name in told.value}
        assert (fields_of(NFE) | fields_of(NFCE)) - tried == LEFT_OUT

    def test_have_the_right_form_and_fit_the_schema(self, signer: Signer) -> None:
        answers = [(good, answer_to(good, signer)) for good in good_bodies()]
        assert [good for good, answer in answers if answer == () or against_the_schema(answer)] == []


@st.composite
def items_with_more(draw: Callable[..., Any], regime: str, charges: Strategy) -> list[dict[str, Any]]:
    """Items with any of their optional fields."""
    icms = tax.ICMS_BY_CSOSN if regime in SIMPLES else tax.ICMS_BY_CST
    special = having({}) | SCALE | SPECIAL_GOODS
    parts = [some_of(may.ITEM | {"icms": icms}), charges, special.strategy]
    return [
        item(**draw(parts[0]) | draw(parts[1]) | draw(parts[2])) for _ in range(draw(st.sampled_from((1, 2))))
    ]


@st.composite
def sale_with_more(draw: Callable[..., Any], regime: str, of_the_type: Fields) -> dict[str, Any]:
    """The optional fields of a sale; charges are told of the items or of the sale, never of both."""
    by_item = draw(st.booleans())
    items = draw(items_with_more(regime, may.CHARGES.strategy if by_item else st.just({})))
    freight = draw(some_of(may.FREIGHT | ({} if by_item else {"amount": AMOUNT})))
    fields = may.SALE | of_the_type | ({} if by_item else may.SALE_CHARGES)
    told: dict[str, Any] = {"items": items} | draw(some_of(fields))
    return told | {"freight": freight | draw(may.CARRIAGE.strategy)} if freight else told


def schema_problems(invoice: Invoice, signer: Signer, *, is_receipt: bool = False) -> tuple[Problem, ...]:
    """What the XSD says of a document, whether or not a rule refuses it."""
    written = write(invoice)
    if not isinstance(written, WrittenPart):
        return written
    signature, supplement = signer.sign(written.canonical, written.id), b""
    if is_receipt:
        made = supplement_of(invoice, emission(), NfceSettings.model_validate(CSC), signature, signer)
        assert isinstance(made, bytes)
        supplement = made
    return check(enclose(written, signature, supplement), SCHEMAS)


def against_the_schema(outcome: SignedDocument | tuple[Problem, ...]) -> list[Problem]:
    told = outcome if isinstance(outcome, tuple) else ()
    return [problem for problem in told if problem.code == SCHEMA_PROBLEM]


def assert_fits_the_schema(signer: Signer, regime: str, good: dict[str, Any], more: dict[str, Any]) -> None:
    body = good | more | {"recipient": good["recipient"] | more.pop("recipient", {})}
    made = composed_nfe(by=seller(regime), **body)
    assert isinstance(made, Composition), made
    assert schema_problems(made.invoice, signer) == ()
    assert against_the_schema(issued_nfe(signer, by=seller(regime), **body)) == []


OF_AN_EXPORT = may.NFE_ONLY | {"recipient": having({}, may.RECIPIENT)}
OF_AN_NFE = may.NFE_ONLY | {"recipient": having({}, may.RECIPIENT) | may.WHO_BUYS}
OF_ANY_SALE = may.SALE | may.SALE_CHARGES | OF_AN_NFE
OF_A_CARRIAGE = may.FREIGHT | {"amount": AMOUNT}


class TestEachOptionalField:
    """Alone, so that every one of them is tried, with zero and with more."""

    @pytest.mark.parametrize("name", may.ITEM)
    @settings(max_examples=8)
    @given(data=st.data())
    def test_of_an_item_fits_the_schema(self, signer: Signer, name: str, data: st.DataObject) -> None:
        more = {"items": [item(**{name: data.draw(may.ITEM[name].strategy)})]}
        assert_fits_the_schema(signer, "normal", IN_THE_STATE, more)

    @pytest.mark.parametrize(
        "together",
        [may.SOLD, may.CHARGES, SCALE, SPECIAL_GOODS],
        ids=["price", "charges", "scale", "kind"],
    )
    @settings(max_examples=30)
    @given(data=st.data())
    def test_of_an_item_fits_the_schema_beside_what_it_needs(
        self, signer: Signer, together: Values, data: st.DataObject
    ) -> None:
        more = {"items": [item(**data.draw(together.strategy))]}
        assert_fits_the_schema(signer, "normal", IN_THE_STATE, more)

    @settings(max_examples=150)
    @given(icms=tax.ICMS_BY_CST.strategy)
    @example(icms={"cst": "00", "fcpRate": 0})
    # More tax than price leaves no base for PIS and COFINS.
    @example(icms={"cst": "00", "base": 1000, "rate": 18})
    def test_of_icms_fits_the_schema(self, signer: Signer, icms: dict[str, Any]) -> None:
        assert_fits_the_schema(signer, "normal", IN_THE_STATE, {"items": [item(icms=icms)]})

    @settings(max_examples=60)
    @given(icms=tax.ICMS_BY_CSOSN.strategy)
    def test_of_icms_of_the_simples_fits_the_schema(self, signer: Signer, icms: dict[str, Any]) -> None:
        assert_fits_the_schema(signer, "simples", IN_THE_STATE, {"items": [item(icms=icms)]})

    @settings(max_examples=30)
    @given(share=tax.STATE_SHARE.strategy)
    def test_of_the_buyers_state_fits_the_schema(self, signer: Signer, share: dict[str, Any]) -> None:
        assert_fits_the_schema(signer, "normal", TO_A_CONSUMER, {"items": [item(stateShare=share)]})

    @pytest.mark.parametrize("name", OF_ANY_SALE)
    @settings(max_examples=8)
    @given(data=st.data())
    def test_of_a_sale_fits_the_schema(self, signer: Signer, name: str, data: st.DataObject) -> None:
        assert_fits_the_schema(signer, "normal", IN_THE_STATE, {name: data.draw(OF_ANY_SALE[name].strategy)})

    @pytest.mark.parametrize("name", OF_A_CARRIAGE)
    @settings(max_examples=8)
    @given(data=st.data())
    def test_of_a_carriage_fits_the_schema(self, signer: Signer, name: str, data: st.DataObject) -> None:
        freight = data.draw(may.CARRIAGE.strategy) | {name: data.draw(OF_A_CARRIAGE[name].strategy)}
        assert_fits_the_schema(signer, "normal", IN_THE_STATE, {"freight": freight})

    @settings(max_examples=60)
    @given(operation=may.OPERATION.strategy)
    def test_of_an_operation_fits_the_schema(self, signer: Signer, operation: dict[str, Any]) -> None:
        assert_fits_the_schema(signer, "normal", IN_THE_STATE, operation)

    @settings(max_examples=20)
    @given(buyer=may.WHO_BUYS_ABROAD.strategy)
    def test_of_a_buyer_abroad_fits_the_schema(self, signer: Signer, buyer: dict[str, Any]) -> None:
        assert_fits_the_schema(signer, "normal", EXPORTED | {"recipient": buyer}, {})


class TestWhatASaleAbroadHasNot:
    @pytest.mark.parametrize(
        "more",
        [
            {"items": [item(stateShare={"internalRate": 18})]},
            {"items": [item(icms={"cst": "00"})], "destination": "interstate"},
        ],
        ids=["share of the buyer's state", "rate between states"],
    )
    def test_is_refused(self, signer: Signer, more: dict[str, Any]) -> None:
        assert isinstance(issued_nfe(signer, by=seller("normal"), **EXPORTED | more), tuple)


class TestOptionalFields:
    @pytest.mark.parametrize(
        "good",
        [IN_THE_STATE, TO_A_CONSUMER, TO_A_COMPANY, EXPORTED],
        ids=["in the state", "to a consumer elsewhere", "to a company elsewhere", "exported"],
    )
    @settings(max_examples=60)
    @given(data=st.data())
    def test_of_an_nfe_fit_the_schema_together(
        self, signer: Signer, good: dict[str, Any], data: st.DataObject
    ) -> None:
        regime = data.draw(st.sampled_from(REGIMES))
        fields = OF_AN_EXPORT if good is EXPORTED else OF_AN_NFE
        assert_fits_the_schema(signer, regime, good, data.draw(sale_with_more(regime, fields)))

    @settings(max_examples=100)
    @given(data=st.data())
    def test_of_an_nfce_fit_the_schema_together(self, signer: Signer, data: st.DataObject) -> None:
        regime = data.draw(st.sampled_from(REGIMES))
        more = data.draw(sale_with_more(regime, OF_AN_NFCE))
        request = NfceRequest.model_validate(NFCE_BODY | more)
        made = nfce_document.compose(request, seller(regime), emission(), SOFTWARE)
        assert not made.problems, made.problems
        assert schema_problems(made.invoice, signer, is_receipt=True) == ()
        assert against_the_schema(issued_nfce(signer, by=seller(regime), **more)) == []
