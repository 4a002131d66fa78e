"""Hostile values anywhere in a request: a problem at their field, or a document that is good in every way."""

import copy
import string
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from lxml import etree
from pydantic import ValidationError

from carimbo.fiscal.company import Company
from carimbo.fiscal.documents.nfe.definition import NFE
from carimbo.fiscal.emission import Emission
from carimbo.fiscal.schemas import Schema
from carimbo.fiscal.signature import Signer, verify
from carimbo.fiscal.signed_document import SignedDocument
from support import CNPJ
from unit.fiscal.goods.support import (
    BUYER_CNPJ,
    NORMAL,
    PRODUCTION,
    RIO_DE_JANEIRO,
    SAO_PAULO,
    SCHEMAS,
    buyer,
    company,
    emission,
    issuance,
    issued_nfe,
    item,
    misformed,
    refused,
)

BODY: dict[str, Any] = {
    "nature": "Venda",
    "presence": "internet",
    "recipient": buyer(
        taxId=BUYER_CNPJ,
        stateRegistration="110042490114",
        email="compras@example.com",
        municipalRegistration="123",
        address=SAO_PAULO | {"complement": "Sala 1", "cityCode": "3550308"},
    ),
    "deliveryAddress": SAO_PAULO | {"taxId": BUYER_CNPJ, "name": "Depósito", "cityCode": "3550308"},
    "items": [
        item(),
        item(
            sku="CAN-1",
            unit="CX",
            notes="Cor azul",
            discount=1,
            freight=2,
            other=3,
            purchaseOrder="PED-9",
            observation={"name": "cor", "value": "azul"},
            icms={"csosn": "101", "creditRate": 1.25, "creditAmount": 0.9},
            pis={"cst": "01", "base": 100, "rate": 1.65, "amount": 1.65},
            importTax={"base": 10, "customsExpenses": 1, "amount": 2, "iofAmount": 0},
            medicine={"anvisaCode": "1234567890123", "maximumPrice": 50},
        ),
    ],
    "payments": [{"method": "other", "description": "Permuta", "amount": 150}],
    "change": 0.4,
    "intermediary": {"taxId": CNPJ, "sellerId": "loja-1"},
    "notes": "Obrigado",
    "authorityNotes": "Regime especial",
    "observations": [{"name": "pedido", "value": "9"}],
    "processes": [{"number": "123", "origin": "1"}],
    "billing": {
        "bill": {"number": "1", "netAmount": 71.8},
        "installments": [{"number": "001", "amount": 71.8}],
    },
    "purchase": {"order": "PED-9", "contract": "C-1"},
    "freight": {
        "mode": "sender",
        "carrier": {"name": "Rápido", "city": "Santos"},
        "volumes": [{"kind": "CX"}],
    },
}
DEFERRED = {"deferral": {"rate": 50}}
# A sale whose taxes are computed, by a company of the normal regime.
COMPUTED: dict[str, Any] = {
    "presence": "internet",
    "recipient": buyer(address=RIO_DE_JANEIRO),
    "items": [
        item(
            icms={"rate": 12},
            pis={"rate": 1.65},
            ipi={"cst": "50", "rate": 5},
            stateShare={"internalRate": 18, "fcpRate": 2},
        ),
        item(icms={"cst": "20", "baseReduction": 10}, pis={"cst": "03", "quantity": 1, "unitRate": 0.5}),
        item(
            # Sold on order of the buyer, to whom others deliver: else no consumer has the tax deferred.
            cfop="6123",
            icms={"cst": "51", "rate": 12, "deferralRate": 50},
            ibsCbs={"taxClassCode": "510001", "state": DEFERRED, "city": DEFERRED, "cbs": DEFERRED},
        ),
    ],
    "discount": 1,
    "insurance": 1,
    "other": 1,
    "freight": {"mode": "sender", "amount": 2},
}
Step = str | int


