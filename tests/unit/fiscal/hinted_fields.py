"""Checks that the fields in hints exist."""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from pydantic import BaseModel

from carimbo.fiscal.parties.company_file import CompanyFile
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.fiscal.rules import Hint

_COMPANY = "company."
_SETTINGS = "company.settings."
# A sentence names fields with a dot in them: `items[].cfop`, `recipient.taxId`.
_NAMED_FIELD = re.compile(r"\b[a-z][A-Za-z]*(?:\[\])?(?:\.[a-z][A-Za-z]*(?:\[\])?)+")
_ONE_SENTENCE = re.compile(r"[A-Z][^\n\r]*[^.\s]\.")


@cache
def schema_of(model: type[BaseModel]) -> dict[str, Any]:
    """Returns the JSON schema of a body, with the names that callers write."""
    return model.model_json_schema()


def has(model: type[BaseModel], path: str) -> bool:
    """Returns whether a body has a field at the path; `[]` is any position of a list."""
    top = schema_of(model)
    nodes = [top]
    for step in path.split("."):
        name, many = step.removesuffix("[]"), step.endswith("[]")
        objects = [variant for node in nodes for variant in _variants(node, top)]
        nodes = [variant["properties"][name] for variant in objects if name in variant.get("properties", {})]
        if many:
            nodes = [
                variant["items"] for node in nodes for variant in _variants(node, top) if "items" in variant
            ]
    return bool(nodes)


def _variants(node: dict[str, Any], top: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if "$ref" in node:
        yield from _variants(top["$defs"][node["$ref"].rpartition("/")[2]], top)
    for inner in (*node.get("anyOf", ()), *node.get("oneOf", ())):
        yield from _variants(inner, top)
    yield node


def exists(path: str, *bodies: type[BaseModel]) -> bool:
    """Returns whether one of the bodies, the company's record or one of its settings has the field."""
    if path.startswith(_SETTINGS):
        type_name, _, field = path.removeprefix(_SETTINGS).partition(".")
        return any(
            has(document_type.settings, field)
            for document_type in DOCUMENT_TYPES
            if document_type.name == type_name
        )
    if path.startswith(_COMPANY):
        return has(CompanyFile, path.removeprefix(_COMPANY))
    return any(has(body, path) for body in bodies)


def fields_in(hints: Mapping[str, Hint]) -> set[str]:
    """Returns every path that hints point at, or name in their sentences."""
    named = {path for hint in hints.values() for path in _NAMED_FIELD.findall(hint.sentence)}
    return named | {hint.field for hint in hints.values() if hint.field}


def not_one_sentence(sentences: Iterable[str]) -> list[str]:
    """Returns the texts that are not one whole sentence."""
    return [sentence for sentence in sentences if not _ONE_SENTENCE.fullmatch(sentence) or ". " in sentence]
