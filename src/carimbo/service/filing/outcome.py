"""Records and refusals that callers get after a filing, and the wait for its outcome."""

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from enum import StrEnum
from functools import cache, partial
from typing import Any, TypeVar
from uuid import UUID

from pydantic import Field, create_model

from carimbo.fiscal.body.fields import Record
from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.filing import EventKind
from carimbo.fiscal.lifecycle import FilingState, Status
from carimbo.service.errors import ErrorCode, Refusal
from carimbo.service.json_values import utc_text
from carimbo.service.waiting import wait_until
from carimbo.storage.documents import Document
from carimbo.storage.event_filings import EventFiling
from carimbo.storage.filings import Filing

F = TypeVar("F", bound=Filing)


class FilingStatus(StrEnum):
    """The status of a filing in the API."""

    PROCESSING = "processing"
    AUTHORIZED = "authorized"
    REJECTED = "rejected"


class UnderWay(Record):
    """An event that is not settled yet."""

    id: UUID = Field(description="Id do evento.")
    status: FilingStatus
    sequence: int


class CanceledRecord(Record):
    """A canceled document."""

    id: UUID
    status: Status
    type: str = Field(examples=["nfe"])


class EventUnderWay(Record):
    """A document with an event that is not settled yet, in a field named like the event."""

    id: UUID
    status: Status
    type: str = Field(examples=["nfe"])


@cache
def under_way_record(event_name: str) -> type[EventUnderWay]:
    """Returns the record class for an unsettled event with this name, for example `CorrectionUnderWay`."""
    name = f"{event_name[0].upper()}{event_name[1:]}UnderWay"
    fields: dict[str, Any] = {event_name: UnderWay}
    return create_model(name, __base__=EventUnderWay, **fields)


def status_of(filing: Filing) -> FilingStatus:
    """Returns the status of a filing in the API."""
    match FilingState(filing.state):
        case FilingState.REGISTERED:
            return FilingStatus.AUTHORIZED
        case FilingState.REFUSED:
            return FilingStatus.REJECTED
        case _:
            return FilingStatus.PROCESSING


def event_under_way(document: Document, event: EventKind, filing: EventFiling) -> EventUnderWay:
    """Returns a document with an event that is not settled yet."""
    open_event = UnderWay(id=filing.id, status=status_of(filing), sequence=filing.sequence)
    record = under_way_record(event.name)
    values = {"id": document.id, "status": document.status, "type": document.type, event.name: open_event}
    return record.model_validate(values)


async def wait_until_settled(
    filing: F, max_wait: timedelta, poll: Callable[[UUID], Awaitable[F | None]]
) -> F:
    """Returns the filing once it is settled, or as it is when the time is over."""
    return await wait_until(
        lambda current: FilingState(current.state).is_settled, filing, max_wait, partial(poll, filing.id)
    )


def authority_refusal(document_type: DocumentType, filing: Filing) -> Refusal:
    """Returns the refusal of a filing: our own, or that of the authority with its message and a hint."""
    if filing.own_refusal:
        return _own_refusal(filing.own_refusal)
    code, message = filing.authority_code or "", filing.authority_message or ""
    hint = document_type.issuing.hint(code, message)
    return Refusal(
        ErrorCode.AUTHORITY_REJECTED,
        authorityCode=code,
        authorityMessage=message,
        hint=hint.sentence if hint else None,
    )


def _own_refusal(rules: list[dict[str, Any]]) -> Refusal:
    code = rules[0]["code"]
    if code in ErrorCode.__members__:
        return Refusal(ErrorCode[code])
    return Refusal(ErrorCode.FISCAL_RULE_VIOLATION, rules=rules)


def deadline_refusal(deadline: datetime | None, alternative: str, filing: Filing | None = None) -> Refusal:
    """Returns the refusal of a late cancellation, by our table or by the authority's answer."""
    authority = (
        {"authorityCode": filing.authority_code, "authorityMessage": filing.authority_message}
        if filing
        else {}
    )
    return Refusal(
        ErrorCode.CANCELLATION_DEADLINE_EXCEEDED,
        deadline=utc_text(deadline) if deadline else None,
        alternative=alternative,
        **authority,
    )
