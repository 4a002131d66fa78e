"""Where a service is given, and which municipality taxes it."""

from datetime import date
from typing import Any

import pytest

from carimbo.fiscal.company import Company
from carimbo.fiscal.documents.nfse.settings import NfseSettings
from carimbo.fiscal.documents.nfse.territory import Territory, jurisdiction_of, territory_of
from carimbo.fiscal.findings import Incomplete
from carimbo.fiscal.municipal_agreement import Jurisdiction
from carimbo.fiscal.tables.national_services import NATIONAL_SERVICES
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
# Taxed where the provider is, where the service is given, and where the taker is.
LICENSING, CLEANING, STAFF = "010501", "071002", "170501"


def territory(service: str = LICENSING, **changes: Any) -> Territory:
    return territory_of(request_of(**changes), SIMPLES, NATIONAL_SERVICES[service])


def lacks(service: str = LICENSING, **changes: Any) -> set[tuple[str, str]]:
    with pytest.raises(Incomplete) as caught:
        territory(service, **changes)
    return codes_of(caught.value.problems)


def asked(by: Company = SIMPLES, /, **changes: Any) -> Jurisdiction:
    return jurisdiction_of(request_of(**changes), by, NfseSettings())


class TestPlaceOfService:
    def test_is_the_providers_municipality_by_default(self) -> None:
        found = territory()
        assert (found.issuing_city, found.service_city) == (SAO_PAULO_CODE, SAO_PAULO_CODE)
        assert (found.place.city_code, found.place.country_code) == (SAO_PAULO_CODE, None)

    def test_is_the_takers_when_the_body_says_so(self) -> None:
        assert territory(serviceLocation="2", borrower=IN_RIO).service_city == RIO_CODE

    @pytest.mark.parametrize("borrower", [PERSON, FOREIGNER])
    def test_of_a_taker_without_a_municipality_is_missing(self, borrower: dict[str, Any]) -> None:
        assert lacks(serviceLocation="2", borrower=borrower) == {("MISSING", "borrower.address")}

    def test_is_the_municipality_that_is_told(self) -> None:
        found = territory(serviceLocation="2", serviceCityCode=BRASILIA_CODE, borrower=IN_RIO)
        assert found.service_city == BRASILIA_CODE

    def test_is_no_municipality_that_nobody_knows(self) -> None:
        assert lacks(serviceCityCode="9999999") == {("E0302", "serviceCityCode")}

    def test_is_a_country_when_it_is_abroad(self) -> None:
        found = territory(serviceCountryCode="US")
        assert (found.issuing_city, found.service_city, found.incidence_city) == (SAO_PAULO_CODE, None, None)
        assert (found.place.city_code, found.place.country_code) == (None, "US")

    def test_outside_the_municipality_is_not_the_providers_own(self) -> None:
        assert lacks(natureOfOperation="2") == {("CONTRADICTION", "serviceLocation")}
        assert territory(natureOfOperation="2", serviceCityCode=RIO_CODE).service_city == RIO_CODE


class TestIncidence:
    @pytest.mark.parametrize(
        ("service", "city"), [(LICENSING, SAO_PAULO_CODE), (CLEANING, BRASILIA_CODE), (STAFF, RIO_CODE)]
    )
    def test_is_by_the_service(self, service: str, city: str) -> None:
        found = territory(service, serviceCityCode=BRASILIA_CODE, borrower=IN_RIO)
        assert found.incidence_city == city

    def test_at_a_taker_without_a_municipality_is_unknown(self) -> None:
        assert territory(STAFF).incidence_city is None

    @pytest.mark.parametrize(("told", "is_warned"), [("0", False), ("1", True), ("2", False)])
    def test_that_is_not_the_one_told_is_warned_of(self, told: str, is_warned: bool) -> None:
        changes = {"federalServiceCode": "07.10.02", "serviceCityCode": BRASILIA_CODE}
        warnings = composed(body(municipalityOfIncidence=told, **changes)).warnings
        assert any(f"município {BRASILIA_CODE}" in warning for warning in warnings) is is_warned

    def test_at_the_place_is_warned_of_where_the_provider_is_taxed(self) -> None:
        changes = {"municipalityOfIncidence": "2", "serviceCityCode": BRASILIA_CODE, "iss": {"rate": 0}}
        (warning,) = composed(body(**changes)).warnings
        assert f"{SAO_PAULO_CODE}, e não a {BRASILIA_CODE}" in warning


class TestJurisdiction:
    def test_is_that_of_the_company_alone_where_it_taxes_the_service(self) -> None:
        assert asked().cities == (SAO_PAULO_CODE,)

    def test_is_shared_by_company_and_incidence(self) -> None:
        told = {"federalServiceCode": "07.10.02", "serviceCityCode": BRASILIA_CODE}
        assert asked(**told).cities == (SAO_PAULO_CODE, BRASILIA_CODE)

    @pytest.mark.parametrize(
        "changes",
        [{"federalServiceCode": "17.01"}, {"federalServiceCode": "42.01"}, {"serviceLocation": "2"}],
    )
    def test_is_that_of_the_company_when_service_or_place_is_not_known(self, changes: dict[str, str]) -> None:
        assert asked(NORMAL, **changes) == Jurisdiction((SAO_PAULO_CODE,))

    @pytest.mark.parametrize("by", [NORMAL, APART, EXCESS])
    def test_has_a_rate_to_ask_for_where_the_tax_is_the_citys(self, by: Company) -> None:
        found = asked(by, federalServiceCode="07.10.02", serviceCityCode=BRASILIA_CODE)
        assert (found.taxed_at, found.service_code) == (BRASILIA_CODE, "07.10.02.000")

    @pytest.mark.parametrize("by", [SIMPLES, MEI])
    def test_has_no_rate_to_ask_for_where_the_tax_is_paid_with_the_others(self, by: Company) -> None:
        assert asked(by).taxed_at is None

    def test_is_asked_for_the_rate_of_the_day_that_is_told_by_the_clock_of_the_company(self) -> None:
        assert asked(NORMAL).on is None
        assert asked(NORMAL, issueDate=EVENING_IN_ACRE).on == date(2026, 11, 14)
        assert asked(IN_ACRE, issueDate=EVENING_IN_ACRE).on == date(2026, 11, 13)

    def test_names_the_service_with_the_citys_own_digits(self) -> None:
        assert asked(NORMAL, cityServiceCode="123").service_code == "01.05.01.123"
