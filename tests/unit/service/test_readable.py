"""Rows that cannot be read completely are shown with their readable fields."""

from typing import Annotated, Any

import pytest
import structlog

from carimbo.fiscal.body.fields import AS_STORED, Body, Record, Text
from carimbo.fiscal.environment import Environment
from carimbo.service.catalog.customers import CustomerBody
from carimbo.service.stored_records import readable_fields, readable_record, record_or_partial


class TestReadable:
    def test_a_row_that_can_be_read_is_not_logged(self) -> None:
        with structlog.testing.capture_logs() as logs:
            assert record_or_partial("customers", "1", lambda: "whole", lambda: "known") == "whole"
        assert logs == []

    def test_the_log_names_the_fields_but_no_values(self) -> None:
        with structlog.testing.capture_logs() as logs:
            read = record_or_partial(
                "customers",
                "1",
                lambda: CustomerBody.model_validate({"name": "Maria da Silva", "email": "maria"}),
                lambda: None,
            )
        assert read is None
        (line,) = logs
        assert (line["event"], line["table"], line["id"]) == ("row_unreadable", "customers", "1")
        assert line["fields"] == ["email"]
        assert "maria" not in str(line)

    @pytest.mark.parametrize("error", [ValueError, KeyError, TypeError, AttributeError])
    def test_a_value_of_an_unexpected_form_does_not_hide_the_rest_of_a_row(
        self, error: type[Exception]
    ) -> None:
        def build() -> str:
            raise error

        assert record_or_partial("customers", "1", build, lambda: "known") == "known"


class Stored(Body):
    name: Text = ""
    lines: tuple[int, ...] = ()
    inner: "Stored | None" = None


class TestReadableFields:
    @pytest.mark.parametrize(
        ("stored", "values", "invalid", "unknown"),
        [
            ({"name": "Ana"}, {"name": "Ana"}, (), ()),
            ({"name": "Ana", "old": 1}, {"name": "Ana"}, (), ("old",)),
            ({"name": 5, "lines": [1]}, {"lines": [1]}, ("name",), ()),
            ({"name": "Ana", "lines": [1, "x"]}, {"name": "Ana"}, ("lines",), ()),
            ({"inner": {"name": "Ana", "old": 1}}, {"inner": {"name": "Ana"}}, (), ("inner.old",)),
            ({"inner": "x", "old": {}}, {}, ("inner",), ("old",)),
        ],
    )
    def test_only_the_fields_that_can_not_be_read_are_left_out(
        self,
        stored: dict[str, Any],
        values: dict[str, Any],
        invalid: tuple[str, ...],
        unknown: tuple[str, ...],
    ) -> None:
        read = readable_fields("companies", "1", Stored, stored)
        assert (read.values, read.invalid, read.unknown) == (values, invalid, unknown)
        assert read.model == Stored.model_validate(values)


class Shown(Record):
    id: int
    type: Annotated[Environment, AS_STORED]
    status: Environment | None


class TestReadableRecord:
    @pytest.mark.parametrize(
        ("values", "shown"),
        [
            ({"type": "production", "status": "zz"}, {"type": "production", "status": None}),
            ({"type": "zz", "status": "production"}, {"type": "zz", "status": "production"}),
        ],
    )
    def test_unreadable_value_is_null_or_as_it_is_stored(
        self, values: dict[str, Any], shown: dict[str, Any]
    ) -> None:
        record = readable_record("documents", "1", Shown, {"id": 1} | values)
        assert record.model_dump(mode="json") == {"id": 1} | shown
