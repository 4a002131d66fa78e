"""Addresses of parties: complete or not, in Brazil or abroad, and shown as they were stored."""

from typing import Any, ClassVar

import pytest
from pydantic import TypeAdapter, ValidationError

from carimbo.fiscal.parties.party_address import (
    AnyAddress,
    AnyAddressRecord,
    completed_address,
    filled_address,
)
from unit.fiscal.goods.support import misformed

BODY: TypeAdapter[Any] = TypeAdapter(AnyAddress)
RECORD: TypeAdapter[Any] = TypeAdapter(AnyAddressRecord)
SAO_PAULO = {"state": "SP", "cityCode": "3550308", "city": "São Paulo"}


def kept(**address: Any) -> dict[str, Any]:
    """Returns the fields that are stored of an address."""
    return dict(BODY.validate_python(address).model_dump(by_alias=True, exclude_none=True))


def refused(**address: Any) -> dict[str, str]:
    with pytest.raises(ValidationError) as raised:
        BODY.validate_python(address)
    return misformed(raised.value)


class TestPartialAddress:
    @pytest.mark.parametrize(
        "address",
        [{}, {"zipcode": "01310100"}, {"street": "Rua A"}, {"state": "SP"}, {"city": "São Paulo"}],
    )
    def test_any_field_may_be_missing(self, address: dict[str, str]) -> None:
        assert kept(**address) == address

    @pytest.mark.parametrize("field", ["street", "number", "district", "city", "region", "postalCode"])
    def test_any_field_of_an_address_abroad_may_be_missing(self, field: str) -> None:
        assert kept(countryCode="US", **{field: "5"}) == {"countryCode": "US", field: "5"}

    def test_city_and_state_come_from_the_ibge_code(self) -> None:
        assert kept(cityCode="3550308") == SAO_PAULO
        assert kept(cityCode="3550308", city="sao paulo") == SAO_PAULO | {"city": "sao paulo"}

    @pytest.mark.parametrize(
        ("address", "field"),
        [
            ({"zipcode": "0131010"}, "zipcode"),
            ({"state": "XX"}, "state"),
            ({"cityCode": "9999999"}, "cityCode"),
            ({"state": "RJ", "cityCode": "3550308"}, "cityCode"),
            ({"state": "RJ", "city": "São Paulo"}, "city"),
            ({"cityCode": "3550308", "city": "Campinas"}, "city"),
            ({"countryCode": "US", "state": "NY"}, "state"),
        ],
    )
    def test_wrong_field_is_refused_whatever_is_missing(self, address: dict[str, str], field: str) -> None:
        assert refused(**address).keys() == {field}


class TestBlanksOfTheOtherForm:
    @pytest.mark.parametrize("blank", [None, "", " "])
    def test_blank_fields_of_an_address_abroad_count_as_absent_in_brazil(self, blank: str | None) -> None:
        blanks = dict.fromkeys(("countryCode", "region", "postalCode"), blank)
        assert kept(**SAO_PAULO, **blanks) == SAO_PAULO

    @pytest.mark.parametrize("blank", [None, "", " "])
    def test_blank_fields_of_an_address_in_brazil_count_as_absent_abroad(self, blank: str | None) -> None:
        abroad = {"countryCode": "US", "city": "New York"}
        assert kept(**abroad, **dict.fromkeys(("zipcode", "state", "cityCode"), blank)) == abroad

    @pytest.mark.parametrize("address", [{"region": "NY"}, {"countryCode": "US", "zipcode": "10118"}])
    def test_filled_field_of_the_other_form_is_refused(self, address: dict[str, str]) -> None:
        (field,) = address.keys() - {"countryCode"}
        assert refused(**address) == {field: "Campo desconhecido."}

    def test_blank_field_of_no_form_is_refused(self) -> None:
        assert refused(bairro=None) == {"bairro": "Campo desconhecido."}