def leaves(value: Any, kind: tuple[type, ...], *steps: Step) -> list[tuple[Step, ...]]:
    """The places of all texts or numbers in a body."""
    if isinstance(value, dict):
        return [place for name, one in value.items() for place in leaves(one, kind, *steps, name)]
    if isinstance(value, list):
        return [place for index, one in enumerate(value) for place in leaves(one, kind, *steps, index)]
    return [steps] if isinstance(value, kind) else []


TEXTS = leaves(BODY, (str,))
NUMBERS = leaves(BODY, (int, float))
EVERY_NUMBER = [
    (by, body, place)
    for by, body in ((company(), BODY), (NORMAL, COMPUTED))
    for place in leaves(body, (int, float))
]


def path_of(place: tuple[Step, ...]) -> str:
    path = ""
    for step in place:
        path += f"[{step}]" if isinstance(step, int) else f".{step}"
    return path.removeprefix(".")


def with_value(place: tuple[Step, ...], value: Any, *, among: dict[str, Any] = BODY) -> dict[str, Any]:
    body = copy.deepcopy(among)
    around: Any = body
    for step in place[:-1]:
        around = around[step]
    around[place[-1]] = value
    return body


NICE = string.ascii_letters + string.digits + " çãÉ-./&<>\"'"
HOSTILE = st.one_of(
    st.text(alphabet=st.sampled_from(NICE), max_size=70),
    st.text(max_size=30),
    st.text(alphabet=st.characters(codec=None), max_size=10),
    st.sampled_from(
        [
            "]]>",
            "<!--",
            "&amp;",
            "&#0;",
            "<a/>",
            "\u202eabc",
            "a\xa0b",
            "\xad",
            "e\u0301",
            "\ud800",
            "x" * 5001,
            "x" * 1_000_000,
            " " * 1_000_000,
            "\r\n",
            "🎉",
            "“…”",
        ]
    ),
)
NUMERIC = st.one_of(
    st.decimals(),
    st.decimals(min_value=-10, max_value=10**16, places=2),
    st.decimals(min_value=0, max_value=1000, places=11),
    st.floats(),
    st.integers(),
    st.sampled_from(
        [Decimal("1e400"), Decimal("1E+1000000"), Decimal("1E-1000000"), 10**40, Decimal("9" * 40), -1]
    ),
)


ABSURD = {
    "1e400": Decimal("1e400"),
    "1E+1000000": Decimal("1E+1000000"),
    "40 digits": 10**40,
    "11 decimals": Decimal("0.00000000001"),
    "NaN": float("nan"),
    "negative": -1,
    "text": "1",
    "boolean": True,
}


def result_of(
    signer: Signer, body: dict[str, Any], under: Emission = PRODUCTION, by: Company | None = None
) -> SignedDocument | dict[str, str]:
    """The document of a body, or what is wrong by path: with its form, or with what it says."""
    assert NFE.issuing
    try:
        request = NFE.issuing.request.model_validate(body)
    except ValidationError as invalid:
        return misformed(invalid)
    made = NFE.issuing.issue(request, issuance(signer, NFE.settings(), by=by, under=under))
    return made if isinstance(made, SignedDocument) else refused(made)


def assert_good(document: SignedDocument) -> None:
    root = etree.fromstring(document.xml)
    assert etree.tostring(root, method="c14n") == document.xml
    assert SCHEMAS.problems(Schema.NFE, root) == ()
    assert verify(root).digest_value == document.digest_value


def is_about(path: str, place: tuple[Step, ...]) -> bool:
    """Whether a path leads to a place, or to the object or list that the place is in."""
    wanted = path_of(place)
    return path == wanted or wanted.startswith((f"{path}.", f"{path}["))


def is_beside(path: str, place: tuple[Step, ...]) -> bool:
    """Whether a path leads to a neighbour of a place: a code decides what else its object may tell."""
    return path.startswith(f"{path_of(place[:-1])}.")


def is_summed_up_in(path: str, place: tuple[Step, ...]) -> bool:
    """Whether a path leads to what is computed of a price or a payment, and can be wrong in its stead."""
    if place[0] == "billing":
        return path == "billing.installments"
    return place[0] in ("items", "payments") and (path.startswith("totals.") or path == "change")


