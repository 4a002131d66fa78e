"""An NFS-e with a municipal service code takes its service from the catalog."""

from typing import Any

import pytest

from carimbo.fiscal.catalog.filling import CatalogFacts, CatalogService, FillingReview
from carimbo.fiscal.documents.nfse.from_catalog import fill, is_own_warning, references_of, review
from carimbo.fiscal.documents.nfse.request import NfseRequest
from carimbo.fiscal.documents.nfse.settings import NfseSettings
from carimbo.fiscal.problems import Problem
from unit.fiscal.documents.nfse_support import DETAILED, NBS, SHORTCUT, SIMPLES

OWN: dict[str, Any] = {"federalServiceCode": "01.05", "cityServiceCode": "123", "issRate": 2.5, "nbs": NBS}
BY_CITY_CODE = SHORTCUT | {"serviceCode": "456"}


def service(sku: str, **fiscal: Any) -> CatalogService:
    return CatalogService(sku, {"cityServiceCode": "456"} | fiscal)


HOSTING = service(
    "HOSP", serviceItemCode="01.03.01", iss={"rate": 2.9, "isWithheld": True}, nbs="1.1502.10.00"
)
TAKEN = {"federalServiceCode": "01.03.01", "iss": {"rate": 2.9, "isWithheld": True}, "nbs": "115021000"}


def reviewed(body: dict[str, Any], *services: CatalogService, **settings: Any) -> FillingReview:
    catalog = CatalogFacts(services=services)
    return review(NfseRequest.model_validate(body), NfseSettings.model_validate(settings), catalog)


def problem_of(body: dict[str, Any], *services: CatalogService, **settings: Any) -> Problem:
    review_result = reviewed(body, *services, **settings)
    assert review_result.warnings == ()
    (problem,) = review_result.problems
    return problem


def taken(body: dict[str, Any], *services: CatalogService) -> dict[str, Any]:
    """Returns what filling adds to a body, or changes in it."""
    catalog = CatalogFacts(services=services)
    filled = fill(body, NfseRequest.model_validate(body), SIMPLES, catalog)
    # The filled body is stored, and validated again when the note is issued.
    NfseRequest.model_validate(filled)
    return {name: value for name, value in filled.items() if body.get(name) != value}


class TestReferences:
    def test_municipal_code_is_looked_up(self) -> None:
        assert references_of(NfseRequest.model_validate(BY_CITY_CODE)).city_service_code == "456"

    @pytest.mark.parametrize(
        "body",
        [
            SHORTCUT,
            DETAILED,
            DETAILED | {"serviceCode": "456"},
            BY_CITY_CODE | {"federalServiceCode": "01.07"},
        ],
        ids=["no-code", "detailed", "detailed-with-both-codes", "national-code"],
    )
    def test_other_bodies_do_not_use_the_catalog(self, body: dict[str, Any]) -> None:
        assert references_of(NfseRequest.model_validate(body)).is_empty


class TestFill:
    def test_body_takes_national_code_iss_and_nbs_from_the_catalog(self) -> None:
        assert taken(BY_CITY_CODE, HOSTING) == TAKEN

    def test_blank_fields_are_filled_from_the_catalog_too(self) -> None:
        blank = {"federalServiceCode": " ", "iss": None, "nbs": ""}
        assert taken(BY_CITY_CODE | blank, HOSTING) == TAKEN

    def test_fields_of_the_body_are_kept(self) -> None:
        own = {"iss": {"rate": 5}, "nbs": "111032200"}
        assert taken(BY_CITY_CODE | own, HOSTING) == {"federalServiceCode": "01.03.01"}

    def test_item_with_a_single_national_code_is_taken_as_that_code(self) -> None:
        assert taken(BY_CITY_CODE, service("A", serviceItemCode="1.05")) == {"federalServiceCode": "01.05.01"}

    def test_items_without_a_national_code_are_not_used(self) -> None:
        assert taken(BY_CITY_CODE, service("A", iss={"rate": 5})) == {}

    def test_item_of_notes_without_a_sku_is_not_used(self) -> None:
        shared = service("direct-api-nfse", serviceItemCode="01.07")
        assert taken(BY_CITY_CODE, shared) == {}
        assert reviewed(BY_CITY_CODE, shared) == FillingReview()

    def test_nbs_that_items_differ_in_is_not_taken(self) -> None:
        other = service("B", **{**HOSTING.fiscal, "nbs": "1.1103.22.00"})
        assert "nbs" not in taken(BY_CITY_CODE, HOSTING, other)


class TestReview:
    def test_warning_names_the_item(self) -> None:
        assert reviewed(BY_CITY_CODE, HOSTING, **OWN) == FillingReview(
            warnings=(
                "serviceCode: O código nacional 01.03.01 é o do item “HOSP” do catálogo, que tem o mesmo"
                " código municipal.",
            )
        )

    def test_warning_of_the_catalog_is_recognised_among_others(self) -> None:
        (warning,) = reviewed(BY_CITY_CODE, HOSTING).warnings
        assert is_own_warning(warning)
        assert not is_own_warning("serviceCode: O código municipal “02800” não vai na nota.")

    def test_items_of_the_same_service_count_as_one(self) -> None:
        spelled = (service("A", serviceItemCode="1.05"), service("B", serviceItemCode="01.05.01"))
        assert reviewed(BY_CITY_CODE, *spelled).problems == ()

    def test_items_of_different_services_are_listed_and_not_guessed(self) -> None:
        problem = problem_of(BY_CITY_CODE, HOSTING, service("SW", serviceItemCode="01.05"), **OWN)
        assert (problem.code, problem.path) == ("AMBIGUOUS", "serviceCode")
        assert dict(problem.facts) == {"candidates": ("01.03.01", "01.05")}
        assert "01.03.01 em “HOSP”; 01.05 em “SW”" in problem.message

    def test_items_of_different_rates_are_listed_unless_the_body_has_one(self) -> None:
        dearer = service("CARA", **{**HOSTING.fiscal, "iss": {"rate": 5}})
        problem = problem_of(BY_CITY_CODE, HOSTING, dearer, **OWN)
        assert (problem.code, problem.path) == ("AMBIGUOUS", "iss.rate")
        assert "2,9%, 5%" in problem.message
        assert reviewed(BY_CITY_CODE | {"iss": {"rate": 4}}, HOSTING, dearer).problems == ()

    def test_item_of_several_national_codes_is_to_be_corrected_in_the_catalog(self) -> None:
        problem = problem_of(BY_CITY_CODE, service("A", serviceItemCode="17.01"), issRate=2)
        assert (problem.code, problem.path) == ("AMBIGUOUS", "federalServiceCode")
        assert (problem.hint or "").startswith("Corrija serviceItemCode de “A” no catálogo, ou informe")

    def test_rate_of_the_company_is_used_for_its_own_service_alone(self) -> None:
        own = service("A", serviceItemCode=OWN["federalServiceCode"])
        assert reviewed(BY_CITY_CODE, own, **OWN).problems == ()
        other = service("A", serviceItemCode="01.07")
        assert problem_of(BY_CITY_CODE, other, **OWN).path == "iss.rate"
        assert reviewed(BY_CITY_CODE | {"iss": {"rate": 5}}, other, **OWN).problems == ()
