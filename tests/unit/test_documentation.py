"""The documentation says what the code does, and the code keeps its own rules."""

import ast
import re
from pathlib import Path

import event_reference
import pytest
import reference

from carimbo.fiscal.field_messages import OWN_ERROR_TYPES
from carimbo.fiscal.fields import Record
from carimbo.service.delivery.event_names import EVENT_GROUPS, TEST
from carimbo.service.delivery.payload import CertificateData, DocumentData, EventPayload
from carimbo.service.errors import Code

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "src").rglob("*.py"))
PYTHON_FILES = [*SOURCES, *sorted((ROOT / "tests").rglob("*.py")), *sorted((ROOT / "scripts").rglob("*.py"))]
LONGEST_FILE = 500
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


class TestReference:
    @pytest.mark.parametrize(
        "name",
        ["settings.md", "errors.md", "commands.md", "events.md", "triggers.md", "simulator-control.md"],
    )
    def test_is_what_the_code_says(self, name: str) -> None:
        written = (ROOT / "docs" / "reference" / name).read_text(encoding="utf-8")
        assert written == reference.PAGES[name](), "run `make reference`"

    @pytest.mark.parametrize("name", [*(name for names in EVENT_GROUPS.values() for name in names), TEST])
    def test_tells_of_every_event(self, name: str) -> None:
        assert f"`{name}`" in (ROOT / "docs" / "reference" / "events.md").read_text(encoding="utf-8")

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
        for file in SOURCES:
            text = file.read_text(encoding="utf-8")
            raised |= set(re.findall(r"PydanticCustomError\(\s*\"(\w+)\"", text))
            raised |= set(re.findall(r"_checked\(\s*[\w.]+,\s*\"(\w+)\"", text))
            raised |= set(re.findall(r"_field_error\(\s*\"\w+\",\s*[\w.]+,\s*\"(\w+)\"", text))
        assert raised == OWN_ERROR_TYPES


class TestSourceTree:
    @pytest.mark.parametrize("file", PYTHON_FILES, ids=lambda file: str(file.relative_to(ROOT)))
    def test_files_are_short(self, file: Path) -> None:
        assert file.read_text(encoding="utf-8").count("\n") <= LONGEST_FILE

    @pytest.mark.parametrize("file", SOURCES, ids=lambda file: str(file.relative_to(ROOT)))
    def test_modules_say_what_they_are(self, file: Path) -> None:
        assert ast.get_docstring(ast.parse(file.read_text(encoding="utf-8")))

    def test_only_the_settings_read_the_environment(self) -> None:
        readers = [
            f"{file.parent.name}/{file.name}"
            for file in SOURCES
            if re.search(r"\benviron\b|getenv", file.read_text("utf-8"))
        ]
        assert readers == ["settings/loading.py"]

    def test_document_types_are_asked_for_by_name_in_no_other_place(self) -> None:
        outside = [file for file in SOURCES if "documents" not in file.parts and file.parent.name != "demo"]
        named = re.compile(r"==\s*\"(nfe|nfce|nfse|cte|cteOs|mdfe)\"")
        assert [file.name for file in outside if named.search(file.read_text("utf-8"))] == []


class TestLinks:
    PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])

    @pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
    def test_between_pages_lead_somewhere(self, page: Path) -> None:
        links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
        assert [link for link in links if not (page.parent / link).exists()] == []