class TestGoodRequest:
    @pytest.mark.parametrize(("body", "by"), [(BODY, company()), (COMPUTED, NORMAL)])
    def test_makes_a_good_document(self, signer: Signer, body: dict[str, Any], by: Company) -> None:
        made = result_of(signer, body, by=by)
        assert isinstance(made, SignedDocument), made
        assert_good(made)


class TestHostileText:
    @settings(max_examples=400)
    @given(st.sampled_from(TEXTS), HOSTILE)
    @example(("nature",), "<\u0338")
    @example(("deliveryAddress", "state"), "RJ")
    @example(("items", 1, "icms", "csosn"), "102")
    @example(("items", 1, "pis", "cst"), "03")
    @example(("payments", 0, "method"), "later")
    def test_is_told_at_its_field_or_written_as_it_is(
        self, signer: Signer, place: tuple[Step, ...], value: str
    ) -> None:
        made = result_of(signer, with_value(place, value))
        if isinstance(made, SignedDocument):
            assert_good(made)
        else:
            assert any(is_about(path, place) or is_beside(path, place) for path in made), made
            assert all(len(message) < 400 for message in made.values()), made

    @pytest.mark.parametrize("place", TEXTS, ids=path_of)
    @pytest.mark.parametrize("under", [PRODUCTION, emission()], ids=["production", "homologation"])
    def test_of_a_character_that_no_document_has_is_told_at_each_field(
        self, signer: Signer, under: Emission, place: tuple[Step, ...]
    ) -> None:
        made = result_of(signer, with_value(place, "festa 🎉"), under)
        assert isinstance(made, dict)
        assert any(is_about(path, place) for path in made), made

    @pytest.mark.parametrize("place", TEXTS, ids=path_of)
    def test_of_any_length_is_told_at_each_field_in_few_words(
        self, signer: Signer, place: tuple[Step, ...]
    ) -> None:
        made = result_of(signer, with_value(place, "x" * 100_000))
        assert isinstance(made, dict)
        assert any(is_about(path, place) for path in made), made
        assert all(len(message) < 400 for message in made.values())


class TestHostileNumbers:
    @settings(max_examples=300)
    @given(st.sampled_from(NUMBERS), NUMERIC)
    @example(("items", 1, "unitValue"), 0)
    @example(("payments", 0, "amount"), 0)
    def test_are_told_at_their_field_or_written_exactly(
        self, signer: Signer, place: tuple[Step, ...], value: Any
    ) -> None:
        made = result_of(signer, with_value(place, value))
        if isinstance(made, SignedDocument):
            assert_good(made)
        else:
            # A number that is good by itself may still make a sum that is not.
            assert any(is_about(path, place) or is_summed_up_in(path, place) for path in made), made
            assert all(len(message) < 400 for message in made.values()), made

    @pytest.mark.parametrize(
        ("by", "body", "place"), EVERY_NUMBER, ids=[path_of(one[2]) for one in EVERY_NUMBER]
    )
    @pytest.mark.parametrize("value", ABSURD.values(), ids=ABSURD)
    def test_that_are_absurd_are_told_at_each_field(
        self, signer: Signer, by: Company, body: dict[str, Any], place: tuple[Step, ...], value: Any
    ) -> None:
        made = result_of(signer, with_value(place, value, among=body), by=by)
        assert isinstance(made, dict)
        assert any(is_about(path, place) for path in made), made


class TestManyItems:
    def test_up_to_990_make_a_good_document(self, signer: Signer) -> None:
        made = issued_nfe(signer, items=[item()] * 990)
        assert isinstance(made, SignedDocument), made
        assert_good(made)

    def test_of_991_are_refused(self, signer: Signer) -> None:
        assert result_of(signer, BODY | {"items": [item()] * 991}) == {
            "items": "Deve ter no máximo 990 itens."
        }
