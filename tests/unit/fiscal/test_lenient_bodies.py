"""Unambiguous values are accepted in every body: blanks, numbers instead of codes, dotted codes."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

import carimbo.api.app  # noqa: F401 - loads every body that the API takes
from carimbo.fiscal.body.date_fields import IsoDay, LocalMoment
from carimbo.fiscal.body.fields import Body, Changes, Cnpj, Integer, TaxId, Text, Zipcode
from carimbo.fiscal.body.messages import FORMS, json_path
from carimbo.fiscal.body.reading import code_of_number, reading_of
from carimbo.fiscal.documents.cte.request import CteRequest
from carimbo.fiscal.documents.cteos.request import CteOsRequest
from carimbo.fiscal.documents.nfce.request import NfceRequest
from carimbo.fiscal.documents.nfe.request import NfeRequest
from carimbo.fiscal.documents.nfse.request import NfseRequest
from carimbo.fiscal.local_time import moment_of

EXAMPLES = Path(__file__).parents[3] / "examples"
REQUESTS: dict[str, type[Body]] = {
    "nfe": NfeRequest,
    "nfce": NfceRequest,
    "nfse": NfseRequest,
    "cte": CteRequest,
    "cteOs": CteOsRequest,
}
ABSENT = object()
NOW = datetime(2026, 11, 14, 15, 30, tzinfo=UTC)


class Settings(Changes):
    note: Text | None = None
    series: Integer = 1


def outcome(request: type[Body], body: Any) -> Any:
    """Returns the fields of a valid body, or the places and kinds of its errors."""
    try:
        return request.model_validate(body).model_dump(exclude_unset=True)
    except ValidationError as invalid:
        return {(json_path(error["loc"]), error["type"]) for error in invalid.errors()}


def fields_in(value: Any, place: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Yields the places of all fields of a JSON value, at any depth."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, part in parts:
        if isinstance(value, dict):
            yield (*place, step)
        yield from fields_in(part, (*place, step))


def with_value(text: str, place: tuple[str | int, ...], value: Any) -> Any:
    """Returns a body with another value in one field; without the field for `ABSENT`."""
    body = holder = json.loads(text)
    for step in place[:-1]:
        holder = holder[step]
    if value is ABSENT:
        del holder[place[-1]]
    else:
        holder[place[-1]] = value
    return body


def bodies_in(body: type[Body]) -> Iterator[type[Body]]:
    """Yields every subclass of a class of bodies."""
    for inner in body.__subclasses__():
        yield inner
        yield from bodies_in(inner)


class TestBlankFields:
    @pytest.mark.parametrize("document_type", REQUESTS)
    def test_blank_fields_equal_absent_fields_wherever_they_are(self, document_type: str) -> None:
        compared = set()
        for path in sorted((EXAMPLES / document_type).glob("*.json")):
            text = path.read_text()
            for place in fields_in(json.loads(text)):
                name = tuple(step for step in place if isinstance(step, str))
                if name in compared:
                    continue
                compared.add(name)
                expected = outcome(REQUESTS[document_type], with_value(text, place, ABSENT))
                assert outcome(REQUESTS[document_type], with_value(text, place, None)) == expected, (
                    path,
                    name,
                )
                assert outcome(REQUESTS[document_type], with_value(text, place, "  ")) == expected, (
                    path,
                    name,
                )
        assert len(compared) > 20

    @pytest.mark.parametrize("blank", [None, "", " "])
    def test_blank_fields_of_changes_clear_optional_fields_and_leave_the_rest(
        self, blank: str | None
    ) -> None:
        changes = Settings.model_validate({"note": blank, "series": blank})
        assert changes.model_dump(exclude_unset=True) == {"note": None}


class TestNumbersForCodes:
    @pytest.mark.parametrize(
        ("field", "number", "code"),
        [
            ("ncm", 69120000, "69120000"),
            ("ncm", 1012100, "01012100"),
            ("cfop", 5102, "5102"),
            ("origin", 0, "0"),
            ("gtin", 7891000315507, "7891000315507"),
            ("sku", 1001, "1001"),
        ],
    )
    def test_numbers_for_item_codes_get_their_leading_zeros(self, field: str, number: int, code: str) -> None:
        item = {"description": "Caneca", "quantity": 1, "unitValue": 1, field: number}
        request = NfeRequest.model_validate(
            {"items": [item], "recipient": {"taxId": "52998224725", "name": "Maria"}}
        )
        assert request.items[0].model_dump(by_alias=True)[field] == code

    def test_numbers_are_accepted_as_tax_ids_and_zipcodes(self) -> None:
        class Place(Body):
            tax_id: Cnpj
            zipcode: Zipcode

        place = Place.model_validate({"taxId": 11222333000181, "zipcode": 1310100})
        assert (place.tax_id, place.zipcode) == ("11222333000181", "01310100")

    def test_numbers_are_accepted_in_groups_of_the_layout(self) -> None:
        billing = {"installments": [{"number": 1, "dueDate": "2026-12-01", "amount": 71.8}]}
        body = json.loads((EXAMPLES / "nfe/minimal.json").read_text()) | {"billing": billing}
        request = NfeRequest.model_validate(body)
        assert request.billing
        assert request.billing.installments[0].number == "1"

    @pytest.mark.parametrize(
        ("number", "tax_id"),
        [(7148814065, "07148814065"), (11222333000181, "11222333000181")],
    )
    def test_numbers_for_tax_ids_get_the_zeros_that_make_one_valid_id(self, number: int, tax_id: str) -> None:
        class Party(Body):
            tax_id: TaxId

        assert Party.model_validate({"taxId": number}).tax_id == tax_id
        assert outcome(Party, {"taxId": 191}) == {("taxId", "tax_id")}

    def test_numbers_for_codes_with_several_forms_get_one_zero_at_most(self) -> None:
        pattern = r"^[0-9]{1,2}\.[0-9]{2}$|^[0-9]{6}$"
        assert code_of_number(10501, pattern) == "010501"
        assert code_of_number(105, pattern) == 105

    @pytest.mark.parametrize("value", [1.5, True, -1, 10**30])
    def test_other_numbers_are_refused_as_codes(self, value: object) -> None:
        body = json.loads((EXAMPLES / "nfe/minimal.json").read_text()) | {"cfop": value}
        assert outcome(NfeRequest, body) == {("cfop", "string_type")}


class TestDottedCodes:
    def test_dotted_codes_are_accepted_and_written_plain(self) -> None:
        dotted = {"ncm": "6912.00.00", "cest": "21.046.00", "cfop": "5.102"}
        body = json.loads((EXAMPLES / "nfe/minimal.json").read_text())
        item = NfeRequest.model_validate({**body, "items": [body["items"][0] | dotted]}).items[0]
        assert (item.ncm, item.cest, item.cfop) == ("69120000", "2104600", "5102")


class TestLocalTimes:
    @pytest.mark.parametrize(
        ("value", "moment"),
        [
            ("2026-11-13T10:00:00", "2026-11-13T10:00:00-05:00"),
            ("2026-11-13T10:00:00-03:00", "2026-11-13T10:00:00-03:00"),
            ("2026-11-13", "2026-11-13T00:00:00-05:00"),
            ("2026-11-14", "2026-11-14T15:30:00+00:00"),
        ],
    )
    def test_local_times_are_by_the_clock_of_the_companys_state(self, value: str, moment: str) -> None:
        class Sale(Body):
            issue_date: IsoDay

        given = Sale.model_validate({"issueDate": value}).issue_date
        assert moment_of(given, "AC", NOW) == datetime.fromisoformat(moment)

    @pytest.mark.parametrize(
        ("kind", "value", "message"),
        [
            (IsoDay, "14/11/2026", "Deve ser uma data (AAAA-MM-DD) ou data e hora no formato ISO 8601."),
            (
                LocalMoment,
                "14/11/2026",
                "Deve ter data e hora no formato ISO 8601, por exemplo 2026-11-14T10:00:00-03:00.",
            ),
        ],
    )
    def test_unreadable_time_is_refused_with_every_accepted_form(
        self, kind: Any, value: str, message: str
    ) -> None:
        with pytest.raises(ValidationError) as refused:
            TypeAdapter(kind).validate_python(value)
        assert refused.value.errors()[0]["msg"] == message


class TestForms:
    def test_every_code_pattern_has_a_description_of_its_form(self) -> None:
        patterns = {
            pattern
            for body in bodies_in(Body)
            for pattern in reading_of(body, clears=False).patterns.values()
        }
        assert patterns - FORMS.keys() == set()
