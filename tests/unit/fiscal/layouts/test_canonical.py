"""Single values as canonical XML: the written text equals its C14N form, or writing fails."""

import re
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from lxml import etree

from carimbo.fiscal.layouts.canonical import (
    MAX_TEXT_LENGTH,
    Unwritable,
    attribute,
    day,
    decimal,
    decimal_writer,
    lines,
    moment,
    normalize,
    text,
)

# Letters of the layouts' character set and the likeliest mistakes: escapes, blanks, combining accents.
LIKELY = st.text(alphabet=st.sampled_from("aÇ&<>\"' \t\n\r\x0b\x85\xa0\xad\u0301\u0338\u2003\u2014\u2026]"))
ANY_TEXT = st.text(alphabet=st.characters(codec=None)) | LIKELY
NUMBERS = (
    st.decimals(allow_nan=False)
    | st.decimals(min_value=-1000, max_value=1000, places=2)
    | st.decimals(min_value=0, max_value=10, places=10)
    | st.builds(
        lambda digits, power: Decimal(digits).scaleb(power), st.integers(0, 10**6), st.integers(-12, 12)
    )
)


def c14n(xml: str) -> str:
    return etree.tostring(etree.fromstring(xml.encode()), method="c14n").decode()


def refusal(value: str) -> str:
    with pytest.raises(Unwritable) as raised:
        text(value)
    return str(raised.value)


