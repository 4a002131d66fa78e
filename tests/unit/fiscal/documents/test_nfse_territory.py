"""The place of a service, and the municipality that taxes it."""

from datetime import date
from typing import Any

import pytest

from carimbo.fiscal.documents.nfse.settings import NfseSettings
from carimbo.fiscal.documents.nfse.territory import Territory, jurisdiction_of, territory_of
from carimbo.fiscal.municipal_agreement import Jurisdiction
from carimbo.fiscal.parties.company import Company
from carimbo.fiscal.problems import Incomplete
from carimbo.fiscal.tables.service_codes import NATIONAL_SERVICES
from unit.fiscal.documents.nfse_support import (
    APART,
    BRASILIA_CODE,
    EVENING_IN_ACRE,
    EXCESS,
    FIRM,
    FOREIGNER,
    IN_ACRE,
    MEI,
    NORMAL,
    PERSON,
    RIO_CODE,
    SAO_PAULO_CODE,
    SIMPLES,
    body,
    codes_of,
    composed,
    request_of,
)
from unit.fiscal.goods.support import RIO_DE_JANEIRO

IN_RIO = FIRM | {"address": RIO_DE_JANEIRO}
# Taxed where the provider is, where the service is performed, and where the taker is.
LICENSING, CLEANING, STAFF = "010501", "071002", "170501"


def territory(service: str = LICENSING, **changes: Any) -> Territory:
    return territory_of(request_of(**changes), SIMPLES, NATIONAL_SERVICES[service])


def problem_codes(service: str = LICENSING, **changes: Any) -> set[tuple[str, str]]:
    with pytest.raises(Incomplete) as caught:
        territory(service, **changes)
    return codes_of(caught.value.problems)


def jurisdiction(by: Company = SIMPLES, /, **changes: Any) -> Jurisdiction:
    return jurisdiction_of(request_of(**changes), by, NfseSettings())


class TestPlaceOfService:
    def test_place_is_the_providers_municipality_by_default(self) -> None:
        place = territory()
        assert (place.issuing_city, place.service_city) == (SAO_PAULO_CODE, SAO_PAULO_CODE)
        assert (place.place.city_code, place.place.country_code) == (SAO_PAULO_CODE, None)

    def test_place_is_the_takers_municipality_on_request(self) -> None:
        assert territory(serviceLocation="2", borrower=IN_RIO).service_city == RIO_CODE

    @pytest.mark.parametrize("borrower", [PERSON, FOREIGNER])
    def test_place_at_a_taker_without_a_municipality_is_missing(self, borrower: dict[str, Any]) -> None:
        assert problem_codes(serviceLocation="2", borrower=borrower) == {("MISSING", "borrower.address")}

    def test_place_is_the_municipality_of_the_body(self) -> None:
        place = territory(serviceLocation="2", serviceCityCode=BRASILIA_CODE, borrower=IN_RIO)
        assert place.service_city == BRASILIA_CODE

    def test_unknown_municipality_is_refused(self) -> None:
        assert problem_codes(serviceCityCode="9999999") == {("E0302", "serviceCityCode")}

    def test_place_abroad_is_a_country(self) -> None:
        place = territory(serviceCountryCode="US")
        assert (place.issuing_city, place.service_city, place.incidence_city) == (SAO_PAULO_CODE, None, None)
        assert (place.place.city_code, place.place.country_code) == (None, "US")

    def test_operation_outside_the_municipality_cannot_be_in_the_providers_own(self) -> None:
        assert problem_codes(natureOfOperation="2") == {("CONTRADICTION", "serviceLocation")}
        assert territory(natureOfOperation="2", serviceCityCode=RIO_CODE).service_city == RIO_CODE


class TestIncidence:
    @pytest.mark.parametrize(
        ("service", "city"), [(LICENSING, SAO_PAULO_CODE), (CLEANING, BRASILIA_CODE), (STAFF, RIO_CODE)]
    )
    def test_incidence_depends_on_the_service(self, service: str, city: str) -> None:
        place = territory(service, serviceCityCode=BRASILIA_CODE, borrower=IN_RIO)
        assert place.incidence_city == city

    def test_incidence_at_a_taker_without_a_municipality_is_unknown(self) -> None:
        assert territory(STAFF).incidence_city is None

    @pytest.mark.parametrize(("incidence", "is_warned"), [("0", False), ("1", True), ("2", False)])
    def test_differing_incidence_in_the_body_is_warned_of(self, incidence: str, is_warned: bool) -> None:
        changes = {"federalServiceCode": "07.10.02", "serviceCityCode": BRASILIA_CODE}
        warnings = composed(body(municipalityOfIncidence=incidence, **changes)).warnings
        assert any(f"município {BRASILIA_CODE}" in warning for warning in warnings) is is_warned

    def test_incidence_at_the_place_is_warned_of_where_the_provider_is_taxed(self) -> None:
        changes = {"municipalityOfIncidence": "2", "serviceCityCode": BRASILIA_CODE, "iss": {"rate": 0}}
        (warning,) = composed(body(**changes)).warnings
        assert f"{SAO_PAULO_CODE}, e não a {BRASILIA_CODE}" in warning


class TestJurisdiction:
    def test_jurisdiction_is_the_companys_city_where_it_taxes_the_service(self) -> None:
        assert jurisdiction().cities == (SAO_PAULO_CODE,)

    def test_jurisdiction_is_shared_by_company_and_incidence(self) -> None:
        elsewhere = {"federalServiceCode": "07.10.02", "serviceCityCode": BRASILIA_CODE}
        assert jurisdiction(**elsewhere).cities == (SAO_PAULO_CODE, BRASILIA_CODE)

    @pytest.mark.parametrize(
        "changes",
        [{"federalServiceCode": "17.01"}, {"federalServiceCode": "42.01"}, {"serviceLocation": "2"}],
    )
    def test_jurisdiction_is_the_companys_city_when_service_or_place_is_unknown(
        self, changes: dict[str, str]
    ) -> None:
        assert jurisdiction(NORMAL, **changes) == Jurisdiction((SAO_PAULO_CODE,))

    @pytest.mark.parametrize("by", [NORMAL, APART, EXCESS])
    def test_jurisdiction_has_a_taxing_city_where_the_note_is_taxed(self, by: Company) -> None:
        taxed = jurisdiction(by, federalServiceCode="07.10.02", serviceCityCode=BRASILIA_CODE)
        assert (taxed.taxed_at, taxed.service_code) == (BRASILIA_CODE, "07.10.02.000")

    @pytest.mark.parametrize("by", [SIMPLES, MEI])
    def test_jurisdiction_has_no_taxing_city_where_the_das_pays_the_iss(self, by: Company) -> None:
        assert jurisdiction(by).taxed_at is None

    def test_jurisdiction_day_is_by_the_clock_of_the_company(self) -> None:
        assert jurisdiction(NORMAL).on is None
        assert jurisdiction(NORMAL, issueDate=EVENING_IN_ACRE).on == date(2026, 11, 14)
        assert jurisdiction(IN_ACRE, issueDate=EVENING_IN_ACRE).on == date(2026, 11, 13)

    def test_service_code_of_the_jurisdiction_has_the_citys_own_digits(self) -> None:
        assert jurisdiction(NORMAL, cityServiceCode="123").service_code == "01.05.01.123"
