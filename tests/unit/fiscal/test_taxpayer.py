"""Tax ids and state registrations as people type them."""

from string import ascii_uppercase, digits

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from carimbo.fiscal.identity.tax_ids import (
    InvalidStateRegistration,
    InvalidTaxId,
    cnpj_base,
    cnpj_check_digits,
    cpf_check_digits,
    format_tax_id,
    is_cnpj,
    is_cpf,
    normalize,
    normalize_state_registration,
    parse_cnpj,
    parse_cpf,
    parse_tax_id,
)

ARABIC_INDIC = str.maketrans(digits, "٠١٢٣٤٥٦٧٨٩")
FULL_WIDTH = str.maketrans(digits, "０１２３４５６７８９")


@st.composite
def cnpjs(draw: st.DrawFn) -> str:
    first = draw(st.text(alphabet=digits + ascii_uppercase, min_size=12, max_size=12))
    assume(first != "0" * 12)
    return first + cnpj_check_digits(first)


@st.composite
def cpfs(draw: st.DrawFn) -> str:
    first = draw(st.text(alphabet=digits, min_size=9, max_size=9))
    assume(len(set(first)) > 1)
    return first + cpf_check_digits(first)


class TestNormalize:
    def test_punctuation_and_spaces_are_removed_and_letters_become_capitals(self) -> None:
        assert normalize(" 12.abc.345/01de-35 ") == "12ABC34501DE35"

    def test_characters_that_are_not_punctuation_stay(self) -> None:
        assert normalize("12#34x") == "12#34X"

    def test_leading_zeros_are_neither_added_nor_removed(self) -> None:
        assert normalize("0191") == "0191"

    @pytest.mark.parametrize("text", ["ı", "ß", "ſ", "ǆ"])
    def test_letters_outside_ascii_never_become_ascii(self, text: str) -> None:
        assert normalize(text) == text

    @given(st.text())
    def test_normalizing_twice_changes_nothing_more(self, text: str) -> None:
        assert normalize(normalize(text)) == normalize(text)


class TestCheckDigits:
    def test_letters_count_as_in_the_example_of_the_federal_revenue(self) -> None:
        assert cnpj_check_digits("12ABC34501DE") == "35"

    @pytest.mark.parametrize("cnpj", ["11222333000181", "00000000000191", "33000167000101"])
    def test_numeric_cnpjs_keep_the_digits_they_always_had(self, cnpj: str) -> None:
        assert cnpj_check_digits(cnpj[:12]) == cnpj[12:]

    @pytest.mark.parametrize("cpf", ["12345678909", "52998224725", "11144477735"])
    def test_cpf_digits_agree_with_known_numbers(self, cpf: str) -> None:
        assert cpf_check_digits(cpf[:9]) == cpf[9:]

    @pytest.mark.parametrize("first12", ["", "12ABC34501D", "12abc34501de", "12.ABC.345/0", "12ABC34501DE3"])
    def test_anything_but_twelve_normalised_characters_is_refused_for_a_cnpj(self, first12: str) -> None:
        with pytest.raises(InvalidTaxId):
            cnpj_check_digits(first12)

    @pytest.mark.parametrize("first9", ["", "12345678", "12345678A", "1234567890"])
    def test_anything_but_nine_digits_is_refused_for_a_cpf(self, first9: str) -> None:
        with pytest.raises(InvalidTaxId):
            cpf_check_digits(first9)


class TestIsCnpj:
    @pytest.mark.parametrize("cnpj", ["11222333000181", "12ABC34501DE35", "00000000000191"])
    def test_valid_cnpjs_are_accepted(self, cnpj: str) -> None:
        assert is_cnpj(cnpj)

    @pytest.mark.parametrize("cnpj", ["11222333000180", "11222333000191", "12ABC34501DE36", "12ABC34501DF35"])
    def test_cnpjs_with_wrong_check_digits_are_refused(self, cnpj: str) -> None:
        assert not is_cnpj(cnpj)

    @pytest.mark.parametrize("digit", digits)
    def test_fourteen_equal_digits_are_refused(self, digit: str) -> None:
        assert not is_cnpj(digit * 14)

    @pytest.mark.parametrize(
        "text",
        ["", "1122233300018", "11222333000181 ", "11222333000181\n", "12abc34501de35", "12ABC34501DE3A"],
    )
    def test_cnpj_outside_the_pattern_is_refused(self, text: str) -> None:
        assert not is_cnpj(text)


class TestIsCpf:
    def test_valid_cpf_is_accepted(self) -> None:
        assert is_cpf("12345678909")

    @pytest.mark.parametrize(
        "cpf", ["12345678900", "12345678919", "1234567890", "1234567890A", "12345678909\n"]
    )
    def test_cpfs_with_wrong_digits_or_lengths_are_refused(self, cpf: str) -> None:
        assert not is_cpf(cpf)

    @pytest.mark.parametrize("digit", digits)
    def test_eleven_equal_digits_are_refused_though_their_check_digits_agree(self, digit: str) -> None:
        assert not is_cpf(digit * 11)


