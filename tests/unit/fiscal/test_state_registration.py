"""Check digits of state registrations, against numbers published by states and software companies."""

import pytest

from carimbo.fiscal.identity.state_registration import is_state_registration, registration_problem
from carimbo.fiscal.tables.geography import STATES

VALID = {
    "AC": ("0100482300112", "0102190200165", "0101296300289", "0101038200168"),
    "AL": ("240000048", "241065550", "248659758", "246014342"),
    "AM": ("042933684", "041330188", "050010476", "053343050"),
    "AP": ("030123459", "030380340", "030317541", "030131818", "030069381", "036029572"),
    "BA": ("12345663", "61234557", "100000306", "038343081", "77893325", "077028884", "063571830"),
    "CE": ("060000015", "063873770", "069108595", "070066515"),
    "DF": ("0730000100109", "0732709900174", "0759713000214", "0824761500136"),
    "ES": ("082376123", "082106029", "082585300", "639191444"),
    "GO": ("109876547", "103450599", "104555270", "200024825", "201050412"),
    "MA": ("120000385", "121498298", "120000130", "125247133"),
    "MG": ("0623079040081", "2615950220092", "7029855470002", "0039105610079"),
    "MS": ("280405383", "283370645", "283267089", "280000090"),
    "MT": ("00130000019", "00133337413", "00132465710"),
    "PA": ("159999995", "151925941", "152336265", "751234567"),
    "PB": ("060000015", "161435947", "160506328"),
    "PE": ("032141840", "019231024", "027693368", "18100100000049", "18171203059328", "18119003256336"),
    "PI": ("012345679", "193016567", "194549992"),
    "PR": ("1234567850", "4100161414", "9025821693", "3328889276"),
    "RJ": ("99999993", "78890169", "78724994", "85190881"),
    "RN": ("200400401", "2000400400", "200887890", "2074337760", "2010665163"),
    "RO": ("00000000625213", "00000001656554", "00000003836321"),
    "RR": ("240066281", "240061536", "240151303", "240146373"),
    "RS": ("2243658792", "0240130111", "4680001479", "8002497099"),
    "SC": ("251040852", "255830696", "253952662"),
    "SE": ("271234563", "271126973", "270622020"),
    "SP": ("110042490114", "692015742119", "645274188118"),
    "TO": ("290021014", "293799490", "29010227836", "32034106890"),
}

# Modulo 11 gives two remainders the digit 0, Roraima has weights that modulo 9 shares, and in Amapá another
# digit may mean another formula: only for some numbers is every change of a digit detected.
FIRM = {
    "AC": "0100482300112",
    "AL": "240000048",
    "AM": "041330188",
    "BA": "077028884",
    "CE": "060000015",
    "DF": "0730000100109",
    "ES": "082376123",
    "GO": "109876547",
    "MA": "120000385",
    "MG": "0623079040081",
    "MS": "280405383",
    "MT": "00130000019",
    "PA": "159999995",
    "PB": "161435947",
    "PE": "032141840",
    "PI": "012345679",
    "PR": "1234567850",
    "RJ": "78890169",
    "RN": "200400401",
    "RO": "00000001656554",
    "RS": "2243658792",
    "SC": "251040852",
    "SE": "271234563",
    "SP": "110042490114",
    "TO": "290021014",
}

PUBLISHED = [(state, number) for state, numbers in VALID.items() for number in numbers]


def with_another_digit(number: str, position: int) -> list[str]:
    others = (digit for digit in "0123456789" if digit != number[position])
    return [number[:position] + digit + number[position + 1 :] for digit in others]


class TestPublishedNumbers:
    def test_published_numbers_cover_every_state(self) -> None:
        assert VALID.keys() == STATES.keys()

    def test_published_numbers_are_valid_with_and_without_leading_zeros(self) -> None:
        wrong = [
            (state, text)
            for state, number in PUBLISHED
            # As published, without leading zeros, and with zeros up to the length of the layout.
            for text in (number, number.lstrip("0"), number.zfill(14))
            if not is_state_registration(text, state)
        ]
        assert wrong == []

    def test_published_numbers_are_invalid_with_another_last_digit(self) -> None:
        wrong = [
            (state, other)
            for state, number in PUBLISHED
            for other in with_another_digit(number, len(number) - 1)
            if is_state_registration(other, state)
        ]
        assert wrong == []

    def test_published_numbers_are_invalid_with_any_other_digit(self) -> None:
        wrong = [
            (state, other)
            for state, number in FIRM.items()
            for position in range(len(number))
            for other in with_another_digit(number, position)
            if is_state_registration(other, state)
        ]
        assert wrong == []


