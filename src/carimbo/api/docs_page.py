"""The documentation pages, rendered from the OpenAPI document alone.

An overview lists every operation. Each group of operations has its own page, and so have events and errors,
so that a reader of one document type does not load the fields of all.
"""

import json
import re
import unicodedata
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from carimbo.api.docs_contract import (
    DocumentedOperation,
    all_errors,
    credentials_of,
    events_of,
    operations_of,
    variable,
)
from carimbo.api.docs_model import DocumentedField

MAX_TABLE_FIELDS = 40
"""A body with more fields than this is shown object by object."""


@dataclass(frozen=True)
class FieldGroup:
    """The fields directly inside an object, and the objects among them that have fields of their own."""

    path: str
    fields: tuple[DocumentedField, ...]
    groups: tuple["FieldGroup", ...] = ()

    @property
    def anchor(self) -> str:
        """The path without the brackets of lists, which a URL would have to escape."""
        return self.path.replace("[]", "")

    @property
    def size(self) -> int:
        """The number of fields, including those of all objects inside."""
        return len(self.fields) + sum(group.size for group in self.groups)


def field_groups(fields: Sequence[DocumentedField]) -> FieldGroup:
    """Groups the fields of a body by object; a short body stays one table."""
    if len(fields) <= MAX_TABLE_FIELDS:
        return FieldGroup("", tuple(fields))
    by_parent: defaultdict[str, list[DocumentedField]] = defaultdict(list)
    for field in fields:
        by_parent[field.path.rpartition(".")[0]].append(field)

    def group(path: str) -> FieldGroup:
        inside = dict.fromkeys(f"{field.path}{end}" for field in by_parent[path] for end in ("", "[]"))
        return FieldGroup(
            path, tuple(by_parent[path]), tuple(group(inner) for inner in inside if inner in by_parent)
        )

    return group("")


OVERVIEW = ""
"""The name of the page at `/docs` itself."""
EVENTS = "eventos"
ERRORS = "erros"
SEARCH_INDEX = "indice.json"

Groups = dict[str, list[DocumentedOperation]]


def render_docs(contract: dict[str, Any]) -> dict[str, str]:
    """Returns every page, and the search index, by the name in its URL."""
    operations, events = list(operations_of(contract)), list(events_of(contract))
    groups: Groups = {}
    for operation in operations:
        groups.setdefault(operation.tag, []).append(operation)
    shared = {
        "info": contract["info"],
        "groups": groups,
        "credentials": credentials_of(contract.get("security", []), contract),
        "events": events,
    }
    simple = (item for item in operations if item.method == "GET" and "{" not in item.path)
    pages = {
        OVERVIEW: _render("docs_overview.html", OVERVIEW, **shared, first=next(simple, None)),
        EVENTS: _render("docs_events.html", EVENTS, **shared, samples=_first_of_each_form(events)),
        ERRORS: _render("docs_errors.html", ERRORS, **shared, errors=all_errors(operations)),
        SEARCH_INDEX: search_index(operations, events),
    }
    for tag in groups:
        pages[slug(tag)] = _render("docs_group.html", slug(tag), **shared, tag=tag)
    return pages


def search_index(operations: list[DocumentedOperation], events: list[DocumentedOperation]) -> str:
    """Returns the search index: operations and their fields, events and errors."""
    index = {
        "operations": [
            {
                "id": operation.id,
                "page": slug(operation.tag),
                "method": operation.method,
                "path": operation.path,
                "summary": operation.summary,
                "fields": _fields_by_parent(operation),
                "folds": [
                    group.anchor for body in operation.bodies for group in field_groups(body.fields).groups
                ],
            }
            for operation in operations
        ],
        "events": [
            {"id": event.id, "name": event.path, "description": event.description} for event in events
        ],
        "errors": [{"code": error.code, "message": error.message} for error in all_errors(operations)],
    }
    return json.dumps(index, ensure_ascii=False, separators=(",", ":"))


def slug(tag: str) -> str:
    """Turns the name of a group into the name of its page: `produtos-e-servicos`."""
    plain = unicodedata.normalize("NFKD", tag.lower()).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")


def prose(text: str) -> Markup:
    """Turns plain text into paragraphs with code in them; anything else stays text."""
    paragraphs = filter(None, re.split(r"\n\s*\n", text.strip()))
    return Markup("\n").join(Markup("<p>{}</p>").format(inline(paragraph)) for paragraph in paragraphs)


def inline(text: str) -> Markup:
    """Turns text between backticks into code."""
    pieces = re.split(r"`([^`]+)`", text)
    return Markup("").join(
        Markup("<code>{}</code>").format(piece) if position % 2 else piece
        for position, piece in enumerate(pieces)
    )


def breakable(text: str) -> Markup:
    """Allows line breaks in a long name after its separators."""
    return Markup("<wbr>").join(re.split(r"(?<=[./_])", text))


def _fields_by_parent(operation: DocumentedOperation) -> dict[str, dict[str, str]]:
    """Returns the descriptions of an operation's fields, by the path of their object and by name.

    Only GET operations add the fields of their answers: other operations answer with the same records.
    """
    fields = [parameter.field for parameter in operation.parameters]
    fields += [field for body in operation.bodies for field in body.fields]
    if operation.method == "GET":
        contents = [content for answer in operation.answers for content in answer.contents]
        fields += [field for content in contents for field in content.fields]
    by_parent: dict[str, dict[str, str]] = {}
    for field in fields:
        parent, _, name = field.path.rpartition(".")
        by_parent.setdefault(parent, {})[name] = field.description
    return by_parent


def _first_of_each_form(events: list[DocumentedOperation]) -> list[DocumentedOperation]:
    """Returns the first event of each set of fields."""
    forms: dict[tuple[str, ...], DocumentedOperation] = {}
    for event in events:
        forms.setdefault(tuple(field.path for body in event.bodies for field in body.fields), event)
    return list(forms.values())


def _render(template: str, page: str, **values: Any) -> str:
    # Links are relative because a proxy may serve the API under a prefix: `/docs` is beside `/openapi.yaml`,
    # and every other page is one level below.
    root, pages = ("", "docs/") if page == OVERVIEW else ("../", "")
    return _TEMPLATES.get_template(template).render(page=page, root=root, pages=pages, **values)


_TEMPLATES = Environment(
    loader=PackageLoader("carimbo.api", "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_TEMPLATES.filters.update(
    prose=prose, inline=inline, breakable=breakable, variable=variable, slug=slug, field_groups=field_groups
)
