"""Which recipients have an e-mail and which still wait, given the attempts so far."""

from dataclasses import asdict, replace
from datetime import UTC, datetime

from carimbo.service.delivery.email_message import RefusedRecipient
from carimbo.service.delivery.emails import RecipientProgress, recipient_progress
from carimbo.storage.emails import EmailAttempt

ANA, EVA, RUI = "ana@example.com", "eva@example.com", "rui@example.com"
ALL = (ANA, EVA, RUI)
LATER = asdict(RefusedRecipient(EVA, 451, "later", is_final=False))
NEVER = asdict(RefusedRecipient(RUI, 550, "never", is_final=True))
SENT = EmailAttempt(
    number=1,
    started_at=datetime(2026, 11, 16, tzinfo=UTC),
    milliseconds=5,
    recipients=ALL,
    outcome="sent",
    code=250,
    message="Taken",
)
NOT_SENT = replace(SENT, outcome="notSent", code=None, message="Ninguém em casa.")


def test_all_recipients_wait_before_the_first_attempt() -> None:
    assert recipient_progress(ALL, []) == RecipientProgress(ALL, has_served=False, error=None)


def test_recipients_that_were_not_refused_have_the_message() -> None:
    assert recipient_progress(ALL, [SENT]) == RecipientProgress((), has_served=True, error=None)
    partly = replace(SENT, refusals=[LATER, NEVER])
    assert recipient_progress(ALL, [partly]) == RecipientProgress(
        (EVA,),
        has_served=True,
        error="Não foi enviado a: eva@example.com (451 later); rui@example.com (550 never)",
    )


def test_all_recipients_wait_if_the_server_accepted_none() -> None:
    assert recipient_progress(ALL, [NOT_SENT]) == RecipientProgress(
        ALL, has_served=False, error="Ninguém em casa."
    )


def test_no_recipient_waits_after_the_server_refused_the_message() -> None:
    refused = replace(SENT, outcome="refused", code=554, message="Recusada.")
    assert recipient_progress(ALL, [refused]) == RecipientProgress((), has_served=False, error="Recusada.")


def test_permanently_refused_recipient_stays_refused() -> None:
    first = replace(NOT_SENT, refusals=[LATER, NEVER])
    assert recipient_progress(ALL, [first]).waiting == (ANA, EVA)
    second = replace(SENT, number=2, recipients=(ANA, EVA))
    assert recipient_progress(ALL, [first, second]) == RecipientProgress(
        (), has_served=True, error="Não foi enviado a: rui@example.com (550 never)"
    )


def test_delivered_recipient_stays_delivered_when_the_server_fails_later() -> None:
    gone = replace(NOT_SENT, number=2, recipients=(EVA,))
    assert recipient_progress(ALL, [replace(SENT, refusals=[LATER]), gone]) == RecipientProgress(
        (EVA,), has_served=True, error="Não foi enviado a: eva@example.com (Ninguém em casa.)"
    )