class TestFormulas:
    def test_formula_of_amapa_changed_twice_with_the_issued_numbers(self) -> None:
        assert is_state_registration("030170007", "AP")
        assert is_state_registration("030170011", "AP")
        assert is_state_registration("030170071", "AP")
        assert is_state_registration("030190225", "AP")
        assert is_state_registration("030190231", "AP")

    def test_formula_of_bahia_depends_on_the_second_of_nine_digits(self) -> None:
        assert is_state_registration("778514741", "BA")
        assert not is_state_registration("612345678", "BA")

    def test_formula_of_goias_allows_two_digits_for_a_remainder_of_one(self) -> None:
        assert is_state_registration("110944020", "GO")
        assert is_state_registration("110944021", "GO")
        assert is_state_registration("200245210", "GO")
        assert not is_state_registration("110944022", "GO")

    def test_formula_of_pernambuco_for_fourteen_digits_is_the_old_one(self) -> None:
        assert not is_state_registration("18100100000048", "PE")
        assert not is_state_registration("28100100000047", "PE")

    def test_old_number_of_rondonia_is_valid_with_and_without_its_municipality(self) -> None:
        assert is_state_registration("101625213", "RO")
        assert is_state_registration("625213", "RO")
        assert not is_state_registration("101625214", "RO")

    def test_unknown_type_of_an_old_taxpayer_of_tocantins_is_refused(self) -> None:
        assert not is_state_registration("29040227836", "TO")


class TestRuralProducersOfSaoPaulo:
    @pytest.mark.parametrize("number", ["P011004243002", "P045274182118", "011004243002"])
    def test_rural_producers_of_sao_paulo_have_one_check_digit(self, number: str) -> None:
        assert is_state_registration(number, "SP")

    def test_rural_producers_with_another_check_digit_are_refused(self) -> None:
        assert not is_state_registration("P011004244002", "SP")

    def test_letter_of_rural_producers_is_refused_in_other_states(self) -> None:
        assert not is_state_registration("P240000048", "AL")


class TestUnusualNumbersThatAuthoritiesAccept:
    def test_numbers_of_amazonas_that_begin_with_99_are_accepted(self) -> None:
        assert is_state_registration("990000000", "AM")

    def test_eleven_digits_are_accepted_in_santa_catarina(self) -> None:
        assert is_state_registration("12345678900", "SC")

    def test_number_of_sergipe_with_a_digit_before_the_usual_nine_is_accepted(self) -> None:
        assert is_state_registration("8271234563", "SE")


class TestInvalidRegistration:
    def test_zeros_alone_are_refused(self) -> None:
        assert [state for state in STATES if is_state_registration("00000000", state)] == []

    def test_numbers_longer_than_those_of_the_state_are_refused(self) -> None:
        numbers = [f"9{end:015}" for end in range(100)]
        taken = [
            (state, number) for state in STATES for number in numbers if is_state_registration(number, state)
        ]
        assert taken == []

    @pytest.mark.parametrize("number", ["", "P", "11004249011P", "110.042.490.114", "ISENTO", "١١٠٠٤٢٤٩٠١١٤"])
    def test_characters_other_than_digits_are_refused(self, number: str) -> None:
        assert not is_state_registration(number, "SP")

    def test_unknown_state_is_refused(self) -> None:
        assert not is_state_registration("110042490114", "EX")


class TestRegistrationProblem:
    def test_valid_number_has_no_problem(self) -> None:
        assert registration_problem("110042490114", "SP") is None

    @pytest.mark.parametrize(
        ("number", "state", "problem"),
        [
            ("11004249011", "SP", "tem 11 dígitos; a de SP tem 12"),
            ("P01100424300", "SP", "tem 11 dígitos; a de SP tem 12"),
            ("1", "RJ", "tem 1 dígito; a de RJ tem 8"),
            ("1234567", "RN", "tem 7 dígitos; a de RN tem 9 ou 10"),
            ("1234567", "TO", "tem 7 dígitos; a de TO tem 9 ou 11"),
            ("1234567890", "SC", "tem 10 dígitos; a de SC tem 9"),
        ],
    )
    def test_problem_of_a_wrong_length_names_both_lengths(
        self, number: str, state: str, problem: str
    ) -> None:
        assert registration_problem(number, state) == problem

    def test_problem_of_the_right_length_names_the_check_digits(self) -> None:
        assert registration_problem("110042490115", "SP") == "os dígitos verificadores não são os de SP"

    def test_problem_of_another_character_says_that_only_digits_are_expected(self) -> None:
        assert registration_problem("P240000048", "AL") == "a de AL só tem dígitos"
