"""The pages of the documentation for people, rendered from the OpenAPI document and from nothing else.

An overview lists every operation. Each group of operations has a page of its own, and so have events and
errors: nobody loads the fields of all document types to read about one.
"""

import json
import re
import unicodedata
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from carimbo.api.docs_contract import (
    Operation,
    all_errors,
    credentials_of,
    events_of,
    operations_of,
    variable,
)
from carimbo.api.docs_fields import field_groups

OVERVIEW = ""
"""The name of the page at the documentation's own address."""
EVENTS = "eventos"
ERRORS = "erros"
SEARCH_INDEX = "indice.json"

Groups = dict[str, list[Operation]]


def render_docs(contract: dict[str, Any]) -> dict[str, str]:
    """Renders every page, and the index that their search reads, by the name in its address."""
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
    first = next((found for found in operations if found.method == "GET" and "{" not in found.path), None)
    pages = {
        OVERVIEW: _render("docs_overview.html", OVERVIEW, **shared, first=first),
        EVENTS: _render("docs_events.html", EVENTS, **shared, samples=_one_of_each_form(events)),
        ERRORS: _render("docs_errors.html", ERRORS, **shared, errors=all_errors(operations)),
        SEARCH_INDEX: search_index(operations, events),
    }
    for tag in groups:
        pages[slug(tag)] = _render("docs_group.html", slug(tag), **shared, tag=tag)
    return pages


def search_index(operations: list[Operation], events: list[Operation]) -> str:
    """Writes what the search looks through: operations and their fields, events and errors."""
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
    """Turn plain text into paragraphs with code in them; anything else stays text."""
    paragraphs = filter(None, re.split(r"\n\s*\n", text.strip()))
    return Markup("\n").join(Markup("<p>{}</p>").format(inline(paragraph)) for paragraph in paragraphs)


def inline(text: str) -> Markup:
    """Turn what stands between backticks into code."""
    pieces = re.split(r"`([^`]+)`", text)
    return Markup("").join(
        Markup("<code>{}</code>").format(piece) if position % 2 else piece
        for position, piece in enumerate(pieces)
    )


def breakable(text: str) -> Markup:
    """Let a long name break where a reader would pause, not in the middle of a word."""
    return Markup("<wbr>").join(re.split(r"(?<=[./_])", text))


def _fields_by_parent(operation: Operation) -> dict[str, dict[str, str]]:
    """Returns the descriptions of an operation's fields, by the path of their object and by name.

    The fields of answers are those of reading a record: other operations answer with the same ones.
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


def _one_of_each_form(events: list[Operation]) -> list[Operation]:
    """The first of those events whose fields are the same."""
    forms: dict[tuple[str, ...], Operation] = {}
    for event in events:
        forms.setdefault(tuple(field.path for body in event.bodies for field in body.fields), event)
    return list(forms.values())


def _render(template: str, page: str, **values: Any) -> str:
    # Addresses are relative, as a proxy may put the API under a path: `/docs` is beside `/openapi.yaml`, and
    # every other page is one step below.
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
