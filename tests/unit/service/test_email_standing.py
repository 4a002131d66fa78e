"""Who has an e-mail and who waits for it, by what was attempted."""

from dataclasses import asdict, replace
from datetime import UTC, datetime

from carimbo.service.delivery.letter import RefusedRecipient
from carimbo.service.delivery.standing import Standing, standing_after
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


def test_before_anything_was_tried_all_wait() -> None:
    assert standing_after(ALL, []) == Standing(ALL, has_served=False, error=None)


def test_whoever_was_not_refused_has_it() -> None:
    assert standing_after(ALL, [SENT]) == Standing((), has_served=True, error=None)
    partly = replace(SENT, refusals=[LATER, NEVER])
    assert standing_after(ALL, [partly]) == Standing(
        (EVA,),
        has_served=True,
        error="Não foi enviado a: eva@example.com (451 later); rui@example.com (550 never)",
    )


def test_all_wait_for_a_server_that_took_nobody() -> None:
    assert standing_after(ALL, [NOT_SENT]) == Standing(ALL, has_served=False, error="Ninguém em casa.")


def test_nobody_waits_for_a_server_that_refused_the_letter() -> None:
    refused = replace(SENT, outcome="refused", code=554, message="Recusada.")
    assert standing_after(ALL, [refused]) == Standing((), has_served=False, error="Recusada.")


def test_who_was_refused_for_good_stays_refused() -> None:
    first = replace(NOT_SENT, refusals=[LATER, NEVER])
    assert standing_after(ALL, [first]).waiting == (ANA, EVA)
    second = replace(SENT, number=2, recipients=(ANA, EVA))
    assert standing_after(ALL, [first, second]) == Standing(
        (), has_served=True, error="Não foi enviado a: rui@example.com (550 never)"
    )


def test_who_has_it_keeps_it_though_the_server_is_gone_for_the_others() -> None:
    gone = replace(NOT_SENT, number=2, recipients=(EVA,))
    assert standing_after(ALL, [replace(SENT, refusals=[LATER]), gone]) == Standing(
        (EVA,), has_served=True, error="Não foi enviado a: eva@example.com (Ninguém em casa.)"
    )
