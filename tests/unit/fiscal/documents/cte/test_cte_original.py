"""Complements and substitutions beside the CT-e of the company that they correct."""

from typing import Any

import pytest

from carimbo.fiscal.documents.cte.from_documents import FILLING
from carimbo.fiscal.documents.cte.request import CteRequest
from carimbo.fiscal.own_documents import OwnDocument
from carimbo.fiscal.tables.statuses import CTE_STATUSES
from carimbo.fiscal.transport.hints import hint_of
from unit.fiscal.documents.cte.bodies import (
    AIR,
    CARRIER_CNPJ,
    COLLECTION_ORDER,
    FREIGHT,
    OTHER_CARRIER,
    RAIL,
    RECIPIENT,
    SHIPPER,
    cte_key,
    nfe_key,
)

KEY = cte_key(7)
SUBSTITUTION: dict[str, Any] = {"purpose": "substitution", "substitution": {"accessKey": KEY}}
COMPLEMENT: dict[str, Any] = {"purpose": "complement", "complementedAccessKeys": [KEY]}
CHANGED: dict[str, Any] = {
    "purpose": "substitution",
    "substitution": {"accessKey": KEY, "changesTaker": True},
}
PRICE = {"serviceAmount": 50, "icms": {"cst": "00", "rate": 12}}
ANOTHER = SHIPPER | {"taxId": CARRIER_CNPJ}
# The code, the field and the given values, of a substitution and of a complement.
BOTH: dict[tuple[str, str], tuple[str, dict[str, Any]]] = {
    ("511", "800"): ("shipper.taxId", {"shipper": ANOTHER}),
    ("512", "801"): ("recipient.taxId", {"recipient": RECIPIENT | {"taxId": CARRIER_CNPJ}}),
    ("550", "802"): ("dispatcher.taxId", {"dispatcher": ANOTHER}),
    ("551", "803"): ("receiver.taxId", {"receiver": ANOTHER}),
    ("559", "811"): ("municipalityStartIbge", {"municipalityStartIbge": "4106902"}),
    ("560", "812"): ("municipalityEndIbge", {"municipalityEndIbge": "4106902"}),
    ("834", "835"): ("serviceType", {"serviceType": "redispatch"}),
    ("552", "804"): ("taker", {"taker": "recipient"}),
}
OTHERS = [
    ("738", "taker", SUBSTITUTION | {"taker": "other", "takerParty": SHIPPER}),
    ("742", "substitution.changesTaker", CHANGED | {"taker": "shipper"}),
    (
        "740",
        "taker",
        CHANGED | {"taker": "other", "takerParty": OTHER_CARRIER},
    ),
    ("741", "taker", CHANGED | {"taker": "recipient"}),
    ("734", "documents.nfes", SUBSTITUTION | {"documents": {"nfes": [{"accessKey": nfe_key(9)}]}}),
    ("734", "documents.nfes", SUBSTITUTION | {"documents": {"nfes": [{"accessKey": nfe_key(1)}]}}),
]
ROWS = [
    *((codes[0], path, SUBSTITUTION | change) for codes, (path, change) in BOTH.items()),
    *((codes[1], path, COMPLEMENT | change) for codes, (path, change) in BOTH.items()),
    *OTHERS,
]


def filled(body: dict[str, Any], original: dict[str, Any] = FREIGHT) -> tuple[Any, Any]:
    """Returns the filled body and the review of filling it from the original."""
    request = CteRequest.model_validate(body)
    assert KEY in FILLING.keys(request)
    return FILLING.fill(body, request, {KEY: OwnDocument("cte", original, b"")})


@pytest.mark.parametrize(("code", "path", "change"), ROWS, ids=lambda value: value if value else None)
def test_given_value_that_differs_from_the_original_is_refused(
    code: str, path: str, change: dict[str, Any]
) -> None:
    _, review = filled(PRICE | change)
    assert [(problem.code, problem.path) for problem in review.problems] == [(code, path)]
    assert code in CTE_STATUSES
    assert review.problems[0].hint == hint_of(code) is not None


@pytest.mark.parametrize(
    ("code", "path", "change"),
    [("571", "substitution.accessKey", SUBSTITUTION), ("491", "complementedAccessKeys[0]", COMPLEMENT)],
)
def test_complement_can_not_be_corrected(code: str, path: str, change: dict[str, Any]) -> None:
    _, review = filled(PRICE | change, FREIGHT | COMPLEMENT)
    assert [(problem.code, problem.path) for problem in review.problems] == [(code, path)]


