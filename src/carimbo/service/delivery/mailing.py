"""Sends a document by e-mail: what there is to send is handed over, and what came of it is kept."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta
from typing import TypeVar

import structlog

from carimbo.service.backoff import dice
from carimbo.service.delivery.emails import AskedBy, AttemptOutcome, EmailStatus
from carimbo.service.delivery.letter import NotSent, Refused, RefusedRecipient, Sent
from carimbo.service.delivery.mailbox import is_plain
from carimbo.service.delivery.parcel import NOBODY, Hopeless, Parcel, pack
from carimbo.service.delivery.retry import RetrySchedule
from carimbo.service.delivery.standing import standing_after
from carimbo.service.errors import Code
from carimbo.service.ports import Mailer
from carimbo.service.printouts import Printouts
from carimbo.storage import work
from carimbo.storage.database import Database, DatabaseUnavailable
from carimbo.storage.emails import Email, EmailAttempt, EmailFate
from carimbo.storage.work import Lease, LeaseLost

_log = structlog.get_logger("carimbo.mail")
# Whoever would wait behind so many comes back later: documents need the places of those who wait.
_MOST_AT_ONCE = 20
_MOST_INSIDE = 200
_COME_BACK = timedelta(seconds=30)
# What is due later than this has its job made by then: the queue stays short while no mail goes out.
_SOON = timedelta(seconds=10)
_NOT_PREPARED = "O e-mail não pôde ser preparado: houve um erro ao reunir o XML e o PDF do documento."
_ODD_ADDRESS = "Endereço com caracteres que nem todo servidor de e-mail aceita antes do @."
_OUTCOMES: dict[type, AttemptOutcome] = {
    Sent: AttemptOutcome.SENT,
    Refused: AttemptOutcome.REFUSED,
    NotSent: AttemptOutcome.NOT_SENT,
}
Outcome = Sent | Refused | NotSent
Made = TypeVar("Made")


@dataclass
class Doors:
    """Let few through at once; who is inside has a place, or waits for one."""

    inside: int = 0
    places: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(_MOST_AT_ONCE))

    @property
    def are_crowded(self) -> bool:
        return self.inside >= _MOST_INSIDE

    async def __aenter__(self) -> None:
        self.inside += 1
        try:
            await self.places.acquire()
        except BaseException:
            self.inside -= 1
            raise

    async def __aexit__(self, *_: object) -> None:
        self.places.release()
        self.inside -= 1


@dataclass(frozen=True)
class MailRoom:
    """What e-mails are sent with."""

    database: Database
    printouts: Printouts
    mailer: Mailer | None
    """None where nobody has set one up."""
    schedule: RetrySchedule
    clock: Callable[[], datetime]
    tried: Callable[[str], None]
    """Told how an e-mail stands after each attempt."""
    doors: Doors = field(default_factory=Doors, compare=False)
    desk: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(1), compare=False)
    """Where PDFs are drawn, one at a time: documents and webhooks need the processor."""


async def send_email(room: MailRoom, lease: Lease) -> timedelta | None:
    """Send an e-mail that is due, and write what came of it; tells when to come back, if that is soon."""
    if room.doors.are_crowded:
        return await _put_off(room, lease)
    async with room.doors:
        fate = await _fate(room, lease, *await _read(room, lease))
        async with room.database.autocommit(lease.key.subscription_id) as tenant:
            if fate is None:
                await tenant.emails.forget(lease)
                return None
            await tenant.emails.write(lease, fate)
    room.tried(fate.status)
    return _if_soon(fate.pause)


async def _put_off(room: MailRoom, lease: Lease) -> timedelta | None:
    pause = _COME_BACK * (1 + dice())
    async with room.database.connection() as connection:
        await work.postpone(connection, lease, pause, progressed=True)
    return _if_soon(pause)


def _if_soon(pause: timedelta | None) -> timedelta | None:
    return pause if pause and pause <= _SOON else None


async def _read(room: MailRoom, lease: Lease) -> tuple[Email, Sequence[EmailAttempt]]:
    """The row, and what was attempted before."""
    async with room.database.autocommit(lease.key.subscription_id) as tenant:
        email = await tenant.emails.get(lease.key.id)
        if email is None:
            raise LookupError(f"{lease.key} has no row")
        return email, (await tenant.emails.attempts([email.id]))[email.id] if email.attempts_made else ()


async def _fate(room: MailRoom, lease: Lease, email: Email, log: Sequence[EmailAttempt]) -> EmailFate | None:
    """How an e-mail stands after it was tried; None if nobody misses it."""
    if room.mailer is None:
        return _given_up(email, Code.EMAIL_NOT_CONFIGURED.message)
    started_at, started = room.clock(), time.perf_counter()
    parcel = await _if_possible(_packed(room, lease, email), email)
    if isinstance(parcel, Hopeless):
        is_missed = parcel != NOBODY or email.asked_by != AskedBy.COMPANY
        return _given_up(email, parcel.reason) if is_missed else None
    recipients = tuple(email.recipients or ()) if isinstance(parcel, NotSent) else parcel.recipients
    waiting = standing_after(recipients, log).waiting
    outcome: Outcome = (
        parcel
        if isinstance(parcel, NotSent)
        else await _if_possible(_handed_over(room, room.mailer, lease, parcel, waiting), email)
    )
    attempt = EmailAttempt(
        number=email.attempts_made + 1,
        started_at=started_at,
        milliseconds=round((time.perf_counter() - started) * 1000),
        recipients=waiting,
        outcome=_OUTCOMES[type(outcome)],
        code=outcome.code,
        message=outcome.message,
        refusals=[asdict(refusal) for refusal in outcome.refusals],
    )
    return _decided(room, recipients, [*log, attempt], outcome)


def _given_up(email: Email, reason: str) -> EmailFate:
    return EmailFate(status=EmailStatus.SENT if email.sent_at else EmailStatus.FAILED, error=reason)


async def _if_possible(making: Awaitable[Made], email: Email) -> Made | NotSent:
    """What goes wrong unforeseen is an attempt as others are: callers see it, and it comes to an end."""
    try:
        return await making
    except (LeaseLost, DatabaseUnavailable):
        raise
    except Exception as error:
        _log.error("email_not_prepared", email=str(email.id), exc_info=error)
        return NotSent(message=_NOT_PREPARED)


async def _packed(room: MailRoom, lease: Lease, email: Email) -> Parcel | Hopeless:
    async with room.database.snapshot(lease.key.subscription_id) as tenant:
        return await pack(tenant, email, room.printouts)


async def _handed_over(
    room: MailRoom, mailer: Mailer, lease: Lease, parcel: Parcel, waiting: Sequence[str]
) -> Outcome:
    """What comes of sending, outside of any transaction, for a mail server may take its time."""
    odd = tuple(RefusedRecipient(one, None, _ODD_ADDRESS, True) for one in waiting if not is_plain(one))
    plain = tuple(filter(is_plain, waiting))
    if not plain:
        return Refused(message=_ODD_ADDRESS, refusals=odd)
    async with room.desk:
        pdf = await room.printouts.drawn(parcel.sheet)
    lease.require_held()
    outcome = await mailer.send(parcel.letter(plain, pdf))
    return replace(outcome, refusals=(*outcome.refusals, *odd))


def _decided(
    room: MailRoom, recipients: tuple[str, ...], log: Sequence[EmailAttempt], outcome: Outcome
) -> EmailFate:
    """What follows from all attempts: another one, as long as somebody may still get it and there is time."""
    standing, attempt = standing_after(recipients, log), log[-1]
    is_open = bool(standing.waiting) or not recipients
    pause = room.schedule.pause_after(attempt.number, dice()) if is_open else None
    settled = EmailStatus.SENT if standing.has_served else EmailStatus.FAILED
    message_id = outcome.message_id if isinstance(outcome, Sent) else None
    return EmailFate(
        status=EmailStatus.PENDING if pause else settled,
        error=standing.error,
        recipients=recipients or None,
        message_id=message_id,
        sent_at=room.clock() if message_id else None,
        pause=pause,
        attempt=attempt,
    )
