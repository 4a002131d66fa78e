"""States and municipalities, found by the names that people and documents use."""

import dataclasses
from collections import Counter
from collections.abc import Callable
from zoneinfo import ZoneInfo

import pytest

from carimbo.fiscal.tables.geography import (
    FORMER_NAMES,
    STATES,
    Municipality,
    Region,
    State,
    find_municipality,
    municipalities,
    municipality_of_ibge,
    state_of_ibge,
)

SAO_PAULO = Municipality("3550308", "São Paulo", "SP")
# Codes that IBGE gave with a wrong check digit, and kept.
ODD_CODES = {
    "2201919",
    "2201988",
    "2202251",
    "2611533",
    "3117836",
    "3152131",
    "4305871",
    "5203939",
    "5203962",
}


def check_digit(code: str) -> str:
    """Returns the check digit of an IBGE code: weights 1 and 2 in turn, the digits of each product summed."""
    products = [int(digit) * (1 + place % 2) for place, digit in enumerate(code[:6])]
    return str(-sum(product // 10 + product % 10 for product in products) % 10)


class TestStates:
    def test_there_are_27_states_with_distinct_codes_and_names(self) -> None:
        assert len(STATES) == 27
        assert len({state.ibge for state in STATES.values()}) == 27
        assert len({state.name for state in STATES.values()}) == 27

    def test_each_state_is_found_by_its_letters_and_its_digits(self) -> None:
        for letters, state in STATES.items():
            assert state.code == letters
            assert state_of_ibge(state.ibge) is state

    def test_unknown_code_of_a_state_is_not_found(self) -> None:
        assert state_of_ibge("99") is None

    def test_each_state_has_a_time_zone_and_a_region(self) -> None:
        assert (STATES["SP"].ibge, STATES["SP"].region) == ("35", Region.SOUTHEAST)
        assert (STATES["AC"].zone, STATES["AC"].region) == ("America/Rio_Branco", Region.NORTH)
        assert Counter(state.region for state in STATES.values()) == {
            "N": 7,
            "NE": 9,
            "CO": 4,
            "SE": 4,
            "S": 3,
        }
        assert all(ZoneInfo(state.zone) for state in STATES.values())

    def test_table_of_states_is_immutable(self) -> None:
        with pytest.raises(TypeError):
            STATES["XX"] = State("XX", "99", "Nenhum", "America/Sao_Paulo", Region.SOUTH)  # type: ignore[index]
        with pytest.raises(dataclasses.FrozenInstanceError):
            STATES["SP"].name = "Outro"  # type: ignore[misc]


class TestTable:
    def test_table_has_every_municipality_the_federal_district_and_fernando_de_noronha(self) -> None:
        assert len(municipalities()) == 5571
        assert municipality_of_ibge("5300108") == Municipality("5300108", "Brasília", "DF")
        assert municipality_of_ibge("2605459") == Municipality("2605459", "Fernando de Noronha", "PE")
        assert municipality_of_ibge("5101837") == Municipality("5101837", "Boa Esperança do Norte", "MT")

    def test_codes_of_municipalities_are_seven_digits_distinct_and_in_order(self) -> None:
        codes = [m.ibge for m in municipalities()]
        assert codes == sorted(set(codes))
        assert all(len(code) == 7 and code.isascii() and code.isdigit() for code in codes)

    def test_every_code_but_the_listed_ones_ends_with_its_check_digit(self) -> None:
        assert {m.ibge for m in municipalities() if m.ibge[6] != check_digit(m.ibge)} == ODD_CODES

    def test_every_code_begins_with_the_digits_of_its_state(self) -> None:
        assert all(m.ibge.startswith(STATES[m.state].ibge) for m in municipalities())

    def test_every_state_has_as_many_municipalities_as_ibge_counts(self) -> None:
        counts = Counter(m.state for m in municipalities())
        assert set(counts) == set(STATES)
        assert (counts["MG"], counts["SP"], counts["RS"], counts["MT"]) == (853, 645, 497, 142)
        assert (counts["RR"], counts["AP"], counts["DF"]) == (15, 16, 1)

    def test_names_of_municipalities_are_tidy(self) -> None:
        assert all(m.name == " ".join(m.name.split()) and m.name[0].isupper() for m in municipalities())


class TestMunicipalityOfIbge:
    def test_code_finds_its_municipality(self) -> None:
        assert municipality_of_ibge("3550308") == SAO_PAULO

    @pytest.mark.parametrize("code", ["", "355030", "9999999", "São Paulo"])
    def test_unknown_code_of_a_municipality_is_not_found(self, code: str) -> None:
        assert municipality_of_ibge(code) is None


class TestFindMunicipality:
    @pytest.mark.parametrize(
        "name", ["São Paulo", "SAO PAULO", "são  paulo", " Sa\u0303o Paulo ", "SÃO\u00a0PAULO"]
    )
    def test_accents_case_and_spaces_are_ignored(self, name: str) -> None:
        assert find_municipality(name, "SP") == find_municipality(name, "sp") == SAO_PAULO

    @pytest.mark.parametrize(
        "name",
        [
            "Alta Floresta D'Oeste",
            "Alta Floresta D’Oeste",
            "Alta Floresta D‘Oeste",
            "Alta Floresta D`Oeste",
            "Alta Floresta D´Oeste",
            "alta floresta doeste",
            "Alta Floresta d Oeste",
            "ALTA FLORESTA D' OESTE",
        ],
    )
    def test_names_match_with_any_apostrophe_or_none(self, name: str) -> None:
        municipality = find_municipality(name, "RO")
        assert municipality is not None
        assert municipality.ibge == "1100015"

    @pytest.mark.parametrize(
        ("name", "state", "ibge"),
        [
            ("Ji Paraná", "RO", "1100122"),
            ("JI–PARANA", "RO", "1100122"),
            ("Mogi-Mirim", "SP", "3530805"),
            ("Olhos d'Agua", "MG", "3145455"),
            ("Santana do Livramento", "RS", "4317103"),
        ],
    )
    def test_names_match_with_hyphens_or_spaces(self, name: str, state: str, ibge: str) -> None:
        municipality = find_municipality(name, state)
        assert municipality is not None
        assert municipality.ibge == ibge

    def test_state_distinguishes_municipalities_with_the_same_name(self) -> None:
        namesakes = [find_municipality("Bom Jesus", state) for state in ("PB", "PI", "RN", "RS", "SC")]
        assert [m.state for m in namesakes if m] == ["PB", "PI", "RN", "RS", "SC"]

    @pytest.mark.parametrize(
        ("name", "state"),
        [
            ("São Paulo", "RJ"),
            ("São Paulo", ""),
            ("", "SP"),
            ("-", "SP"),
            ("São Paulo/SP", "SP"),
            ("São", "SP"),
        ],
    )
    def test_name_that_is_not_in_the_state_is_not_found(self, name: str, state: str) -> None:
        assert find_municipality(name, state) is None

    @pytest.mark.parametrize("spelling", [str, str.upper, str.lower, str.title])
    def test_no_two_municipalities_of_a_state_are_confused(self, spelling: Callable[[str], str]) -> None:
        assert all(find_municipality(spelling(m.name), m.state) is m for m in municipalities())


class TestFormerNames:
    @pytest.mark.parametrize(("state", "former"), FORMER_NAMES)
    def test_former_name_finds_the_municipality_of_today(self, state: str, former: str) -> None:
        municipality = find_municipality(former, state)
        assert municipality is not None
        assert (municipality.state, municipality.name) == (state, FORMER_NAMES[state, former])
