"""The page about the states of a document matches the code."""

import re
from collections.abc import Iterator
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from typing import Any, get_args

from carimbo.fiscal.lifecycle import EMITTABLE, EmissionState, FilingState, Status
from carimbo.fiscal.outcome import (
    Authorized,
    Canceled,
    Cause,
    Closed,
    Denied,
    Duplicate,
    NotJudged,
    Outage,
    Outcome,
    Processing,
    Rejected,
    Throttled,
    Unavailable,
    Unknown,
)
from carimbo.service.filing import decision as filing
from carimbo.service.filing.outcome import FilingStatus, status_of
from carimbo.service.issuing import decision as issuing
from carimbo.service.waiting import AT_ONCE, Backoff
from carimbo.storage.filings import Filing
from documentation import ROOT

PAGE = (ROOT / "docs" / "explanation" / "state-machine.md").read_text(encoding="utf-8")
STORAGE = ROOT / "src" / "carimbo" / "storage"
WRITES = re.compile(r"update documents set status = ('[\w{}.]+'|:\w+|coalesce)")
# By a parameter: the verdict about a document, or the effect of its event.
BY_PARAMETER = {
    ":status": {Status.AUTHORIZED, Status.REJECTED, Status.CANCELED},
    "coalesce": {Status.CANCELED},
}
BY_NAME = {f"'{{Status.{status.name}}}'": {status} for status in Status}
OUTSIDE = {"[*]": None, "new": None, "gone": None}

NOW = datetime(2026, 11, 3, 12, tzinfo=UTC)
PAUSES = Backoff(timedelta(seconds=2), timedelta(minutes=15), factor=4)
KEY = "3526" + "1" * 40
TOLD: dict[str, Any] = {"code": "100", "message": ""}
HELD = Authorized(**TOLD, protocol="1", authorized_at=NOW, protocol_xml=b"")
ANSWERS: dict[str, Outcome] = {
    "authorized": HELD,
    "rejected": Rejected(**TOLD),
    "number spent": Rejected(**TOLD, spends_number=True),
    "denied": Denied(**TOLD),
    "canceled, and how it was authorized": Canceled(**TOLD, authorization=HELD),
    "canceled, and no more": Canceled(**TOLD),
    "closed, and how it was authorized": Closed(**TOLD, authorization=HELD),
    "closed, and no more": Closed(**TOLD),
    "have it already": Duplicate(**TOLD),
    "another key has the number, and is named": Duplicate(**TOLD, other_key="3526" + "2" * 40),
    "another key has the number": Duplicate(**TOLD, is_another=True),
    "do not have it": Unknown(**TOLD),
    "do not have it yet": Unknown(**TOLD, may_come=True),
    "will judge it later": Processing(**TOLD, receipt="1", wait_seconds=2),
    "out of service": Unavailable(**TOLD, outage=Outage.WITHOUT_FORECAST),
    "contingency is over": Unavailable(**TOLD, outage=Outage.CONTINGENCY_CLOSED),
    "too many calls": Throttled(**TOLD),
    "nothing, after bytes have left": NotJudged(cause=Cause.TIMEOUT, detail=""),
    "nothing, before a byte has left": NotJudged(cause=Cause.TLS, detail="", may_have_arrived=False),
}


def table(head: str) -> list[list[str]]:
    """Returns the rows of the table whose first column has this heading."""
    (body,) = re.findall(rf"^\| {re.escape(head)} \|.*\n\|[-|]+\n((?:\|.*\n)+)", PAGE, re.MULTILINE)
    return [
        [cell.strip().replace("`", "") for cell in row.strip("|").split("|")] for row in body.splitlines()
    ]


def arrows(number: int) -> set[tuple[str | None, str | None]]:
    """Returns the arrows of a diagram as pairs of states."""
    diagram = re.findall(r"```mermaid\n(.*?)```", PAGE, re.DOTALL)[number]
    return {
        (_place(first), _place(second)) for first, second in re.findall(r"(\S+) --> ([\w\[\]*]+)", diagram)
    }


def _place(word: str) -> str | None:
    return OUTSIDE.get(word, word)


def words_for(decision: object) -> str:
    """Returns a decision in the words of the page."""
    match decision:
        case issuing.ContinueAttempt() | filing.ContinueFiling():
            return f"{decision.state} {'later' if decision.after > AT_ONCE else 'now'}"
        case issuing.NumberTaken():
            return "another number"
        case _:
            return "verdict"


def decided(outcome: Outcome) -> Iterator[str]:
    """Yields the decisions after an answer for a document and for a filing, each sent and consulted."""
    for state in (EmissionState.SIGNED, EmissionState.SENT):
        attempt = issuing.PendingAttempt(KEY, state, tries=0)
        yield words_for(issuing.IssuingDecider(PAUSES, NOW, 0).decide(attempt, outcome))
    for filed in (FilingState.SIGNED, FilingState.SENT):
        yield words_for(filing.FilingDecider(PAUSES, NOW, 0).decide(filed, 0, outcome))


class TestStatuses:
    def test_page_lists_all_statuses(self) -> None:
        assert [row[0] for row in table("status")] == [*Status]

    def test_diagram_and_table_have_the_same_transitions(self) -> None:
        assert arrows(0) == {(_place(row[0]), _place(row[1])) for row in table("from")}

    def test_page_shows_which_statuses_can_be_emitted(self) -> None:
        leaving = {row[0] for row in table("from") if row[1] == Status.PROCESSING}
        assert leaving - {"new"} == set(EMITTABLE)

    def test_statuses_are_written_where_the_page_says(self) -> None:
        """The page lists exactly the statements that write a status."""
        written = {
            (f"storage/{file.name}", status)
            for file in STORAGE.glob("*.py")
            for value in WRITES.findall(file.read_text(encoding="utf-8"))
            for status in (BY_PARAMETER | BY_NAME).get(value, {value.strip("'")})
        }
        changed = [row for row in table("from") if row[0] != "new" and row[1] != "gone"]
        assert {(row[4], row[1]) for row in changed} == written

    def test_documents_are_inserted_where_the_page_says(self) -> None:
        adding = {
            f"storage/{file.name}"
            for file in STORAGE.glob("*.py")
            if "insert into documents " in file.read_text(encoding="utf-8")
        }
        assert {row[4] for row in table("from") if row[0] == "new"} == adding


class TestStatesBesideThem:
    def test_page_lists_all_states_of_attempts(self) -> None:
        assert [row[0] for row in table("state of an attempt")] == [*EmissionState]

    def test_page_lists_all_states_of_filings_with_the_public_status(self) -> None:
        shown = {row[0]: FilingStatus(row[2]) for row in table("state of a filing")}
        assert shown == {state: status_of(_filing(state)) for state in FilingState}

    def test_diagram_has_all_states_of_filings(self) -> None:
        assert {place for arrow in arrows(1) for place in arrow if place} == set(FilingState)


def _filing(state: FilingState) -> Filing:
    unknown: dict[str, Any] = dict.fromkeys(field.name for field in fields(Filing))
    return Filing(**unknown | {"state": state})


class TestAnswers:
    def test_page_lists_all_answers(self) -> None:
        assert [row[0] for row in table("answer")] == [*ANSWERS]
        assert {type(answer) for answer in ANSWERS.values()} == set(get_args(Outcome))

    def test_answers_lead_to_the_decisions_on_the_page(self) -> None:
        written = {row[0]: row[2:] for row in table("answer")}
        assert {name: list(decided(answer)) for name, answer in ANSWERS.items()} == written
