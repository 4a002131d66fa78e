"""The reference says what the code does, and leaves nothing out."""

import re
from collections.abc import Iterator
from typing import Any

import event_reference
import pytest
import reference
import typer
from fastapi.routing import iter_route_contexts

from carimbo.cli import app as command_line
from carimbo.fiscal.field_messages import OWN_ERROR_TYPES
from carimbo.fiscal.fields import Record
from carimbo.main.api import api_of
from carimbo.service.delivery.event_names import EVENT_GROUPS, TEST
from carimbo.service.delivery.payload import CertificateData, DocumentData, EventPayload
from carimbo.service.errors import Code
from carimbo.settings import PREFIX, Settings
from carimbo.simulator.triggers import TRIGGERS
from documentation import ROOT

# Every code of the specification and of the contract.
PROMISED_CODES = {
    "AUTHORITY_REJECTED",
    "AUTHORITY_THROTTLED",
    "AUTHORITY_UNAVAILABLE",
    "CANCELLATION_DEADLINE_EXCEEDED",
    "CERTIFICATE_EXPIRED",
    "CERTIFICATE_INVALID",
    "CERTIFICATE_MISSING",
    "CERTIFICATE_PASSWORD_INVALID",
    "CERTIFICATE_TAX_ID_MISMATCH",
    "COMPANY_AMBIGUOUS",
    "COMPANY_NOT_READY",
    "DOCUMENT_LIMIT_REACHED",
    "DUPLICATE_RESOURCE",
    "FEATURE_NOT_ENABLED",
    "FISCAL_RULE_VIOLATION",
    "INVALID_API_CREDENTIALS",
    "INVALID_STATE",
    "MALFORMED_JSON",
    "MUNICIPALITY_NOT_SUPPORTED",
    "NOT_FOUND",
    "NUMBER_ALREADY_USED",
    "PAYLOAD_TOO_LARGE",
    "PERMISSION_DENIED",
    "RATE_LIMIT_EXCEEDED",
    "SALE_ALREADY_INVOICED",
    "VALIDATION_ERROR",
    "VERSION_CONFLICT",
}


def written(page: str) -> str:
    return (ROOT / "docs" / "reference" / page).read_text(encoding="utf-8")


def commands(command: Any, path: str = "carimbo") -> Iterator[tuple[str, set[str]]]:
    """Every command that does something, with the names of its options."""
    children = getattr(command, "commands", {})
    if not children:
        yield path, {name for parameter in command.params for name in parameter.opts if name.startswith("-")}
    for name, child in children.items():
        yield from commands(child, f"{path} {name}")


def routes() -> Iterator[str]:
    """Everything that the API answers; what it only tells to be no method of a path is in no contract."""
    for route in iter_route_contexts(api_of(Settings()).routes):
        for method in sorted((route.methods or set()) - {"HEAD"}):
            if route.include_in_schema or method == "GET":
                yield f"{method} {route.path}"


class TestReference:
    @pytest.mark.parametrize("name", sorted(reference.PAGES))
    def test_is_what_the_code_says(self, name: str) -> None:
        assert written(name) == reference.PAGES[name](), "run `make reference`"

    @pytest.mark.parametrize("name", sorted(Settings.model_fields))
    def test_tells_of_every_setting(self, name: str) -> None:
        assert f"| `{PREFIX}{name.upper()}` |" in written("settings.md")

    @pytest.mark.parametrize("name", sorted(code.name for code in Code))
    def test_tells_of_every_error_code(self, name: str) -> None:
        assert f"| `{name}` |" in written("errors.md")

    @pytest.mark.parametrize("route", sorted(set(routes())))
    def test_tells_of_every_route(self, route: str) -> None:
        assert f"| `{route}` |" in written("routes.md")

    @pytest.mark.parametrize("trigger", [one.sample for one in TRIGGERS])
    def test_tells_of_every_trigger(self, trigger: str) -> None:
        assert f"| `{trigger}` |" in written("triggers.md")

    @pytest.mark.parametrize(("path", "options"), sorted(commands(typer.main.get_command(command_line))))
    def test_tells_of_every_command_and_its_options(self, path: str, options: set[str]) -> None:
        told = re.search(rf"^## `{path}`\n(.*?)(?=^## |\Z)", written("commands.md"), re.MULTILINE | re.DOTALL)
        assert told
        assert {option for option in options if f"`{option}`" not in told[1]} == set()

    @pytest.mark.parametrize("name", [*(name for names in EVENT_GROUPS.values() for name in names), TEST])
    def test_tells_of_every_event(self, name: str) -> None:
        assert f"`{name}`" in written("events.md")

    @pytest.mark.parametrize("model", [EventPayload, DocumentData, CertificateData])
    def test_tells_of_every_field_of_an_event(self, model: type[Record]) -> None:
        """Neither one that has no words, nor words of one that is gone."""
        fields = model.model_json_schema(mode="serialization")["properties"]
        assert set(event_reference.FIELDS[model]) == set(fields)


class TestErrorCatalogue:
    def test_has_every_promised_code(self) -> None:
        assert {code.name for code in Code} >= PROMISED_CODES

    def test_has_a_message_of_its_own_for_each(self) -> None:
        messages = [code.message for code in Code]
        assert len(set(messages)) == len(messages)
        assert all(message.endswith(".") for message in messages)

    def test_knows_every_validation_error_that_the_code_raises(self) -> None:
        """A type that is missing in the list would reach the caller without its own words."""
        raised = set()
        for file in (ROOT / "src").rglob("*.py"):
            text = file.read_text(encoding="utf-8")
            raised |= set(re.findall(r"PydanticCustomError\(\s*\"(\w+)\"", text))
            raised |= set(re.findall(r"_checked\(\s*[\w.]+,\s*\"(\w+)\"", text))
            raised |= set(re.findall(r"_field_error\(\s*\"\w+\",\s*[\w.]+,\s*\"(\w+)\"", text))
        assert raised == OWN_ERROR_TYPES
