"""Complements and substitutions beside the CT-e OS of the company that they correct, and canceled ones."""

from typing import Any

import pytest

from carimbo.fiscal.catalog.filling import FillingReview
from carimbo.fiscal.documents.cteos.from_original import FILLING
from carimbo.fiscal.documents.cteos.request import CteOsRequest
from carimbo.fiscal.own_documents import OwnDocument
from carimbo.fiscal.transport.hints import hint_of
from unit.fiscal.documents.cteos.bodies import AGENCY, BAGGAGE, CHARTER, PERSON, TAF, VALUABLES, os_key

KEY = os_key(7)
SUBSTITUTION: dict[str, Any] = {"purpose": "substitution", "substitution": {"accessKey": KEY}}
COMPLEMENT: dict[str, Any] = {"purpose": "complement", "complementedAccessKeys": [KEY]}
PRICE: dict[str, Any] = {"serviceType": "passengers", "serviceAmount": 50, "icms": {"cst": "00", "rate": 7}}
# The code, the field and the given values, of a substitution and of a complement.
BOTH: dict[tuple[str, str], tuple[str, dict[str, Any]]] = {
    ("552", "804"): ("takerParty.taxId", {"takerParty": PERSON}),
    ("559", "811"): ("municipalityStartIbge", {"municipalityStartIbge": "4106902"}),
    ("560", "812"): ("municipalityEndIbge", {"municipalityEndIbge": "4106902"}),
    ("834", "835"): ("serviceType", {"serviceType": "valuables"}),
}


def filled(
    body: dict[str, Any], original: dict[str, Any] = CHARTER, *, is_canceled: bool = False
) -> tuple[Any, FillingReview]:
    """Returns the filled body and the review of filling it from the original."""
    request = CteOsRequest.model_validate(body)
    assert KEY in FILLING.keys(request)
    return FILLING.fill(body, request, {KEY: OwnDocument("cteOs", original, b"", is_canceled=is_canceled)})


def places(review: FillingReview) -> list[tuple[str, str]]:
    assert all(problem.hint for problem in review.problems)
    return [(problem.code, problem.path) for problem in review.problems]


@pytest.mark.parametrize(
    ("code", "path", "change"),
    [
        *((codes[0], path, SUBSTITUTION | change) for codes, (path, change) in BOTH.items()),
        *((codes[1], path, COMPLEMENT | change) for codes, (path, change) in BOTH.items()),
        ("COMPLEMENTED_MODE", "modal.kind", COMPLEMENT | {"modal": {"kind": "air"}}),
    ],
)
def test_given_value_that_differs_from_the_original_is_refused(
    code: str, path: str, change: dict[str, Any]
) -> None:
    assert places(filled(PRICE | change)[1]) == [(code, path)]


@pytest.mark.parametrize(
    ("code", "path", "change"),
    [("571", "substitution.accessKey", SUBSTITUTION), ("491", "complementedAccessKeys[0]", COMPLEMENT)],
)
def test_complement_can_not_be_corrected(code: str, path: str, change: dict[str, Any]) -> None:
    assert places(filled(PRICE | change, CHARTER | COMPLEMENT)[1]) == [(code, path)]


def test_canceled_document_can_not_be_corrected() -> None:
    _, review = filled(PRICE | COMPLEMENT, is_canceled=True)
    assert places(review) == [("655", "complementedAccessKeys[0]")]


def test_places_of_a_correction_differ_from_an_original_without_places() -> None:
    given = {"serviceType": "excessBaggage", "municipalityStartIbge": "3550308"}
    _, review = filled(PRICE | COMPLEMENT | given, BAGGAGE)
    assert places(review) == [("811", "municipalityStartIbge")]


def test_substitution_repeats_route_and_service() -> None:
    body, review = filled(PRICE | SUBSTITUTION)
    names = ("takerParty", "route", "serviceDescription", "taf", "vehicle", "charter", "insurance")
    assert {name: body[name] for name in names} == {name: CHARTER[name] for name in names}
    assert body["serviceAmount"] == PRICE["serviceAmount"]
    assert review.warnings[0].startswith("Do CT-e OS substituído foram repetidos: ")


def test_complement_repeats_the_route_only() -> None:
    body, _ = filled(PRICE | COMPLEMENT)
    assert body["route"] == CHARTER["route"]
    assert body.keys().isdisjoint({"serviceDescription", "taf", "vehicle", "charter", "insurance"})


def test_given_registration_takes_the_place_of_the_other_one() -> None:
    body, _ = filled(PRICE | SUBSTITUTION | {"stateAgencyRegistration": AGENCY})
    assert (body["stateAgencyRegistration"], body.get("taf")) == (AGENCY, None)


def test_substitution_by_another_mode_repeats_neither_vehicle_nor_charter() -> None:
    body, _ = filled(PRICE | SUBSTITUTION | {"modal": {"kind": "air"}})
    assert body["taf"] == TAF
    assert body.keys().isdisjoint({"vehicle", "charter"})


@pytest.mark.parametrize(
    ("original", "is_canceled", "codes"),
    [(VALUABLES, True, []), (VALUABLES, False, ["826"]), (BAGGAGE, True, ["830"])],
)
def test_canceled_document_is_canceled_and_of_the_same_service(
    original: dict[str, Any], is_canceled: bool, codes: list[str]
) -> None:
    _, review = filled(VALUABLES | {"canceledAccessKey": KEY}, original, is_canceled=is_canceled)
    assert places(review) == [(code, "canceledAccessKey") for code in codes]
    assert [problem.hint for problem in review.problems] == [hint_of(code) for code in codes]
