"""Whether the fields that hints point at and speak of are there to be changed."""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from pydantic import BaseModel

from carimbo.fiscal.company_file import CompanyFile
from carimbo.fiscal.hint import Hint
from carimbo.fiscal.registry import DOCUMENT_TYPES

_COMPANY = "company."
_SETTINGS = "company.settings."
# A sentence names fields with a dot in them: `items[].cfop`, `recipient.taxId`.
_NAMED_FIELD = re.compile(r"\b[a-z][A-Za-z]*(?:\[\])?(?:\.[a-z][A-Za-z]*(?:\[\])?)+")
_ONE_SENTENCE = re.compile(r"[A-Z][^\n\r]*[^.\s]\.")


@cache
def schema_of(model: type[BaseModel]) -> dict[str, Any]:
    """The published contract of a body, by the names that callers write."""
    return model.model_json_schema()


def has(model: type[BaseModel], path: str) -> bool:
    """Whether a body has a field at the path; `[]` stands for any position of a list."""
    top = schema_of(model)
    nodes = [top]
    for step in path.split("."):
        name, many = step.removesuffix("[]"), step.endswith("[]")
        objects = [one for node in nodes for one in _variants(node, top)]
        nodes = [one["properties"][name] for one in objects if name in one.get("properties", {})]
        if many:
            nodes = [one["items"] for node in nodes for one in _variants(node, top) if "items" in one]
    return bool(nodes)


def _variants(node: dict[str, Any], top: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if "$ref" in node:
        yield from _variants(top["$defs"][node["$ref"].rpartition("/")[2]], top)
    for inner in (*node.get("anyOf", ()), *node.get("oneOf", ())):
        yield from _variants(inner, top)
    yield node


def exists(path: str, *bodies: type[BaseModel]) -> bool:
    """Whether one of the bodies, the company's record or one of its settings has the field."""
    if path.startswith(_SETTINGS):
        kind, _, field = path.removeprefix(_SETTINGS).partition(".")
        return any(has(one.settings, field) for one in DOCUMENT_TYPES if one.name == kind)
    if path.startswith(_COMPANY):
        return has(CompanyFile, path.removeprefix(_COMPANY))
    return any(has(body, path) for body in bodies)


def fields_in(hints: Mapping[str, Hint]) -> set[str]:
    """Every path that hints point at, or name in their sentences."""
    named = {path for hint in hints.values() for path in _NAMED_FIELD.findall(hint.sentence)}
    return named | {hint.field for hint in hints.values() if hint.field}


def ragged(sentences: Iterable[str]) -> list[str]:
    """The texts that are not one whole sentence."""
    return [one for one in sentences if not _ONE_SENTENCE.fullmatch(one) or ". " in one]
