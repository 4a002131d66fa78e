"""The tables of docs/reference about the API: operations of the contract, and other paths."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import chain, groupby
from operator import itemgetter
from typing import Any

from fastapi import FastAPI
from fastapi.routing import iter_route_contexts

from carimbo.api.openapi import contract
from carimbo.main.api import api_of
from carimbo.settings import Settings

_FIRST_REFUSAL = 400
_OUTSIDE: Mapping[str, str] = {
    "/healthz": "200 while the process answers.",
    "/readyz": (
        "200 when the process can work; 503 while the database does not answer or has pending migrations, and"
        " while the process stops."
    ),
    "/openapi.yaml": "The contract, in YAML.",
    "/openapi.json": "The contract, in JSON.",
    "/docs": "The contract as web pages: the overview.",
    "/docs/{page}": "A web page about a group of operations, events or errors, or a file of these pages.",
    "/": "Redirects a browser to `/docs`.",
    "/files/{owner}/{documentId}.pdf": "The PDF of a document, by the signed link in an event.",
    "/files/{owner}/{documentId}.received.xml": (
        "The XML of a received document, by the signed link in `xmlUrl`."
    ),
    "/files/{owner}/{documentId}.xml": "The XML of a document, by the signed link in an event.",
}
"""Paths that need no credentials and are not in the contract."""


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation of the contract."""

    method: str
    path: str
    tag: str
    summary: str
    successes: tuple[int, ...]
    refusals: Mapping[str, int]
    """The HTTP status of each error code."""


def contract_operations() -> list[Operation]:
    """Returns every operation of the contract, in its order."""
    paths: dict[str, dict[str, Any]] = contract(documented_app())["paths"]
    return [
        _operation(method, path, described)
        for path, methods in paths.items()
        for method, described in methods.items()
    ]


def unpublished_paths() -> list[str]:
    """Returns every path with GET that is not in the contract; those under `/v1` only refuse the method."""
    routes = iter_route_contexts(documented_app().routes)
    paths = [
        str(route.path) for route in routes if not route.include_in_schema and "GET" in (route.methods or ())
    ]
    return [path for path in paths if not path.startswith("/v1/")]


def route_tables() -> list[str]:
    """Returns a table for each tag of the contract, and one for the paths outside of it."""
    operations = contract_operations()
    everywhere = frozenset.intersection(*(frozenset(operation.refusals.items()) for operation in operations))
    tags = dict.fromkeys(operation.tag for operation in operations)
    tables = [
        _table(tag, [operation for operation in operations if operation.tag == tag], everywhere)
        for tag in tags
    ]
    return [
        "Every operation can also refuse with",
        f"{_statuses(sorted(everywhere, key=itemgetter(1, 0)))}.",
        "",
        *chain.from_iterable(tables),
        *_rest(),
    ]


@cache
def documented_app() -> FastAPI:
    """Returns the application, which keeps its contract once it is built."""
    return api_of(Settings())


def _operation(method: str, path: str, described: dict[str, Any]) -> Operation:
    answers = {int(status): answer for status, answer in described["responses"].items()}
    return Operation(
        method.upper(),
        path,
        described["tags"][0],
        described["summary"],
        tuple(sorted(status for status in answers if status < _FIRST_REFUSAL)),
        {code: status for status, answer in sorted(answers.items()) for code in _codes(status, answer)},
    )


def _codes(status: int, answer: dict[str, Any]) -> Iterator[str]:
    if status >= _FIRST_REFUSAL:
        for content in answer["content"].values():
            yield from content["examples"]


def _table(tag: str, group: Iterable[Operation], everywhere: frozenset[tuple[str, int]]) -> list[str]:
    rows = [_row(operation, everywhere) for operation in group]
    heading = ["| operation | what it does | answers | refuses |", "|---|---|---|---|"]
    return [f"## {tag}", "", *heading, *rows, ""]


def _row(operation: Operation, everywhere: frozenset[tuple[str, int]]) -> str:
    successes = ", ".join(map(str, operation.successes))
    refused = _statuses(each for each in operation.refusals.items() if each not in everywhere)
    return f"| `{operation.method} {operation.path}` | {operation.summary} | {successes} | {refused} |"


def _statuses(refusals: Iterable[tuple[str, int]]) -> str:
    """Returns error codes grouped and sorted by their HTTP statuses."""
    grouped = groupby(refusals, key=itemgetter(1))
    return ", ".join(f"{status} {' '.join(f'`{code}`' for code, _ in codes)}" for status, codes in grouped)


def _rest() -> list[str]:
    rows = [f"| `GET {path}` | {_OUTSIDE[path]} |" for path in unpublished_paths()]
    return [
        "## Outside the contract",
        "",
        "These need no credentials.",
        "",
        "| operation | what it answers |",
        "|---|---|",
        *rows,
        "",
    ]
