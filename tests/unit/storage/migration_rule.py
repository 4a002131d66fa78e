"""What a migration must not do to the release before it, which goes on running on what it leaves.

It is read from the text of a file: what passes may be wrong all the same, as a trigger that writes what the
release before does not know.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_TOKEN = re.compile(r"(?P<comment>--[^\n]*)|\$(?P<tag>\w*)\$.*?\$(?P=tag)\$|'(?:[^']|'')*'", re.DOTALL)
_COMMENT = re.compile(r"--[^\n]*")
_EXCUSE = re.compile(r"-- since \d+\.\d+\.\d+: \S")
_MADE = re.compile(
    r"create (?:unlogged )?table (?:if not exists )?(\w+)|create (?:unique )?index concurrently (\w+)"
)
_CHANGED = re.compile(
    r"(?:alter|drop|lock) table (?:if exists )?(?:only )?(\w+)|truncate (?:table )?(\w+)"
    r"|create (?:unique )?index .*? on (?:only )?(\w+)|drop index concurrently if exists (\w+)"
)

_BREAKS = {
    r"\bdrop (?!default|not null|expression|identity)": "takes away what the release before may use",
    r"\brename\b": "takes a name away that the release before may use",
    r"\bset not null\b": "refuses what the release before may write",
    r"\badd (?:constraint|check|unique|primary key|foreign key|exclude)\b": "refuses what it may write",
    r"\badd column (?:(?!, add |\bdefault\b|\bgenerated\b).)*\bnot null\b(?!(?:(?!, add ).)*\bdefault\b)": (
        "is missing in the rows that the release before writes"
    ),
    r"\bcreate unique index\b": "refuses what the release before may write twice",
}
"""Harmless to a release that does not depend on it any more: a comment names it."""
_LOCKS = {
    r"\bcreate (?:unique )?index (?!concurrently\b)": "keeps writers waiting: build it CONCURRENTLY",
    r"\balter column \w+ (?:set data )?type\b": "writes the table anew while everybody waits",
    r"\badd column (?:(?!, add ).)*(?:\bdefault (?!now\()\w+\(|\bgenerated\b|serial\b)": (
        "writes the table anew while everybody waits"
    ),
    r"\badd (?:constraint \w+ )?(?:check|foreign key)\b(?!.*\bnot valid\b)": (
        "looks through the table while everybody waits: NOT VALID first, VALIDATE in a later file"
    ),
    r"\b(?:truncate|lock table|cluster|set logged|set unlogged)\b": "keeps everybody waiting",
}
"""No comment helps."""


@dataclass(frozen=True)
class Statement:
    """One statement in lower case, without comments and quoted text."""

    text: str
    is_excused: bool

    @property
    def makes(self) -> str | None:
        """The table or index that it makes, if it makes one."""
        return _name_in(_MADE.match(self.text))

    @property
    def changes(self) -> str | None:
        """The table that it changes, or the index that it drops."""
        return _name_in(_CHANGED.match(self.text))

    @property
    def is_concurrent(self) -> bool:
        return "concurrently" in self.text.split()


def statements_of(sql: str) -> list[Statement]:
    """Take a file apart."""
    pieces = _TOKEN.sub(_without_ends, sql).split(";")
    statements = [Statement(_bare(piece), bool(_EXCUSE.search(piece))) for piece in pieces]
    return [statement for statement in statements if statement.text]


def faults_of(sql: str) -> list[str]:
    """Everything in a migration that harms the release before it, each with the statement."""
    statements = statements_of(sql)
    made_here = {one.makes for one in statements} - {None}
    of_before = [one for one in statements if one.changes not in made_here]
    return [*_harm(of_before), *_half_done(statements)]


def _harm(statements: list[Statement]) -> Iterator[str]:
    for one in statements:
        rules = _LOCKS if one.is_excused else {**_BREAKS, **_LOCKS}
        yield from (f"{why}: {one.text}" for pattern, why in rules.items() if re.search(pattern, one.text))


def _half_done(statements: list[Statement]) -> Iterator[str]:
    """What runs outside of a transaction may end after any statement, and is then run again."""
    if not any(one.is_concurrent for one in statements):
        return
    before = ""
    for one in statements:
        if not one.is_concurrent:
            yield f"is not in a transaction, as another one of its file works CONCURRENTLY: {one.text}"
        elif one.makes and before != f"drop index concurrently if exists {one.makes}":
            yield f"stays behind unfinished when it is cut short: drop it first, if exists: {one.text}"
        before = one.text


def _name_in(found: re.Match[str] | None) -> str | None:
    return next(filter(None, found.groups()), None) if found else None


def _without_ends(token: re.Match[str]) -> str:
    """Keep a comment, but for what would seem the end of a statement; of a quotation, that it is there."""
    return token[0].replace(";", ",") if token["comment"] else "''"


def _bare(piece: str) -> str:
    return " ".join(_COMMENT.sub(" ", piece).lower().split())
