"""What docs/reference says of the API: every operation of its contract, and what it answers outside of it."""

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
    "/healthz": "Whether the process lives.",
    "/readyz": "Whether it can work: 503 while the database does not answer or has pending migrations.",
    "/openapi.yaml": "The contract.",
    "/openapi.json": "The same as JSON.",
    "/docs": "The contract as pages for people: their overview.",
    "/docs/{page}": "A page of a group of operations, of events or of errors, or a file that the pages load.",
    "/": "Leads a browser to `/docs`.",
    "/files/{owner}/{documentId}.pdf": "A PDF, for whoever has the link that an event brought.",
    "/files/{owner}/{documentId}.xml": "The same for the XML.",
}
"""What needs no credentials and is not in the contract."""


@dataclass(frozen=True, slots=True)
class Operation:
    """What can be done at a path, as the contract tells it."""

    method: str
    path: str
    tag: str
    summary: str
    successes: tuple[int, ...]
    refusals: Mapping[str, int]
    """The HTTP status of each error code."""


def operations() -> list[Operation]:
    """Every operation of the contract, in its order."""
    paths: dict[str, dict[str, Any]] = contract(documented_app())["paths"]
    return [
        _operation(method, path, told) for path, methods in paths.items() for method, told in methods.items()
    ]


def unpublished_paths() -> list[str]:
    """Every path that can be read and that the contract does not have."""
    routes = iter_route_contexts(documented_app().routes)
    return [str(one.path) for one in routes if not one.include_in_schema and "GET" in (one.methods or ())]


def route_tables() -> list[str]:
    """A table for each tag of the contract, and one of the rest."""
    all_of_them = operations()
    everywhere = frozenset.intersection(*(frozenset(one.refusals.items()) for one in all_of_them))
    tags = dict.fromkeys(one.tag for one in all_of_them)
    tables = [_table(tag, [one for one in all_of_them if one.tag == tag], everywhere) for tag in tags]
    return [
        "Besides what the tables tell, every operation may refuse with",
        f"{_statuses(sorted(everywhere, key=itemgetter(1, 0)))}.",
        "",
        *chain.from_iterable(tables),
        *_rest(),
    ]


@cache
def documented_app() -> FastAPI:
    """Returns the application, which keeps its contract once it is built."""
    return api_of(Settings())


def _operation(method: str, path: str, told: dict[str, Any]) -> Operation:
    answers = {int(status): answer for status, answer in told["responses"].items()}
    return Operation(
        method.upper(),
        path,
        told["tags"][0],
        told["summary"],
        tuple(sorted(status for status in answers if status < _FIRST_REFUSAL)),
        {code: status for status, answer in sorted(answers.items()) for code in _codes(status, answer)},
    )


def _codes(status: int, answer: dict[str, Any]) -> Iterator[str]:
    if status >= _FIRST_REFUSAL:
        for content in answer["content"].values():
            yield from content["examples"]


def _table(tag: str, group: Iterable[Operation], everywhere: frozenset[tuple[str, int]]) -> list[str]:
    rows = [_row(one, everywhere) for one in group]
    heading = ["| operation | what it does | answers | refuses |", "|---|---|---|---|"]
    return [f"## {tag}", "", *heading, *rows, ""]


def _row(one: Operation, everywhere: frozenset[tuple[str, int]]) -> str:
    successes = ", ".join(map(str, one.successes))
    refused = _statuses(each for each in one.refusals.items() if each not in everywhere)
    return f"| `{one.method} {one.path}` | {one.summary} | {successes} | {refused} |"


def _statuses(refusals: Iterable[tuple[str, int]]) -> str:
    """Error codes under their statuses, by which they are in order."""
    grouped = groupby(refusals, key=itemgetter(1))
    return ", ".join(f"{status} {' '.join(f'`{code}`' for code, _ in codes)}" for status, codes in grouped)


def _rest() -> list[str]:
    rows = [f"| `GET {path}` | {_OUTSIDE[path]} |" for path in unpublished_paths()]
    return ["## Outside of the contract", "", "| operation | what it is |", "|---|---|", *rows, ""]
