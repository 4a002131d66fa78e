"""What a migration must not do to the release before it, which goes on running on what it leaves.

It is read from the text of a file: what passes may be wrong all the same, as a trigger that writes what the
release before does not know.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from carimbo.storage.migrate import Migration

_TOKEN = re.compile(r"(?P<comment>--[^\n]*)|\$(?P<tag>\w*)\$.*?\$(?P=tag)\$|'(?:[^']|'')*'", re.DOTALL)
_COMMENT = re.compile(r"--[^\n]*")
_EXCUSE = re.compile(r"-- since \d+\.\d+\.\d+: \S")
_NAME = r"([\w.]++)(?! ?,)"
_MADE = re.compile(
    rf"create (?:unlogged )?table (?!if not exists\b){_NAME}|create (?:unique )?index concurrently {_NAME}"
)
_CHANGED = re.compile(
    rf"(?:alter|drop|lock) table (?:if exists )?(?:only )?{_NAME}|truncate (?:table )?{_NAME}"
    rf"|create (?:unique )?index .*? on (?:only )?{_NAME}|drop index concurrently if exists {_NAME}"
    rf"|(?:update|delete from) (?:only )?{_NAME}"
)
_CONCURRENT = re.compile(r"(?:create (?:unique )?index|drop index) concurrently ")
_NEXT_ACTION = re.compile(r", (?=(?:add|alter|drop|set|validate) )")

_BREAKS = {
    r"\bdrop (?!(?:default|not null|expression|identity)\b)": "takes away what the release before may use",
    r"\b(?:rename|set schema)\b": "takes a name away that the release before may use",
    r"\bset not null\b": "refuses what the release before may write",
    r"\badd (?:constraint\b|.*\b(?:check|unique|primary key|references|exclude)\b)": (
        "refuses what the release before may write"
    ),
    r"\badd (?!constraint\b|check\b)(?!.*\b(?:default (?!null\b)|generated\b)).*\bnot null\b": (
        "is missing in the rows that the release before writes"
    ),
    r"\bcreate unique index\b": "refuses what the release before may write twice",
}
"""Harmless to a release that does not depend on it any more: a comment names it."""
_LOCKS = {
    r"\bcreate (?:unique )?index (?!concurrently\b)": "keeps writers waiting: build it CONCURRENTLY",
    r"\balter (?:column )?\S+ (?:set data )?type\b": "writes the table anew while everybody waits",
    r"\badd .*(?:\bdefault \(*(?!now\()[\w.]+\(|\bgenerated\b|serial\b)": (
        "writes the table anew while everybody waits"
    ),
    r"\badd .*\b(?:check|foreign key)\b(?!.*\bnot valid\b)": (
        "looks through the table while everybody waits: NOT VALID first, VALIDATE in a later file"
    ),
    r"\badd .*\b(?:unique|primary key|exclude)\b(?!.*\busing index\b)": (
        "builds an index while everybody waits: build it CONCURRENTLY first"
    ),
    r"^(?:update|delete|merge)\b|^with .*\b(?:update|delete from|merge into)\b": (
        "holds rows until all are done: the worker fills, in small batches"
    ),
    r"^do\b": "does what can't be read from here",
    r"^(?:reindex|vacuum|truncate|lock|cluster)\b|\bset (?:logged|unlogged)\b": "keeps everybody waiting",
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
    def actions(self) -> list[str]:
        """What it does, one by one: a table is changed by several at once."""
        return _NEXT_ACTION.split(self.text)

    @property
    def is_concurrent(self) -> bool:
        """Whether it may run outside of a transaction."""
        return bool(_CONCURRENT.match(self.text))


def statements_of(sql: str) -> list[Statement]:
    """Take a file apart."""
    pieces = _TOKEN.sub(_without_ends, sql).split(";")
    statements = [Statement(_bare(piece), bool(_EXCUSE.search(piece))) for piece in pieces]
    return [statement for statement in statements if statement.text]


def faults_of(sql: str) -> list[str]:
    """Everything in a migration that harms the release before it, each with the statement."""
    statements = statements_of(sql)
    return [*_harm(_of_before(statements)), *_half_done(statements, taken_apart(sql))]


def taken_apart(sql: str) -> list[str]:
    """The statements that are run outside of a transaction, as the runner cuts them out, in our writing."""
    pieces = Migration(0, "", sql).outside_transactions
    return [one.text for piece in pieces for one in statements_of(piece)]


def _of_before(statements: list[Statement]) -> Iterator[Statement]:
    """Those that change what the file did not make; an index may be dropped before it is built anew."""
    made = {one.makes for one in statements if one.is_concurrent}
    for one in statements:
        if one.changes is None or one.changes not in made:
            yield one
        made.add(one.makes)


def _harm(statements: Iterator[Statement]) -> Iterator[str]:
    for one in statements:
        rules = _LOCKS if one.is_excused else {**_BREAKS, **_LOCKS}
        for pattern, why in rules.items():
            if any(re.search(pattern, action) for action in one.actions):
                yield f"{why}: {one.text}"


def _half_done(statements: list[Statement], taken: list[str]) -> Iterator[str]:
    """What runs outside of a transaction may end after any statement, and is then run again."""
    if not taken and not any(one.is_concurrent for one in statements):
        return
    if taken != [one.text for one in statements]:
        yield f"is cut at every semicolon, and a comment begins at every --, quoted or not: {taken}"
    before = ""
    for one in statements:
        if not one.is_concurrent:
            yield f"is not in a transaction, as its file has INDEX CONCURRENTLY: {one.text}"
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
