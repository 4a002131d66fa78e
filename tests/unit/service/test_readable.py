"""Rows that can't be read come with what is known of them."""

import pytest
import structlog

from carimbo.service.customers import CustomerBody
from carimbo.service.readable import readable


class TestReadable:
    def test_a_row_that_can_be_read_is_not_logged(self) -> None:
        with structlog.testing.capture_logs() as logs:
            assert readable("customers", "1", lambda: "whole", lambda: "known") == "whole"
        assert logs == []

    def test_the_log_names_the_fields_but_no_values(self) -> None:
        with structlog.testing.capture_logs() as logs:
            read = readable(
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

    def test_an_error_of_the_program_is_not_hidden(self) -> None:
        def build() -> str:
            raise TypeError

        with pytest.raises(TypeError):
            readable("customers", "1", build, lambda: "known")
