"""A migration lets the release before it go on running (docs/howto/upgrade.md)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from carimbo.storage.migrate import Migration, all_migrations

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
"""Harmless once a release no longer depends on it; a comment names that release."""
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
"""Refused whatever a comment says."""
NEWEST_OF_THE_FIRST_RELEASE = 15
"""Older migrations are exempt: there was no earlier release that had to continue running."""
HARMFUL = {
    "drop-table": "drop table probes",
    "drop-column": "alter table documents drop column amount",
    "drop-index": "drop index documents_due",
    "drop-constraint": "alter table documents drop constraint documents_status_check",
    "drop-second": "alter table documents add column note text, drop column amount",
    "drop-function": "drop function tell_of_document",
    "rename-table": "alter table probes rename to checks",
    "rename-column": "alter table documents rename column amount to total",
    "set-not-null": "alter table documents alter column amount set not null",
    "new-not-null": "alter table documents add column note text not null",
    "new-not-null-of-two": "alter table documents add column a text not null, add column b text default ''",
    "set-not-null-of-column": "alter table documents alter amount set not null",
    "new-not-null-of-column": "alter table documents add note text not null",
    "new-not-null-of-column-unless-there": "alter table documents add if not exists note text not null",
    "new-not-null-of-null": "alter table documents add note text not null default null",
    "drop-of-column": "alter table documents drop default_rate",
    "set-schema": "alter table documents set schema archive",
    "reference": "alter table documents add sale uuid references sales (id)",
    "dropped-with-its-own": "create table notes (id uuid); drop table notes, probes",
    "dropped-of-the-same-schema": "create table public.notes (id uuid); drop table public.probes",
    "made-unless-there": "create table if not exists notes (id uuid); alter table notes rename to checks",
    "new-check": "alter table documents add constraint positive check (amount > 0) not valid",
    "new-unique": "drop index concurrently if exists u; create unique index concurrently u on sales (amount)",
}
LOCKING = {
    "index": "create index documents_by_amount on documents (amount)",
    "type": "alter table documents alter column amount type numeric(20, 2)",
    "data-type": "alter table documents alter column amount set data type numeric(20, 2)",
    "default-of-each-row": "alter table documents add column tag uuid default gen_random_uuid()",
    "identity": "alter table documents add column ordinal bigint generated always as identity",
    "validated": "alter table documents add constraint positive check (amount > 0)",
    "type-of-column": "alter table documents alter amount type numeric(20, 2)",
    "default-of-each-row-of-column": "alter table documents add tag uuid default (gen_random_uuid())",
    "inline-unique": "alter table documents add column note text unique",
    "inline-primary-key": "alter table documents add ordinal bigint primary key",
    "inline-check": "alter table documents add note text check (note <> '')",
    "inline-check-of-two": "alter table documents add a text check (a <> ''), add check (true) not valid",
    "unique": "alter table documents add constraint one_note unique (note)",
    "update": "update documents set amount = 0",
    "delete": "delete from probes",
    "update-in-a-query": "with old as (select 1) update documents set amount = 0",
    "do": "do $$ begin update documents set amount = 0; end $$",
    "reindex": "reindex table documents",
    "reindex-concurrently": "reindex index concurrently documents_due",
    "vacuum": "vacuum documents",
    "index-of-a-table-that-may-be-there": "create table if not exists a (b text); create index c on a (b)",
    "truncate": "truncate probes",
    "lock": "lock table documents",
}
HARMLESS = {
    "table": "create table notes (id uuid primary key, body text not null); create index n on notes (body)",
    "own-table": "create table notes (id uuid); alter table notes add constraint one check (id is not null)",
    "own-rows": "create table notes (id uuid); update notes set id = null; delete from notes",
    "column": "alter table documents add column note text",
    "column-without-the-word": "alter table documents add note text, add is_unique boolean",
    "trigger": "create trigger t before update or delete on documents for each row execute function f()",
    "lenient-of-column": "alter table documents validate constraint one_note, alter amount drop default",
    "default": "alter table documents add column is_old boolean not null default false",
    "now": "alter table documents add column seen_at timestamptz not null default now()",
    "lenient": "alter table documents alter column amount drop not null",
    "function": "create function f() returns trigger as $$ begin drop table probes; end $$ language plpgsql",
    "text": "comment on table documents is 'never drop table; rename it'",
    "comment": "-- No rename; no drop column.\nalter table documents add column note text",
    "index": "drop index concurrently if exists d; create index concurrently d on documents (amount)",
    "part-of-a-table": (
        "drop index concurrently if exists d;"
        " create index concurrently d on documents (amount) where status = 'pending'"
    ),
    "validate": "alter table documents validate constraint positive",
}


@dataclass(frozen=True)
class Statement:
    """One statement in lower case, without comments and quoted text."""

    text: str
    is_excused: bool

    @property
    def creates(self) -> str | None:
        """The table or index that it creates, if any."""
        return _name_in(_MADE.match(self.text))

    @property
    def changes(self) -> str | None:
        """The table that it changes, or the index that it drops."""
        return _name_in(_CHANGED.match(self.text))

    @property
    def actions(self) -> list[str]:
        """Its actions; one statement may change a table by several."""
        return _NEXT_ACTION.split(self.text)

    @property
    def is_concurrent(self) -> bool:
        """Whether it may run outside of a transaction."""
        return bool(_CONCURRENT.match(self.text))


def statements_of(sql: str) -> list[Statement]:
    """Splits a file into statements."""
    pieces = _TOKEN.sub(_without_ends, sql).split(";")
    statements = [Statement(_bare(piece), bool(_EXCUSE.search(piece))) for piece in pieces]
    return [statement for statement in statements if statement.text]


def faults_of(sql: str) -> list[str]:
    """Everything in a migration that harms the release before it, each with the statement."""
    statements = statements_of(sql)
    return [*_harm(_of_before(statements)), *_half_done(statements, taken_apart(sql))]


def taken_apart(sql: str) -> list[str]:
    """Returns the statements that the runner runs outside of a transaction, normalized."""
    pieces = Migration(0, "", sql).outside_transactions
    return [statement.text for piece in pieces for statement in statements_of(piece)]


def _of_before(statements: list[Statement]) -> Iterator[Statement]:
    """Yields statements that change existing objects; an index may be dropped before it is rebuilt."""
    created = {statement.creates for statement in statements if statement.is_concurrent}
    for statement in statements:
        if statement.changes is None or statement.changes not in created:
            yield statement
        created.add(statement.creates)


def _harm(statements: Iterator[Statement]) -> Iterator[str]:
    for statement in statements:
        rules = _LOCKS if statement.is_excused else {**_BREAKS, **_LOCKS}
        for pattern, why in rules.items():
            if any(re.search(pattern, action) for action in statement.actions):
                yield f"{why}: {statement.text}"


def _half_done(statements: list[Statement], taken: list[str]) -> Iterator[str]:
    """A file outside of a transaction may stop after any statement, and is then run again."""
    if not taken and not any(statement.is_concurrent for statement in statements):
        return
    if taken != [statement.text for statement in statements]:
        yield f"is cut at every semicolon, and a comment begins at every --, quoted or not: {taken}"
    before = ""
    for statement in statements:
        if not statement.is_concurrent:
            yield f"is not in a transaction, as its file has INDEX CONCURRENTLY: {statement.text}"
        elif statement.creates and before != f"drop index concurrently if exists {statement.creates}":
            yield f"stays behind unfinished when it is cut short: drop it first, if exists: {statement.text}"
        before = statement.text


def _name_in(match: re.Match[str] | None) -> str | None:
    return next(filter(None, match.groups()), None) if match else None


def _without_ends(token: re.Match[str]) -> str:
    """Keeps a comment without its semicolons, and replaces a quotation by a placeholder."""
    return token[0].replace(";", ",") if token["comment"] else "''"


def _bare(piece: str) -> str:
    return " ".join(_COMMENT.sub(" ", piece).lower().split())


@pytest.mark.parametrize("sql", HARMFUL.values(), ids=HARMFUL)
class TestObjectsOfThePreviousRelease:
    def test_object_of_the_previous_release_must_be_kept(self, sql: str) -> None:
        assert faults_of(sql)

    def test_object_may_be_dropped_once_a_comment_names_a_release_without_it(self, sql: str) -> None:
        *first, last = sql.split("; ")
        assert faults_of("; ".join([*first, f"-- since 0.2.0: nothing depends on it\n{last}"])) == []

    def test_object_must_be_kept_if_the_comment_is_another(self, sql: str) -> None:
        assert faults_of(f"-- Nothing depends on it since long ago.\n{sql}")


@pytest.mark.parametrize("sql", LOCKING.values(), ids=LOCKING)
class TestBlockingStatements:
    def test_blocking_statement_is_refused(self, sql: str) -> None:
        assert faults_of(sql)

    def test_blocking_statement_is_refused_whatever_a_comment_says(self, sql: str) -> None:
        assert faults_of(f"-- since 0.2.0: nothing depends on it\n{sql}")


@pytest.mark.parametrize("sql", HARMLESS.values(), ids=HARMLESS)
def test_harmless_statement_is_accepted(sql: str) -> None:
    assert faults_of(sql) == []


def test_recreated_table_counts_as_existing() -> None:
    [fault] = faults_of("drop table probes; create table probes (id uuid); drop table probes")
    assert "takes away" in fault


class TestOutsideOfTransactions:
    def test_possibly_unfinished_index_is_dropped_first(self) -> None:
        [fault] = faults_of("create index concurrently d on documents (amount)")
        assert "drop it first" in fault

    def test_dropping_an_index_of_another_name_is_not_enough(self) -> None:
        other = "drop index concurrently if exists e; create index concurrently d on documents (amount)"
        assert any("drop it first" in fault for fault in faults_of(other))

    def test_file_with_concurrent_indexes_has_no_other_statements(self) -> None:
        index = HARMLESS["index"]
        [fault] = faults_of(f"{index}; alter table documents add column note text")
        assert "not in a transaction" in fault

    @pytest.mark.parametrize(
        "sql",
        [f"-- One; and not two.\n{HARMLESS['index']};\n", HARMLESS["part-of-a-table"]],
        ids=["all", "part"],
    )
    def test_runner_reads_the_same_statements(self, sql: str) -> None:
        assert taken_apart(sql) == [statement.text for statement in statements_of(sql)]

    @pytest.mark.parametrize("quoted", ["'a;b'", "'a--b'", "$$a;b$$", "'a -- b' and note <> ';'"])
    def test_file_that_the_runner_would_split_differently_is_refused(self, quoted: str) -> None:
        [fault] = faults_of(f"{HARMLESS['index']} where note <> {quoted}")
        assert "is cut at every semicolon" in fault

    @pytest.mark.parametrize(
        "sql",
        [
            "comment on table documents is 'an index concurrently built'",
            "create function f() returns void as $$ drop index concurrently d $$ language sql",
        ],
        ids=["text", "function"],
    )
    def test_text_that_the_runner_would_take_for_an_index_is_refused(self, sql: str) -> None:
        [fault] = faults_of(sql)
        assert "not in a transaction" in fault

    def test_an_index_that_the_runner_does_not_see_is_refused(self) -> None:
        hidden = "comment on table documents is '--'; drop index concurrently if exists d"
        assert any("is cut at every semicolon" in fault for fault in faults_of(hidden))

    def test_word_concurrently_alone_keeps_a_file_in_a_transaction(self) -> None:
        sql = "comment on table documents is 'read concurrently; often'"
        assert Migration(9, "x", sql).outside_transactions == ()
        assert faults_of(sql) == []


class TestOurMigrations:
    def test_no_migration_harms_the_release_before_it(self) -> None:
        newer = [
            migration for migration in all_migrations() if migration.version > NEWEST_OF_THE_FIRST_RELEASE
        ]
        assert {
            migration.name: faults_of(migration.sql) for migration in newer if faults_of(migration.sql)
        } == {}

    def test_faults_are_found_in_migrations_before_the_first_release(self) -> None:
        """This proves that the check finds faults in real files."""
        faults = {migration.version: " ".join(faults_of(migration.sql)) for migration in all_migrations()}
        assert "drop index emissions_by_access_key" in faults[8]
        assert "create index documents_of_sale" in faults[10]
        assert faults[1] == faults[12] == faults[14] == ""
