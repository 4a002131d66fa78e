"""What callers are told of a statement once its fate is known, and how long they wait for it."""

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from enum import StrEnum
from functools import cache, partial
from typing import Any, TypeVar
from uuid import UUID

from pydantic import Field, create_model

from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.fields import Record
from carimbo.fiscal.filing import EventKind
from carimbo.fiscal.lifecycle import FilingState, Status
from carimbo.service.errors import Code, Refusal
from carimbo.service.shown import utc_text
from carimbo.service.waiting import once
from carimbo.storage.documents import Document
from carimbo.storage.event_filings import EventFiling
from carimbo.storage.filings import Filing

F = TypeVar("F", bound=Filing)


class FilingStatus(StrEnum):
    """Where a statement stands, in the words of the API."""

    PROCESSING = "processing"
    AUTHORIZED = "authorized"
    REJECTED = "rejected"


class UnderWay(Record):
    """An event whose fate is not known yet."""

    id: UUID = Field(description="Id do evento.")
    status: FilingStatus
    sequence: int


class CanceledRecord(Record):
    """A document that is canceled."""

    id: UUID
    status: Status
    type: str = Field(examples=["nfe"])


class EventUnderWay(Record):
    """A document with an event whose registration is not known yet; that is a field by the event's name."""

    id: UUID
    status: Status
    type: str = Field(examples=["nfe"])


@cache
def under_way_record(event_name: str) -> type[EventUnderWay]:
    """Returns the record of a document with an open event of a name, as `CorrectionUnderWay`."""
    name = f"{event_name[0].upper()}{event_name[1:]}UnderWay"
    fields: dict[str, Any] = {event_name: UnderWay}
    return create_model(name, __base__=EventUnderWay, **fields)


def status_of(filing: Filing) -> FilingStatus:
    """Where a statement stands."""
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


async def settled(filing: F, patience: timedelta, look: Callable[[UUID], Awaitable[F | None]]) -> F:
    """Wait for the fate of a statement, as long as a caller does."""
    return await once(
        lambda one: FilingState(one.state).is_settled, filing, patience, partial(look, filing.id)
    )


def authority_refusal(kind: DocumentType, filing: Filing) -> Refusal:
    """Tell a refusal in the authority's own words, with what to do about it; or our own refusal as such."""
    if filing.own_refusal:
        return _own_refusal(filing.own_refusal)
    code, message = filing.authority_code or "", filing.authority_message or ""
    hint = kind.issuing.hint(code, message)
    return Refusal(
        Code.AUTHORITY_REJECTED,
        authorityCode=code,
        authorityMessage=message,
        hint=hint.sentence if hint else None,
    )


def _own_refusal(rules: list[dict[str, Any]]) -> Refusal:
    code = rules[0]["code"]
    if code in Code.__members__:
        return Refusal(Code[code])
    return Refusal(Code.FISCAL_RULE_VIOLATION, rules=rules)


def deadline_refusal(deadline: datetime | None, alternative: str, filing: Filing | None = None) -> Refusal:
    """Tell that it is too late, by our table or by the authority's own words."""
    told = (
        {"authorityCode": filing.authority_code, "authorityMessage": filing.authority_message}
        if filing
        else {}
    )
    return Refusal(
        Code.CANCELLATION_DEADLINE_EXCEEDED,
        deadline=utc_text(deadline) if deadline else None,
        alternative=alternative,
        **told,
    )