class TestParse:
    @pytest.mark.parametrize(
        ("text", "normalized"),
        [
            ("12.ABC.345/01DE-35", "12ABC34501DE35"),
            ("12.abc.345/01de-35", "12ABC34501DE35"),
            (" 11.222.333/0001-81 ", "11222333000181"),
            ("123.456.789-09", "12345678909"),
            ("12345678909", "12345678909"),
        ],
    )
    def test_cpf_and_cnpj_are_accepted_with_and_without_punctuation(self, text: str, normalized: str) -> None:
        assert parse_tax_id(text) == normalized

    @pytest.mark.parametrize("text", ["191", "1222333000181", "", "11222333000181000"])
    def test_short_or_long_number_is_refused_and_not_padded_or_cut(self, text: str) -> None:
        with pytest.raises(InvalidTaxId):
            parse_tax_id(text)

    @pytest.mark.parametrize("table", [ARABIC_INDIC, FULL_WIDTH])
    def test_digits_of_other_scripts_are_refused(self, table: dict[int, int]) -> None:
        for number in ("12345678909", "11222333000181"):
            with pytest.raises(InvalidTaxId):
                parse_tax_id(number.translate(table))

    def test_letter_that_upper_casing_would_turn_into_ascii_is_refused(self) -> None:
        first = "12ABC345I1DE"
        number = first + cnpj_check_digits(first)
        assert parse_cnpj(number.replace("I", "i")) == number
        with pytest.raises(InvalidTaxId):
            parse_cnpj(number.replace("I", "ı"))

    def test_sharp_s_is_not_read_as_two_letters(self) -> None:
        first = "12SSC34501DE"
        number = first + cnpj_check_digits(first)
        with pytest.raises(InvalidTaxId):
            parse_cnpj(number.replace("SS", "ß"))

    def test_cpf_is_not_a_cnpj_nor_vice_versa(self) -> None:
        with pytest.raises(InvalidTaxId):
            parse_cnpj("12345678909")
        with pytest.raises(InvalidTaxId):
            parse_cpf("11222333000181")

    def test_error_does_not_reveal_the_number(self) -> None:
        with pytest.raises(InvalidTaxId) as raised:
            parse_tax_id("123.456.789-00")
        assert "123" not in str(raised.value)

    @given(st.text())
    def test_any_text_is_either_parsed_or_refused(self, text: str) -> None:
        try:
            parsed = parse_tax_id(text)
        except InvalidTaxId:
            return
        assert is_cpf(parsed) or is_cnpj(parsed)


class TestFormat:
    def test_formatted_cnpj_has_its_punctuation(self) -> None:
        assert format_tax_id("12ABC34501DE35") == "12.ABC.345/01DE-35"

    def test_formatted_cpf_has_its_punctuation(self) -> None:
        assert format_tax_id("12345678909") == "123.456.789-09"

    @pytest.mark.parametrize("text", ["", "191", "123.456.789-09", "12abc34501de35"])
    def test_text_that_is_not_normalised_is_refused(self, text: str) -> None:
        with pytest.raises(InvalidTaxId):
            format_tax_id(text)

    @given(cnpjs())
    def test_formatted_cnpj_is_parsed_back_in_upper_and_lower_case(self, cnpj: str) -> None:
        formatted = format_tax_id(cnpj)
        assert parse_tax_id(formatted) == parse_cnpj(formatted.lower()) == cnpj

    @given(cpfs())
    def test_formatted_cpf_is_parsed_back(self, cpf: str) -> None:
        assert parse_tax_id(format_tax_id(cpf)) == parse_cpf(cpf) == cpf


class TestCnpjBase:
    def test_establishments_of_one_company_share_the_base(self) -> None:
        assert cnpj_base("12ABC34501DE35") == "12ABC345"


class TestStateRegistration:
    @pytest.mark.parametrize(
        ("text", "normalized"),
        [
            ("110.042.490.114", "110042490114"),
            ("062.307904/0081", "0623079040081"),
            (" 254.168-89 ", "25416889"),
            ("P-01100424.3/002", "P011004243002"),
            ("p011004243002", "P011004243002"),
            ("isento", "ISENTO"),
            ("Isento ", "ISENTO"),
        ],
    )
    def test_punctuation_of_a_state_registration_is_removed(self, text: str, normalized: str) -> None:
        assert normalize_state_registration(text) == normalized

    @pytest.mark.parametrize(
        "text", ["", "1", "P", "P1", "123456789012345", "12A45", "12P345", "ISENTA", "١٢٣٤٥٦", "ıSENTO"]
    )
    def test_other_state_registrations_are_refused(self, text: str) -> None:
        with pytest.raises(InvalidStateRegistration):
            normalize_state_registration(text)
