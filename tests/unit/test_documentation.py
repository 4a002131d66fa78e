"""The documentation says what the code does, leaves nothing out, and names only what exists."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any

import event_reference
import pytest
import reference
import typer
from fastapi.routing import iter_route_contexts
from reference import walk_commands
from routes_reference import documented_app
from typer.core import TyperGroup

from carimbo.cli import app as command_line
from carimbo.fiscal.body.messages import OWN_ERROR_TYPES
from carimbo.service.delivery.event_names import EVENT_GROUPS, TEST
from carimbo.service.delivery.payload import CertificateData, DocumentData, EventPayload
from carimbo.service.errors import ErrorCode
from carimbo.settings import PREFIX, Settings
from carimbo.simulator.program.triggers import TRIGGERS
from documentation import INDEX, ROOT, anchors_of, links_of, pages_behind

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
DEPLOYED = [
    ROOT / "Containerfile",
    ROOT / "compose.yaml",
    *sorted(file for file in (ROOT / "deploy").rglob("*") if file.is_file()),
]
ARCHITECTURE = ROOT / "ARCHITECTURE.md"
# Pages that name files of the code.
ABOUT_THE_CODE = (
    ARCHITECTURE,
    ROOT / "docs" / "howto" / "add-a-type.md",
    ROOT / "docs" / "explanation" / "state-machine.md",
    ROOT / "docs" / "explanation" / "lost-answers.md",
)
# A file by its name or its last parts, or a folder that is named with its parent.
NAMED_FILE = re.compile(r"`((?:[\w.-]+/)*[\w-]+\.(?:py|sql|csv|md|toml|json)|[\w-]+(?:/[\w-]+)+)`")
FOLDERS = ("src", "tests", "scripts", "benchmarks", "docs", "examples")
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


def text_of(page: str) -> str:
    return (ROOT / "docs" / "reference" / page).read_text(encoding="utf-8")


def faults(files: list[Path], faults_in: Callable[[Path], list[Any]]) -> dict[str, list[Any]]:
    """Returns what is wrong in each of the files, by its path."""
    return {str(file.relative_to(ROOT)): wrong for file in files if (wrong := faults_in(file))}


def commands() -> Iterator[tuple[str, set[str]]]:
    """Yields every command but groups, with the names of its options."""
    for path, command in walk_commands(typer.main.get_command(command_line)):
        if not isinstance(command, TyperGroup):
            names = {name for parameter in command.params for name in parameter.opts}
            yield path, {name for name in names if name.startswith("-")}


def routes() -> Iterator[str]:
    """Yields every route, without the handlers that only refuse a method of a path."""
    for route in iter_route_contexts(documented_app().routes):
        for method in sorted((route.methods or set()) - {"HEAD"}):
            if route.include_in_schema or (method == "GET" and not str(route.path).startswith("/v1/")):
                yield f"{method} {route.path}"


class TestReference:
    @pytest.mark.parametrize("name", sorted(reference.PAGES))
    def test_reference_page_matches_the_code(self, name: str) -> None:
        assert text_of(name) == reference.PAGES[name](), "run `make reference`"

    def test_reference_page_has_a_row_for_everything_of_its_subject(self) -> None:
        subjects = {
            "settings.md": [f"{PREFIX}{name.upper()}" for name in Settings.model_fields],
            "errors.md": [code.name for code in ErrorCode],
            "routes.md": sorted(set(routes())),
            "triggers.md": [trigger.sample for trigger in TRIGGERS],
        }
        assert all(subjects.values())
        rows = [(page, f"| `{name}` |") for page, names in subjects.items() for name in names]
        texts = {page: text_of(page) for page in subjects}
        assert [(page, row) for page, row in rows if row not in texts[page]] == []

    def test_reference_has_every_command_with_its_options(self) -> None:
        text = text_of("commands.md")
        sections = dict(re.findall(r"^## `([^`]+)`\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL))
        given = dict(commands())
        assert given.keys() - sections.keys() == set()
        options = [(path, f"`{name}`") for path, names in given.items() for name in names]
        assert [(path, name) for path, name in options if name not in sections[path]] == []

    def test_reference_has_every_event_and_its_fields(self) -> None:
        names = [*(name for names in EVENT_GROUPS.values() for name in names), TEST]
        assert [name for name in names if f"`{name}`" not in text_of("events.md")] == []
        for model in (EventPayload, DocumentData, CertificateData):
            fields = model.model_json_schema(mode="serialization")["properties"]
            assert set(event_reference.FIELDS[model]) == set(fields), model


class TestErrorCatalogue:
    def test_error_catalogue_has_every_promised_code(self) -> None:
        assert PROMISED_CODES - {code.name for code in ErrorCode} == set()

    def test_error_catalogue_has_a_different_message_for_each_code(self) -> None:
        messages = [code.message for code in ErrorCode]
        assert len(set(messages)) == len(messages)

    def test_error_catalogue_lists_every_validation_error_that_the_code_raises(self) -> None:
        """A type that is missing in the list would reach the caller without its own message."""
        raised = set()
        for file in (ROOT / "src").rglob("*.py"):
            text = file.read_text(encoding="utf-8")
            raised |= set(re.findall(r"PydanticCustomError\(\s*\"(\w+)\"", text))
            raised |= set(re.findall(r"_checked\(\s*[\w.]+,\s*\"(\w+)\"", text))
            raised |= set(re.findall(r"_field_error\(\s*\"\w+\",\s*[\w.]+,\s*\"(\w+)\"", text))
        assert raised == OWN_ERROR_TYPES


class TestLinks:
    def test_links_lead_to_existing_files_and_headings(self) -> None:
        def broken_in(page: Path) -> list[str]:
            files = [link for link in links_of(page) if not (page.parent / link).exists()]
            parts = [(target, anchor) for target, anchor in linked_anchors(page) if target.suffix == ".md"]
            headings = [
                f"{target.name}#{anchor}" for target, anchor in parts if anchor not in anchors(target)
            ]
            return files + headings

        def anchors(page: Path) -> set[str]:
            return anchors_of(page) if page.exists() else set()

        assert faults(PAGES, broken_in) == {}

    def test_links_lead_from_the_index_to_every_page(self) -> None:
        reached, waiting = {INDEX}, [INDEX]
        while waiting:
            new = {page for page in pages_behind(waiting.pop()) if page.exists()} - reached
            reached |= new
            waiting += new
        assert set((ROOT / "docs").rglob("*.md")) - reached == set()


class TestNames:
    """Pages and the files of an installation name only what exists."""

    def test_settings_named_in_pages_exist(self) -> None:
        settings = {PREFIX + name.upper() for name in Settings.model_fields}

        def unknown_in(file: Path) -> list[str]:
            named = set(re.findall(rf"\b{PREFIX}[A-Z_]*[A-Z]\b", file.read_text("utf-8")))
            return sorted(named - settings)

        assert faults([*DEPLOYED, *PAGES], unknown_in) == {}

    def test_commands_named_in_pages_exist(self) -> None:
        """As they are written in code: a sentence may begin with the name of the program too."""
        paths = [path.removeprefix("carimbo ") for path, _ in commands()]
        groups = {path.partition(" ")[0] for path in paths}
        existing = re.compile("|".join([*paths, *(f"{group} ?$" for group in groups)]))

        def unknown_in(file: Path) -> list[str]:
            text = file.read_text("utf-8")
            shell = "".join(re.findall(r"^```sh.*?\n(.*?)^```", text, re.MULTILINE | re.DOTALL))
            lines = re.findall(r"(?:`|bin/)carimbo ([a-z][a-z -]*)", text)
            lines += re.findall(r"^carimbo ([a-z][a-z -]*)", shell, re.MULTILINE)
            return [line for line in lines if not existing.match(line)]

        assert faults([*DEPLOYED, *PAGES], unknown_in) == {}

    def test_files_and_folders_named_in_pages_exist(self) -> None:
        files = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*")]
        tree = [f"/{path.relative_to(ROOT)}" for path in [*ROOT.glob("*.*"), *files]]

        def missing_in(page: Path) -> list[str]:
            names = set(NAMED_FILE.findall(page.read_text(encoding="utf-8")))
            assert names, page
            return [name for name in names if not any(path.endswith(f"/{name}") for path in tree)]

        assert faults(list(ABOUT_THE_CODE), missing_in) == {}


@pytest.fixture(scope="module")
def mapped() -> set[PurePosixPath]:
    """Every line of the map in ARCHITECTURE.md, with the folders above it."""
    (drawn,) = re.findall(r"```\n(src/.*?)```", ARCHITECTURE.read_text(encoding="utf-8"), re.DOTALL)
    paths, above = set(), list[str]()
    for indent, name in re.findall(r"^((?:  )*)([\w/]+/|[\w.]+\.py)(?:\s|$)", drawn, re.MULTILINE):
        above[len(indent) // 2 :] = [name]
        paths.add(PurePosixPath(*above))
    return paths


class TestMapOfTheTree:
    def test_map_of_the_tree_shows_only_what_exists(self, mapped: set[PurePosixPath]) -> None:
        assert [str(path) for path in mapped if not (ROOT / path).exists()] == []

    def test_map_of_the_tree_shows_every_package_and_the_parts_of_some(
        self, mapped: set[PurePosixPath]
    ) -> None:
        """But not those within a type, a layout or a family."""
        patterns = ("*", "fiscal/*", "service/*", "printing/*", "simulator/*")
        files = [file for part in patterns for file in (ROOT / "src/carimbo").glob(f"{part}/__init__.py")]
        assert {PurePosixPath(file.parent.relative_to(ROOT)) for file in files} - mapped == set()


def linked_anchors(page: Path) -> list[tuple[Path, str]]:
    """The parts of pages, its own too, that a page links to."""
    links = re.findall(r"\]\(([^)#:]*)#([^)]+)\)", page.read_text(encoding="utf-8"))
    return [((page.parent / link).resolve() if link else page, anchor) for link, anchor in links]