@pytest.mark.parametrize(
    ("change", "ending", "problem"),
    [
        (SUBSTITUTION, {"is_canceled": True}, ("569", "substitution.accessKey")),
        (SUBSTITUTION, {"is_replaced": True}, ("570", "substitution.accessKey")),
        (COMPLEMENT, {"is_canceled": True}, ("655", "complementedAccessKeys[0]")),
        (COMPLEMENT, {"is_replaced": True}, ("657", "complementedAccessKeys[0]")),
    ],
)
def test_document_without_effect_can_not_be_corrected(
    change: dict[str, Any], ending: dict[str, bool], problem: tuple[str, str]
) -> None:
    body = PRICE | change
    own = {KEY: OwnDocument("cte", FREIGHT, b"", **ending)}
    _, review = FILLING.fill(body, CteRequest.model_validate(body), own)
    assert [(problem.code, problem.path) for problem in review.problems] == [problem]
    assert review.problems[0].hint == hint_of(problem[0]) is not None


def test_what_a_substitution_leaves_out_is_repeated() -> None:
    body, review = filled(PRICE | SUBSTITUTION)
    names = ("shipper", "recipient", "taker", "cfop", "municipalityStartIbge", "cargo", "documents")
    assert {name: body[name] for name in names} == {name: FREIGHT[name] for name in names}
    assert body["serviceAmount"] == PRICE["serviceAmount"]
    assert review.warnings[0].startswith("Do CT-e substituído foram repetidos: shipper, recipient,")


def test_null_and_blank_fields_are_repeated_too() -> None:
    body, _ = filled(PRICE | SUBSTITUTION | {"shipper": None, "cfop": "", "taker": None})
    assert (body["shipper"], body["cfop"], body["taker"]) == (FREIGHT["shipper"], "6352", "shipper")


def test_new_taker_has_its_own_tax_status_and_cfop() -> None:
    local = FREIGHT | {"recipient": RECIPIENT | {"address": SHIPPER["address"]}, "takerContribution": "none"}
    body, _ = filled(PRICE | CHANGED | {"taker": "recipient"}, local)
    assert body.keys().isdisjoint({"cfop", "takerContribution"})


def test_complement_repeats_no_cargo() -> None:
    body, _ = filled(PRICE | COMPLEMENT)
    assert body["shipper"] == FREIGHT["shipper"]
    assert body.keys().isdisjoint({"cargo", "documents"})


def test_substitution_repeats_the_mode_with_its_data() -> None:
    body, _ = filled(PRICE | SUBSTITUTION, FREIGHT | {"modal": RAIL})
    assert body["modal"] == RAIL


def test_complement_repeats_only_the_kind_of_the_mode() -> None:
    body, review = filled(PRICE | COMPLEMENT, FREIGHT | {"modal": RAIL})
    assert body["modal"] == {"kind": "rail"}
    assert review.warnings[0].endswith("municipalityEndIbge, modal.")


def test_complement_of_a_transport_by_road_needs_no_mode() -> None:
    body, _ = filled(PRICE | COMPLEMENT, FREIGHT | {"modal": {"collectionOrders": [COLLECTION_ORDER]}})
    assert "modal" not in body


def test_complement_with_another_mode_is_refused() -> None:
    _, review = filled(PRICE | COMPLEMENT | {"modal": {"kind": "air"}}, FREIGHT | {"modal": RAIL})
    assert [(problem.code, problem.path) for problem in review.problems] == [
        ("COMPLEMENTED_MODE", "modal.kind")
    ]


def test_substitution_by_another_mode_does_not_repeat_the_rntrc() -> None:
    body, review = filled(PRICE | SUBSTITUTION | {"modal": AIR}, FREIGHT | {"rntrc": "12345678"})
    assert review.problems == ()
    assert body["modal"] == AIR
    assert "rntrc" not in body


def test_taker_of_a_substitution_may_become_another_party_of_its_state() -> None:
    local = FREIGHT | {"recipient": RECIPIENT | {"address": SHIPPER["address"]}}
    body, review = filled(PRICE | CHANGED | {"taker": "recipient"}, local)
    assert review.problems == ()
    assert body["taker"] == "recipient"


def test_equal_values_are_accepted() -> None:
    same = {name: FREIGHT[name] for name in ("shipper", "recipient", "taker", "documents")}
    _, review = filled(PRICE | SUBSTITUTION | same)
    assert review.problems == ()


def test_every_complemented_document_is_compared() -> None:
    second = cte_key(8)
    body = PRICE | {"purpose": "complement", "complementedAccessKeys": [KEY, second]}
    own = {KEY: OwnDocument("cte", FREIGHT, b""), second: OwnDocument("cte", FREIGHT | COMPLEMENT, b"")}
    _, review = FILLING.fill(body, CteRequest.model_validate(body), own)
    assert [(problem.code, problem.path) for problem in review.problems] == [
        ("491", "complementedAccessKeys[1]")
    ]


def test_unknown_invoices_of_a_substitution_are_reported() -> None:
    documents = {"nfes": [{"accessKey": nfe_key(1)}, {"accessKey": nfe_key(2)}], "fromInvoices": True}
    _, review = filled(PRICE | SUBSTITUTION | {"documents": documents})
    assert [(problem.code, problem.path) for problem in review.problems] == [
        ("INVOICE_UNKNOWN", "documents.nfes[0].accessKey"),
        ("INVOICE_UNKNOWN", "documents.nfes[1].accessKey"),
    ]
