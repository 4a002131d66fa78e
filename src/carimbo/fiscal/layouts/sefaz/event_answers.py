"""Answers about events: to the message that sent them, or in a consult of their document."""

import re
from collections.abc import Collection, Sequence

from lxml import etree

from carimbo.fiscal.layouts.sefaz.answer_part import SefazPart, find_answer, find_judged_answer, with_code
from carimbo.fiscal.layouts.sefaz.dialect import Dialect
from carimbo.fiscal.layouts.sefaz.verdicts import (
    AUTHORIZED,
    CANCELED,
    authorized,
    duplicate,
    refusal,
    refused_question,
)
from carimbo.fiscal.outcome import Canceled, Closed, NotJudged, Outcome, Unknown, unexpected
from carimbo.fiscal.tables.statuses import Action

_REGISTERED = frozenset({Action.EVENT_REGISTERED, Action.CANCELED_LATE})
_ALREADY_CANCELED = frozenset({Action.ALREADY_CANCELED, Action.CANCELED_TWICE})
_LISTS_EVENTS = AUTHORIZED | CANCELED | {Action.DENIED, Action.CLOSED}
_SEQUENCE = re.compile(r"[0-9]{1,3}")
_DIGEST = etree.XPath(
    "string(d:Signature/d:SignedInfo/d:Reference/d:DigestValue)",
    namespaces={"d": "http://www.w3.org/2000/09/xmldsig#"},
)


def read_event(dialect: Dialect, body: bytes, access_key: str, event_type: str, sequence: int) -> Outcome:
    """Reads the answer to an event that was sent, in a lot (retEnvEvento) or alone (retEventoCTe)."""
    if dialect.in_lots:
        outcomes = read_events(dialect, body, [(access_key, event_type, sequence)])
        return outcomes[0] if isinstance(outcomes, tuple) else outcomes
    receipt = find_answer(dialect, body, dialect.event_answer_tag)
    if isinstance(receipt, NotJudged):
        return receipt
    return _outcome([receipt], access_key, event_type, sequence)


def read_events(
    dialect: Dialect, body: bytes, events: Sequence[tuple[str, str, int]]
) -> tuple[Outcome, ...] | Outcome:
    """Reads the answer to a lot of events (retEnvEvento), given as access key, type and sequence.

    Returns the outcome of each, or one outcome if the lot as a whole was refused or not judged.
    """
    answer = find_judged_answer(dialect, body, "retEnvEvento")
    if isinstance(answer, NotJudged):
        return answer
    if answer.action is not Action.EVENTS_PROCESSED:
        return refusal(answer, answer)
    receipts = answer.parts(dialect.event_answer_tag)
    if len(events) > 1:
        # A refusal that names no document could be about any of them.
        receipts = [receipt for receipt in receipts if (receipt.part("infEvento") or receipt).access_key]
    return tuple(_outcome(receipts, *event) for event in events)


def _outcome(receipts: Sequence[SefazPart], access_key: str, event_type: str, sequence: int) -> Outcome:
    """Returns the outcome of an event by the one receipt that is about it."""
    ours = [receipt for receipt in receipts if _can_be_about(receipt, access_key, event_type, sequence)]
    if len(ours) != 1:
        return unexpected(f"{len(ours)} de {len(receipts)} respostas são do evento enviado")
    return _verdict(ours[0], access_key, event_type)


def read_registered_event(
    dialect: Dialect, body: bytes, access_key: str, event_type: str, sequence: int
) -> Outcome:
    """Looks for an event of unknown outcome in the consult of its document (retConsSitNFe).

    `Unknown` means that this authority has no such event; manifestations, which the national environment
    registers, may be missing from a state's answer. An authority without the document itself, as after the
    end of a contingency, does not answer with `Unknown`.
    """
    answer = find_judged_answer(dialect, body, f"retConsSit{dialect.stem}", access_key)
    if isinstance(answer, NotJudged):
        return answer
    cancels, closes = event_type in dialect.cancellations, event_type in dialect.closings
    # A document is canceled only once, by any of the events that cancel.
    types, number = (dialect.cancellations, None) if cancels else ({event_type}, sequence)
    event, action = registered_event(answer, access_key, types, number), answer.action
    if event:
        return _adopted(event, access_key)
    if cancels and action in CANCELED:
        return Canceled(code=answer.code, message=answer.message, access_key=access_key)
    if closes and action is Action.CLOSED:
        return Closed(code=answer.code, message=answer.message, access_key=access_key)
    if action in _LISTS_EVENTS:
        return Unknown(code=answer.code, message=answer.message)
    return refused_question(answer)


def registered_event(
    consulted: SefazPart, access_key: str | None, event_types: Collection[str], sequence: int | None = None
) -> SefazPart | None:
    """Finds an event of one of these types in a consult, with its registration (procEventoNFe)."""
    if not event_types:
        return None
    dialect = consulted.dialect
    for archive in consulted.wrapped(dialect.event_archive_tag):
        event = archive.part(dialect.event_tag, "infEvento")
        registration = archive.part(dialect.event_answer_tag, "infEvento")
        if not event or not registration or registration.action not in _REGISTERED:
            continue
        of_type = event.text("tpEvento") in event_types and sequence in (None, _sequence(event))
        if of_type and event.can_be_about(access_key):
            return archive
    return None


def _can_be_about(receipt: SefazPart, access_key: str, event_type: str, sequence: int) -> bool:
    """Returns whether a receipt can be about an event; refusals need not name their event."""
    information = receipt.part("infEvento") or receipt
    return (
        information.can_be_about(access_key)
        and information.text("tpEvento") in ("", event_type)
        and (not information.text("nSeqEvento") or _sequence(information) == sequence)
    )


def _sequence(information: SefazPart) -> int | None:
    text = information.matching("nSeqEvento", _SEQUENCE)
    return int(text) if text else None


def _verdict(receipt: SefazPart, access_key: str, event_type: str) -> Outcome:
    information = with_code(receipt.part("infEvento"))
    if isinstance(information, NotJudged):
        return information
    action, dialect = information.action, receipt.dialect
    if action in _REGISTERED:
        return authorized(information, receipt, access_key=access_key, moment_tag="dhRegEvento")
    if action is Action.EVENT_DUPLICATE:
        return duplicate(information)
    if action in _ALREADY_CANCELED and event_type in dialect.cancellations:
        return Canceled(code=information.code, message=information.message, access_key=access_key)
    if action is Action.CLOSED and event_type in dialect.closings:
        return Closed(code=information.code, message=information.message, access_key=access_key)
    return refusal(information, receipt)


def _adopted(archive: SefazPart, access_key: str) -> Outcome:
    """Returns the registration in a consult, with the digest of its event."""
    event, registration = (
        archive.part(archive.dialect.event_tag),
        archive.part(archive.dialect.event_answer_tag),
    )
    information = with_code(registration and registration.part("infEvento"))
    if isinstance(information, NotJudged) or not event or not registration:
        return unexpected(f"{archive.dialect.event_archive_tag} incompleto")
    digest = str(_DIGEST(event.element)).strip() or None
    return authorized(
        information, registration, access_key=access_key, digest=digest, moment_tag="dhRegEvento"
    )