class TestText:
    @given(ANY_TEXT)
    @example("<\u0338")
    @example("]]>")
    def test_text_equals_its_c14n_form_or_is_refused(self, value: str) -> None:
        try:
            written = f"<a>{text(value)}</a>"
        except Unwritable:
            return
        assert c14n(written) == written
        assert etree.fromstring(written.encode()).text == normalize(value)

    @given(ANY_TEXT)
    def test_text_that_is_normalised_stays_the_same(self, value: str) -> None:
        try:
            once = normalize(value)
        except Unwritable:
            return
        assert normalize(once) == once

    def test_text_escapes_the_same_characters_as_c14n(self) -> None:
        assert text("a & b < c > d \"e\" 'f' ]]>") == "a &amp; b &lt; c &gt; d \"e\" 'f' ]]&gt;"

    def test_text_is_trimmed_and_runs_of_white_space_become_one_space(self) -> None:
        assert text(" \t duas \r\n\n linhas\xa0\u2003aqui\u3000") == "duas linhas aqui"

    def test_text_composes_accents_with_their_letters(self) -> None:
        assert text("Sa\u0303o Joa\u0303o") == "São João"

    def test_text_turns_typographic_characters_into_plain_ones(self) -> None:
        assert text("“A” – ‘B’ — C… • D − E‑F") == "\"A\" - 'B' - C... - D - E-F"

    @pytest.mark.parametrize(
        ("value", "named"),
        [
            ("a\x00b", "(U+0000)"),
            ("a\x1bb", "(U+001B)"),
            ("a\x7fb", "(U+007F)"),
            ("a\x9fb", "(U+009F)"),
            ("macio\xadhífen", "(U+00AD)"),
            ("\u200fdireita", "(U+200F)"),
            ("\u202edireita", "(U+202E)"),
            ("\ufeffinício", "(U+FEFF)"),
            ("zero\u200blargura", "(U+200B)"),
            ("\ud83d", "(U+D83D)"),
            ("festa 🎉", "“🎉” (U+1F389)"),
            ("€ 10", "“€” (U+20AC)"),
            ("\ufffe", "(U+FFFE)"),
        ],
    )
    def test_message_names_the_character_that_documents_cannot_have(self, value: str, named: str) -> None:
        assert refusal(value) == f"tem um caractere que o documento fiscal não aceita: {named}"

    @pytest.mark.parametrize("value", ["", " ", "\t\r\n", "\xa0\u2003"])
    def test_empty_text_is_refused(self, value: str) -> None:
        assert refusal(value) == "está vazio"

    def test_text_may_be_as_long_as_its_field(self) -> None:
        assert text("x" * 60, 60) == "x" * 60

    def test_text_is_refused_one_character_beyond_its_field(self) -> None:
        with pytest.raises(Unwritable, match=r"^tem mais de 60 caracteres$"):
            text("x" * 61, 60)

    def test_text_is_measured_before_it_is_escaped(self) -> None:
        assert text("&" * 60, 60) == "&amp;" * 60

    def test_text_is_measured_after_it_is_normalised(self) -> None:
        assert text(f"  {'x' * 60}\n", 60) == "x" * 60
        with pytest.raises(Unwritable, match=r"^tem mais de 60 caracteres$"):
            text("x" * 59 + "…", 60)

    @pytest.mark.parametrize("piece", ["x", "x ", " ", "\x00", "a\u0301", "🎉"])
    def test_text_of_ten_megabytes_is_refused_with_a_short_message(self, piece: str) -> None:
        assert len(refusal(piece * (10_000_000 // len(piece)))) < 100

    def test_text_between_megabytes_of_white_space_is_still_read(self) -> None:
        assert text(" " * 1_000_000 + "x" + "\n" * 1_000_000) == "x"

    def test_text_is_never_longer_than_the_longest_field_of_the_layouts(self) -> None:
        assert text("x" * MAX_TEXT_LENGTH) == "x" * MAX_TEXT_LENGTH
        assert refusal("x" * (MAX_TEXT_LENGTH + 1)) == f"tem mais de {MAX_TEXT_LENGTH} caracteres"


class TestLines:
    @given(ANY_TEXT)
    @example("<\u0338\n]]>")
    def test_lines_equal_their_c14n_form_or_are_refused(self, value: str) -> None:
        try:
            written = f"<a>{lines(value)}</a>"
        except Unwritable:
            return
        assert c14n(written) == written

    def test_lines_are_trimmed_one_by_one_and_empty_lines_are_dropped(self) -> None:
        assert lines("  um \t dois\r\n\n \n três & quatro\n") == "um dois\ntrês &amp; quatro"

    @pytest.mark.parametrize("nothing", ["", "\n", " \r\n\t\n"])
    def test_empty_lines_are_refused(self, nothing: str) -> None:
        with pytest.raises(Unwritable, match="vazio"):
            lines(nothing)

    def test_lines_are_measured_with_their_line_breaks(self) -> None:
        assert lines("ab\ncd", 5) == "ab\ncd"
        with pytest.raises(Unwritable, match="mais de 5"):
            lines("ab\ncde", 5)


class TestAttribute:
    @given(ANY_TEXT)
    @example("a\tb\nc")
    def test_attribute_equals_its_c14n_form_or_is_refused(self, value: str) -> None:
        try:
            written = f'<a b="{attribute(value)}"></a>'
        except Unwritable:
            return
        assert c14n(written) == written
        assert etree.fromstring(written.encode()).get("b") == normalize(value)

    def test_attribute_escapes_the_quotation_mark_and_leaves_the_bracket(self) -> None:
        assert attribute("a \"b\" & <c> 'd'") == "a &quot;b&quot; &amp; &lt;c> 'd'"

    def test_attribute_may_be_a_number(self) -> None:
        assert attribute(990) == "990"


class TestDecimal:
    @pytest.mark.parametrize(
        ("value", "written"),
        [
            ("0", "0.00"),
            ("-0", "0.00"),
            ("-0.000", "0.00"),
            ("0E+7", "0.00"),
            ("10", "10.00"),
            ("1E+3", "1000.00"),
            ("10.5", "10.50"),
            ("10.500000", "10.50"),
            ("-3.1", "-3.10"),
            ("0.01", "0.01"),
            ("9999999999999.99", "9999999999999.99"),
        ],
    )
    def test_decimal_has_as_many_places_as_its_field(self, value: str, written: str) -> None:
        assert decimal(Decimal(value), 2) == written

    def test_small_decimal_is_written_without_an_exponent(self) -> None:
        assert decimal(Decimal("1e-10"), 10) == "0.0000000001"
        assert decimal(Decimal("0e-10"), 10) == "0.0000000000"

    @pytest.mark.parametrize("value", ["0.001", "0.005", "1E-30", "9.999", "1E-999999", "123456.7891"])
    def test_decimal_is_never_rounded(self, value: str) -> None:
        with pytest.raises(Unwritable, match=r"^tem mais casas decimais do que as 2 permitidas: “"):
            decimal(Decimal(value), 2)

    @pytest.mark.parametrize(
        "value", ["1E+39", "1E+400", "1E+999999", f"-{'9' * 40}", "Infinity", "-Infinity"]
    )
    def test_decimal_too_large_for_any_field_is_refused(self, value: str) -> None:
        with pytest.raises(Unwritable, match=r"^não é um número que o documento possa levar: “"):
            decimal(Decimal(value), 2)

    def test_decimal_that_is_not_a_number_is_refused(self) -> None:
        with pytest.raises(Unwritable, match=r"^não é um número$"):
            decimal(Decimal("NaN"), 2)

    def test_decimal_of_thousands_of_digits_is_refused_with_a_short_message(self) -> None:
        with pytest.raises(Unwritable) as raised:
            decimal(Decimal("0." + "1" * 100_000), 2)
        assert len(str(raised.value)) < 150

    @given(NUMBERS, st.sampled_from([2, 3, 4, 10]))
    @example(Decimal("1.2E+5"), 4)
    @example(Decimal("1.234E+10"), 4)
    @example(Decimal("-1.25"), 2)
    @example(Decimal("-0.00"), 2)
    def test_decimal_is_written_exactly_or_refused(self, value: Decimal, places: int) -> None:
        try:
            written = decimal(value, places)
        except Unwritable:
            with pytest.raises(Unwritable):
                decimal_writer(places)(value)
            return
        assert decimal_writer(places)(value) == written
        assert Decimal(written) == value
        assert re.fullmatch(rf"-?[0-9]+[.][0-9]{{{places}}}", written)


class TestMoment:
    def test_moment_has_seconds_and_the_offset_of_its_zone(self) -> None:
        at = datetime(2026, 11, 14, 10, 0, 0, 999_999, tzinfo=timezone(timedelta(hours=-4)))
        assert moment(at) == "2026-11-14T10:00:00-04:00"

    def test_moment_of_utc_has_an_offset_too(self) -> None:
        assert moment(datetime(2026, 11, 14, 10, tzinfo=UTC)) == "2026-11-14T10:00:00+00:00"

    def test_moment_without_zone_is_refused(self) -> None:
        with pytest.raises(Unwritable, match=r"^não tem fuso horário$"):
            moment(datetime(2026, 11, 14, 10))  # noqa: DTZ001 - the value to be refused

    @pytest.mark.parametrize("hours", [5.5, -12, 13])
    def test_moment_of_a_zone_outside_the_layouts_is_refused(self, hours: float) -> None:
        with pytest.raises(Unwritable, match=r"fuso horário que não é de horas inteiras, de -11 a \+12$"):
            moment(datetime(2026, 11, 14, 10, tzinfo=timezone(timedelta(hours=hours))))

    @pytest.mark.parametrize("year", [999, 1999, 2100])
    def test_moment_of_another_century_is_refused(self, year: int) -> None:
        with pytest.raises(Unwritable, match=r"^tem um ano que não é de 2000 a 2099$"):
            moment(datetime(year, 1, 2, tzinfo=UTC))


class TestDay:
    def test_day_is_a_calendar_date(self) -> None:
        assert day(date(2026, 2, 1)) == "2026-02-01"

    @pytest.mark.parametrize("year", [1999, 2100])
    def test_day_of_another_century_is_refused(self, year: int) -> None:
        with pytest.raises(Unwritable, match=r"^tem um ano que não é de 2000 a 2099$"):
            day(date(year, 2, 1))
