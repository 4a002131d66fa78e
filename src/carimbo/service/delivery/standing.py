"""Who of an e-mail's recipients has it, and who may still get it: all by the log of its attempts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from carimbo.service.delivery.emails import AttemptOutcome
from carimbo.service.delivery.letter import RefusedRecipient
from carimbo.storage.emails import EmailAttempt

_Verdicts = Mapping[str, RefusedRecipient | None]


@dataclass(frozen=True)
class Standing:
    """How an e-mail stands with its recipients."""

    waiting: tuple[str, ...]
    """Who is still to be served."""
    has_served: bool
    """Whether anybody has it."""
    error: str | None
    """Why somebody has it not."""


def standing_after(recipients: Sequence[str], attempts: Sequence[EmailAttempt]) -> Standing:
    """What attempts, the oldest first, have come to."""
    verdicts: dict[str, RefusedRecipient | None] = {}
    for attempt in attempts:
        verdicts |= _verdicts(attempt)
    unserved = [verdict for verdict in verdicts.values() if verdict]
    given_up = {refusal.address for refusal in unserved if refusal.is_final}
    served = verdicts.keys() - {refusal.address for refusal in unserved}
    return Standing(
        waiting=tuple(one for one in recipients if one not in served | given_up),
        has_served=bool(served),
        error=_error(recipients, attempts, unserved),
    )


def _verdicts(attempt: EmailAttempt) -> _Verdicts:
    """What an attempt has come to for each of its recipients; None for who has it."""
    verdicts: dict[str, RefusedRecipient | None] = {one: _of_all(attempt, one) for one in attempt.recipients}
    return verdicts | {one["address"]: RefusedRecipient(**one) for one in attempt.refusals}


def _of_all(attempt: EmailAttempt, address: str) -> RefusedRecipient | None:
    if attempt.outcome == AttemptOutcome.SENT:
        return None
    is_final = attempt.outcome == AttemptOutcome.REFUSED
    return RefusedRecipient(address, None, attempt.message or "", is_final)


def _error(
    recipients: Sequence[str], attempts: Sequence[EmailAttempt], unserved: Sequence[RefusedRecipient]
) -> str | None:
    last = attempts[-1] if attempts else None
    if last and last.outcome != AttemptOutcome.SENT and [*last.recipients] == [*recipients]:
        return last.message
    told = "; ".join(f"{one.address} ({_reason(one)})" for one in unserved)
    return f"Não foi enviado a: {told}" if told else None


def _reason(refusal: RefusedRecipient) -> str:
    return f"{refusal.code} {refusal.message}" if refusal.code else refusal.message
