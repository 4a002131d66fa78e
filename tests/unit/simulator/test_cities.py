"""The simulated parameters of cities."""

from decimal import Decimal

import pytest

from carimbo.fiscal.tables.geography import municipality_of_ibge
from carimbo.fiscal.tables.service_codes import NATIONAL_SERVICES
from carimbo.simulator.cities import city_of, iss_rates, named_cities


class TestCities:
    def test_named_cities_exist(self) -> None:
        assert all(municipality_of_ibge(city.code) for city in named_cities() if city.code)

    def test_other_cities_have_joined_the_national_system(self) -> None:
        city = city_of("1100015")
        assert (city.code, city.name) == ("1100015", "Alta Floresta D'Oeste/RO")
        assert city.has_agreement
        assert city.has_national_emitter

    @pytest.mark.parametrize(
        ("code", "has_agreement", "has_national_emitter"),
        [("3509502", True, True), ("4314902", True, False), ("5300108", False, False)],
    )
    def test_documented_cities_have_the_documented_parameters(
        self, code: str, has_agreement: bool, has_national_emitter: bool
    ) -> None:
        city = city_of(code)
        assert (city.has_agreement, city.has_national_emitter) == (has_agreement, has_national_emitter)


class TestRates:
    def test_iss_rates_are_within_the_law(self) -> None:
        rates = [Decimal(entry.rate) for entry in iss_rates() if entry.rate]
        assert all(Decimal(2) <= rate <= Decimal(5) for rate in rates)

    def test_every_service_has_a_rate_in_most_cities(self) -> None:
        assert all(city_of("3550308").rate(service) for service in NATIONAL_SERVICES)

    @pytest.mark.parametrize(
        ("city", "service", "rate"),
        [
            ("1100015", "010101", "2.00"),
            ("1100015", "110101", "5.00"),
            ("3550308", "010701", "2.90"),
            ("3550308", "010101", "2.00"),
            ("3304557", "010701", "5.00"),
            ("3509502", "080201", "3.00"),
            ("3509502", "080101", "2.00"),
        ],
    )
    def test_most_specific_rate_of_the_city_is_used(self, city: str, service: str, rate: str) -> None:
        assert city_of(city).rate(service) == Decimal(rate)

    def test_city_may_not_administer_a_service(self) -> None:
        assert city_of("3509502").rate("200101") is None