class TestCountryCode:
    @pytest.mark.parametrize("code", ["BR", "br", "1058", 1058, "01058"])
    def test_code_of_brazil_means_the_national_form(self, code: str | int) -> None:
        assert kept(countryCode=code, zipcode="01310-100") == {"countryCode": "BR", "zipcode": "01310100"}

    @pytest.mark.parametrize(
        ("code", "letters"),
        [
            ("US", "US"),
            ("us", "US"),
            ("2496", "US"),
            (2496, "US"),
            ("0132", "AF"),
            ("132", "AF"),
            (132, "AF"),
        ],
    )
    def test_country_is_stored_by_its_letters(self, code: str | int, letters: str) -> None:
        assert kept(countryCode=code) == {"countryCode": letters}

    @pytest.mark.parametrize("code", ["USA", "XX", "9999", 0, "²"])
    def test_unknown_country_is_refused(self, code: str | int) -> None:
        message = "País desconhecido: informe as duas letras (US) ou o código do Banco Central (2496)."
        assert refused(countryCode=code) == {"countryCode": message}

    @pytest.mark.parametrize("code", [True, 1.5, ["US"]])
    def test_code_of_another_json_type_is_refused(self, code: Any) -> None:
        assert refused(countryCode=code) == {"countryCode": "Deve ser um texto."}


class TestFilledAddress:
    WHOLE: ClassVar = {"zipcode": "01310100", "street": "Avenida Paulista", "number": "1000", **SAO_PAULO}

    def test_missing_lines_come_from_another_address_of_the_same_place(self) -> None:
        partial = {"zipcode": "01310100", "city": "SÃO PAULO"}
        assert filled_address(partial, self.WHOLE) == self.WHOLE | {"city": "SÃO PAULO"}

    @pytest.mark.parametrize("partial", [{"zipcode": "01001000"}, {"number": "9"}, {"countryCode": "US"}])
    def test_addresses_of_two_places_are_not_mixed(self, partial: dict[str, str]) -> None:
        assert filled_address(partial, self.WHOLE) == partial

    def test_complement_of_another_address_is_not_added_to_a_whole_one(self) -> None:
        assert filled_address(self.WHOLE, self.WHOLE | {"complement": "Sala 12"}) == self.WHOLE

    @pytest.mark.parametrize("partial", [{}, None])
    def test_address_without_any_line_is_replaced(self, partial: dict[str, str] | None) -> None:
        assert filled_address(partial, self.WHOLE) == self.WHOLE


class TestCompletedAddress:
    def test_municipality_comes_from_the_lines_of_both(self) -> None:
        campinas = {"city": "Campinas", "state": "SP", "cityCode": "3509502"}
        assert completed_address({"state": "SP"}, {"city": "Campinas"}) == campinas
        assert completed_address({"city": "Campinas"}, {"state": "SP"}) == campinas

    @pytest.mark.parametrize(
        ("own", "other"),
        [
            ({"state": "RJ"}, {"city": "Campinas"}),
            ({"zipcode": "01310100"}, {"street": 5}),
            ({"countryCode": "US", "city": "New York"}, {"countryCode": "US", "region": "N" * 61}),
        ],
        ids=["another state", "unreadable", "unreadable abroad"],
    )
    def test_lines_that_do_not_fit_together_are_not_mixed(
        self, own: dict[str, str], other: dict[str, Any]
    ) -> None:
        assert completed_address(own, other) == own

    def test_stored_address_without_new_data_stays_as_it_is(self) -> None:
        """Tables change: an address that was valid once is not lost because it would be refused today."""
        stored = {"city": "Município extinto", "state": "SP"}
        assert completed_address(stored, None) == completed_address({}, stored) == stored


class TestRecord:
    @pytest.mark.parametrize("stored", [{}, {"zipcode": "01310100"}, {"countryCode": "US"}])
    def test_unknown_fields_are_shown_as_null(self, stored: dict[str, str]) -> None:
        shown = RECORD.dump_python(RECORD.validate_python(stored), by_alias=True)
        filled = {name: value for name, value in shown.items() if value is not None}
        assert filled == (stored if "zipcode" not in stored else {"zipcode": "01310-100"})
        assert {"street", "number", "district", "city"} <= shown.keys()
