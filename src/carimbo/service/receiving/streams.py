"""Advances a stream: asks for the next page or for a single document, and stores the answer as it came.

What is asked is stored before, and what comes is stored at once and read later: the authority does not give
an answer twice, and blocks a CNPJ that asks again.
"""

from dataclasses import dataclass
from datetime import timedelta

import structlog

from carimbo.fiscal.distribution import DistributionAnswer, UnreadablePage
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.identity.certificate import AuthorityCredentials, CertificateError
from carimbo.fiscal.outcome import Cause, NotJudged
from carimbo.service.authority_answers import LoggedAnswer, log_fields
from carimbo.service.contexts import WorkerContext
from carimbo.service.document_types import distributed_type
from carimbo.service.ports import DistributingAuthority, KeyDistributingAuthority
from carimbo.service.receiving.decision import BETWEEN_PAGES, LAPSE, REST, StreamDecider, decide_single
from carimbo.service.waiting import jitter
from carimbo.storage.envelope import DecryptionFailed
from carimbo.storage.identifiers import NIL
from carimbo.storage.receptions import Asker, askers_of
from carimbo.storage.stream_steps import SingleQuestion, StreamProgress
from carimbo.storage.streams import StreamRow, read_stream
from carimbo.storage.work import Lease

_log = structlog.get_logger("carimbo.receiving")
_NO_ANSWER = NotJudged(cause=Cause.CONNECTION, detail="o programa parou antes de guardar a resposta")
_NOBODY_ASKS = timedelta(hours=1)
_AFTER_SILENCE = timedelta(minutes=10)


@dataclass(frozen=True)
class StreamSender:
    """A company in whose name a stream is asked for."""

    asker: Asker
    authority: DistributingAuthority
    credentials: AuthorityCredentials
    state: str


async def advance_stream(context: WorkerContext, lease: Lease) -> None:
    """Asks at most one question; the row says when the next one is allowed."""
    async with context.database.autocommit(NIL) as tenant:
        stream = await read_stream(tenant.connection, lease.key.id)
        askers = await askers_of(tenant.connection, stream.id)
    if stream.is_asked:
        # The worker that asked did not store the answer.
        await _store_answer(context, lease, stream, None, _NO_ANSWER)
        await _release(context, lease, BETWEEN_PAGES)
        return
    # Only a certificate that the authority has answered asks for single documents, whose answers are scarce.
    candidates = askers if stream.is_due else [asker for asker in askers if asker.is_proved]
    sender = await _find_sender(context, stream, candidates)
    if sender is None:
        await _release(context, lease, _NOBODY_ASKS, is_idle=not askers)
        return
    if stream.is_due:
        await _ask_for_page(context, lease, stream, sender)
    elif not stream.is_blocked and not await _ask_for_single(context, lease, stream, sender):
        await _release(context, lease, _AFTER_SILENCE)
        return
    await _release(context, lease, BETWEEN_PAGES)


async def _find_sender(context: WorkerContext, stream: StreamRow, askers: list[Asker]) -> StreamSender | None:
    """Returns the first company that can ask now: one that still issues in the environment of the stream."""
    document_type, _ = distributed_type(stream.service)
    authority = context.authorities[document_type.name]
    if not isinstance(authority, DistributingAuthority):
        raise LookupError(f"no authority distributes {document_type.name}")
    now, environment = context.builder.clock(), Environment(stream.environment)
    for asker in askers:
        snapshot = await context.snapshots.of(asker.subscription_id, asker.company_id, asker.revision)
        address = snapshot.row.address or {}
        is_able = snapshot.has_valid_certificate(now) and "state" in address
        if not is_able or snapshot.environment_of(document_type) is not environment:
            continue
        try:
            identity = await context.snapshots.signing_identity_of(snapshot)
        except (DecryptionFailed, CertificateError) as error:
            # The stream is also that of others.
            _log.error("certificate_not_opened", company_id=str(asker.company_id), reason=str(error))
            continue
        if identity is not None:
            credentials = identity.sender(stream.tax_id, environment)
            return StreamSender(asker, authority, credentials, address["state"])
    return None


async def _ask_for_page(
    context: WorkerContext, lease: Lease, stream: StreamRow, sender: StreamSender
) -> None:
    async with context.database.stream_steps(lease) as steps:
        if not await steps.begin_question(sender.asker, REST):
            return
    context.reached("stream asked", stream.tax_id)
    lease.require_held()
    answer = await sender.authority.distribution(sender.credentials, sender.state, stream.last_nsu)
    context.reached("stream answered", stream.tax_id)
    await _store_answer(context, lease, stream, sender.asker, answer)
    context.reached("stream stored", stream.tax_id)


async def _store_answer(
    context: WorkerContext, lease: Lease, stream: StreamRow, asker: Asker | None, answer: DistributionAnswer
) -> None:
    progress = StreamProgress(
        last_nsu=stream.last_nsu,
        max_nsu=stream.max_nsu,
        empty_answers=stream.empty_answers,
        wrong_numbers=stream.wrong_numbers,
        unanswered=stream.unanswered,
    )
    unknown_nsu_codes = distributed_type(stream.service)[1].unknown_nsu_codes
    decider = StreamDecider(progress, jitter(), stream.has_rested, unknown_nsu_codes)
    change = decider.decide(answer)
    _log.info(
        "stream_answered",
        stream=str(stream.id),
        service=stream.service,
        last_nsu=change.progress.last_nsu,
        max_nsu=change.progress.max_nsu,
        **_log_fields(answer),
    )
    async with context.database.stream_steps(lease) as steps:
        await steps.store_answer(stream.last_nsu, asker, change, LAPSE)


async def _ask_for_single(
    context: WorkerContext, lease: Lease, stream: StreamRow, sender: StreamSender
) -> bool:
    """Asks for a document that somebody waits for, or for the next one of a gap.

    Returns False if the authority did not answer: at once it would cost another question of the hour.
    """
    async with context.database.stream_steps(lease) as steps:
        question = await steps.next_single()
        if question is None or not await steps.begin_single(question):
            return True
    lease.require_held()
    answer = await _single_answer(sender, question)
    receiving = distributed_type(stream.service)[1]
    change = decide_single(answer, receiving.settled_codes | receiving.unknown_nsu_codes)
    _log.info("single_answered", stream=str(stream.id), question=str(question), **_log_fields(answer))
    async with context.database.stream_steps(lease) as steps:
        await steps.store_single(question, sender.asker, change)
    return change.is_settled or change.block is not None


async def _single_answer(sender: StreamSender, question: SingleQuestion) -> DistributionAnswer:
    authority = sender.authority
    if question.nsu is not None:
        return await authority.distribution_at(sender.credentials, sender.state, question.nsu)
    if question.access_key is None or not isinstance(authority, KeyDistributingAuthority):
        raise LookupError("the service distributes no document by its key")
    return await authority.distribution_of_key(sender.credentials, sender.state, question.access_key)


def _log_fields(answer: DistributionAnswer) -> LoggedAnswer:
    return log_fields(answer.failure if isinstance(answer, UnreadablePage) else answer)


async def _release(context: WorkerContext, lease: Lease, pause: timedelta, *, is_idle: bool = False) -> None:
    async with context.database.stream_steps(lease) as steps:
        await steps.schedule(pause, is_idle=is_idle)
