"""Answers about events of NF-e and NFC-e: to the lot that brought them, or in a consult of the document."""

import re
from collections.abc import Collection

from lxml import etree

from carimbo.fiscal.layouts.nfe_v4.answer_part import Part, find_judged_answer, with_code
from carimbo.fiscal.layouts.nfe_v4.events import Cancellation, CancellationBySubstitution
from carimbo.fiscal.layouts.nfe_v4.verdicts import (
    AUTHORIZED,
    CANCELED,
    action_of,
    authorized,
    duplicate,
    refusal,
    refused_question,
)
from carimbo.fiscal.outcome import Canceled, NotJudged, Outcome, Unknown, unexpected
from carimbo.fiscal.tables.statuses import Action

CANCELLATIONS = frozenset({Cancellation.event_type, CancellationBySubstitution.event_type})

_REGISTERED = frozenset({Action.EVENT_REGISTERED, Action.CANCELED_LATE})
_ALREADY_CANCELED = frozenset({Action.ALREADY_CANCELED, Action.CANCELED_TWICE})
_LISTS_EVENTS = AUTHORIZED | CANCELED | {Action.DENIED}
_SEQUENCE = re.compile(r"[0-9]{1,3}")
_DIGEST = etree.XPath(
    "string(d:Signature/d:SignedInfo/d:Reference/d:DigestValue)",
    namespaces={"d": "http://www.w3.org/2000/09/xmldsig#"},
)


def read_event(body: bytes, access_key: str, event_type: str, sequence: int) -> Outcome:
    """Read the answer to a lot of events (retEnvEvento), for one of them."""
    answer = find_judged_answer(body, "retEnvEvento")
    if isinstance(answer, NotJudged):
        return answer
    if action_of(answer.code) is not Action.EVENTS_PROCESSED:
        return refusal(answer, answer)
    told = answer.parts("retEvento")
    ours = [one for one in told if _may_be_of(one, access_key, event_type, sequence)]
    if len(ours) != 1:
        return unexpected(f"{len(ours)} de {len(told)} retEvento são do evento enviado")
    return _verdict(ours[0], access_key, event_type)


def read_registered_event(body: bytes, access_key: str, event_type: str, sequence: int) -> Outcome:
    """Look for an event of unknown fate in the consult of its document (retConsSitNFe).

    `Unknown` says that this authority knows of no such event; manifestations, which the national environment
    registers, may be missing from a state's answer. One that does not have the document itself, as after the
    end of a contingency, can't tell.
    """
    answer = find_judged_answer(body, "retConsSitNFe", access_key)
    if isinstance(answer, NotJudged):
        return answer
    is_cancellation = event_type in CANCELLATIONS
    # A document is canceled once, whichever way.
    wanted, place = (CANCELLATIONS, None) if is_cancellation else ({event_type}, sequence)
    found, action = registered_event(answer, access_key, wanted, place), action_of(answer.code)
    if found:
        return _adopted(found, access_key)
    if is_cancellation and action in CANCELED:
        return Canceled(code=answer.code, message=answer.message, access_key=access_key)
    return (
        Unknown(code=answer.code, message=answer.message)
        if action in _LISTS_EVENTS
        else refused_question(answer)
    )


def registered_event(
    consulted: Part, access_key: str | None, event_types: Collection[str], sequence: int | None = None
) -> Part | None:
    """Find an event of one of these types in a consult, with its registration (procEventoNFe)."""
    for found in consulted.parts("procEventoNFe"):
        event, registration = found.part("evento", "infEvento"), found.part("retEvento", "infEvento")
        if not event or not registration or action_of(registration.code) not in _REGISTERED:
            continue
        of_type = event.text("tpEvento") in event_types and sequence in (None, _sequence(event))
        if of_type and event.may_be_of(access_key):
            return found
    return None


def _may_be_of(told: Part, access_key: str, event_type: str, sequence: int) -> bool:
    """Tell whether a registration or refusal can be of an event: a refusal need not say of which it is."""
    information = told.part("infEvento") or told
    return (
        information.may_be_of(access_key)
        and information.text("tpEvento") in ("", event_type)
        and (not information.text("nSeqEvento") or _sequence(information) == sequence)
    )


def _sequence(information: Part) -> int | None:
    text = information.matching("nSeqEvento", _SEQUENCE)
    return int(text) if text else None


def _verdict(told: Part, access_key: str, event_type: str) -> Outcome:
    information = with_code(told.part("infEvento"))
    if isinstance(information, NotJudged):
        return information
    action = action_of(information.code)
    if action in _REGISTERED:
        return authorized(information, told, access_key=access_key, moment_tag="dhRegEvento")
    if action is Action.EVENT_DUPLICATE:
        return duplicate(information)
    if action in _ALREADY_CANCELED and event_type in CANCELLATIONS:
        return Canceled(code=information.code, message=information.message, access_key=access_key)
    return refusal(information, told)


def _adopted(found: Part, access_key: str) -> Outcome:
    """Tell a registration that a consult brought, with the digest of the event that it is of."""
    event, registration = found.part("evento"), found.part("retEvento")
    information = with_code(registration and registration.part("infEvento"))
    if isinstance(information, NotJudged) or not event or not registration:
        return unexpected("procEventoNFe incompleto")
    digest = str(_DIGEST(event.element)).strip() or None
    return authorized(
        information, registration, access_key=access_key, digest=digest, moment_tag="dhRegEvento"
    )
