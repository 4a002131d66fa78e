"""Values in Brazilian notation."""

from datetime import date, datetime, timedelta, timezone
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carimbo.printing import formats

NUMBERS = st.decimals(min_value=0, max_value=10**13, places=4)


def read(text: str) -> Decimal:
    """Parses a formatted number."""
    return Decimal(text.replace(".", "").replace(",", "."))


class TestNumber:
    @pytest.mark.parametrize(
        ("value", "places", "max_places", "written"),
        [
            ("0", 2, None, "0,00"),
            ("1234.5", 2, None, "1.234,50"),
            ("9999999999999.99", 2, None, "9.999.999.999.999,99"),
            ("52.25", 3, None, "52,250"),
            ("7396", 0, None, "7.396"),
            ("1.0000", 0, 4, "1"),
            ("0.0000", 0, 4, "0"),
            ("100.0000", 0, 4, "100"),
            ("1000.5000", 0, 4, "1.000,5"),
            ("0.1234", 0, 4, "0,1234"),
            ("35.9000000000", 2, 10, "35,90"),
            ("0.0000000001", 2, 10, "0,0000000001"),
            ("12.0000", 2, 4, "12,00"),
            ("1E+5", 2, None, "100.000,00"),
            ("-9.9", 2, None, "-9,90"),
        ],
    )
    def test_number_has_points_a_comma_and_the_needed_decimals(
        self, value: str, places: int, max_places: int | None, written: str
    ) -> None:
        assert formats.number(Decimal(value), places, max_places) == written

    @given(NUMBERS)
    def test_formatted_number_is_read_as_the_same_number(self, value: Decimal) -> None:
        assert read(formats.number(value, 0, 4)) == value
        assert read(formats.number(value, 2, 10)) == value

    @given(NUMBERS)
    def test_number_has_three_digits_between_points(self, value: Decimal) -> None:
        first, *rest = formats.number(value).partition(",")[0].split(".")
        assert 1 <= len(first) <= 3
        assert all(len(part) == 3 for part in rest)


class TestOptional:
    def test_missing_number_is_empty(self) -> None:
        assert formats.optional(None) == ""

    def test_integer_has_points_and_a_missing_one_is_empty(self) -> None:
        assert [formats.whole(value) for value in (None, 0, 999, 25300)] == ["", "0", "999", "25.300"]

    def test_zero_is_not_empty(self) -> None:
        assert formats.optional(Decimal(0)) == "0,00"


class TestMoment:
    MOMENT = datetime(2026, 11, 4, 9, 5, 7, tzinfo=timezone(timedelta(hours=-4)))

    def test_moment_is_date_and_time_at_the_place_of_issue(self) -> None:
        assert formats.day_and_hour(self.MOMENT) == "04/11/2026 09:05:07"

    def test_moment_is_split_into_date_and_time(self) -> None:
        assert (formats.day(self.MOMENT), formats.hour(self.MOMENT)) == ("04/11/2026", "09:05:07")

    def test_date_without_time_is_formatted(self) -> None:
        assert formats.day(date(2028, 5, 1)) == "01/05/2028"

    def test_missing_moment_is_empty(self) -> None:
        assert (formats.day(None), formats.hour(None)) == ("", "")


class TestCodes:
    @pytest.mark.parametrize(
        ("candidates", "written"),
        [
            (("11222333000181",), "11.222.333/0001-81"),
            (("12ABC34501DE35",), "12.ABC.345/01DE-35"),
            ((None, "52998224725"), "529.982.247-25"),
            ((None, None, "US-55512"), "US-55512"),
            (("", "52998224725"), "529.982.247-25"),
            ((None, None), ""),
        ],
    )
    def test_first_present_tax_id_is_formatted(
        self, candidates: tuple[str | None, ...], written: str
    ) -> None:
        assert formats.tax_id(*candidates) == written

    @pytest.mark.parametrize(
        ("digits", "written"), [("01310100", "01310-100"), (None, ""), ("", ""), ("123", "123")]
    )
    def test_zipcode_has_a_hyphen(self, digits: str | None, written: str) -> None:
        assert formats.zipcode(digits) == written

    @pytest.mark.parametrize(
        ("digits", "written"),
        [
            ("1133334444", "(11) 3333-4444"),
            ("11988887777", "(11) 98888-7777"),
            ("08001234567890", "08001234567890"),
            ("190", "190"),
            (None, ""),
        ],
    )
    def test_brazilian_phone_number_has_its_area_code_apart(self, digits: str | None, written: str) -> None:
        assert formats.phone(digits) == written

    def test_key_is_in_groups_of_four(self) -> None:
        key = "35261112ABC34501DE35550010000000011875264375"
        assert formats.key(key) == "3526 1112 ABC3 4501 DE35 5500 1000 0000 0118 7526 4375"

    @pytest.mark.parametrize(
        ("value", "written"), [(1, "000.000.001"), (1234567, "001.234.567"), (999_999_999, "999.999.999")]
    )
    def test_invoice_number_has_nine_digits(self, value: int, written: str) -> None:
        assert formats.invoice_number(value) == written
