"""Events of NF-e that the national environment distributes."""

import pytest

from carimbo.fiscal.documents.nfe.received import RECEIVING
from carimbo.fiscal.receiving import ReceivedEvent, Situation
from unit.fiscal.documents.received_nfe import (
    EVENT,
    EVENT_SUMMARY,
    KEY,
    RECIPIENT,
    proc_event,
    res_event,
    res_nfe,
)
from unit.fiscal.documents.received_support import reason_unread, received_event


def event(file: bytes, schema: str = EVENT) -> ReceivedEvent:
    """Returns the event that a file is about."""
    return received_event(RECEIVING, schema, file, RECIPIENT)


@pytest.mark.parametrize(
    ("event_type", "situation"),
    [
        ("110111", Situation.CANCELED),
        ("110112", Situation.CANCELED),
        ("110110", Situation.CORRECTED),
        ("210200", None),
        ("610600", None),
    ],
)
def test_situation_follows_from_the_event(event_type: str, situation: Situation | None) -> None:
    assert event(proc_event(event_type)).situation is situation


def test_event_has_its_author_and_registration() -> None:
    received = event(proc_event("110110", "<xCorrecao>O peso é\n 10 kg</xCorrecao>"))
    assert (received.access_key, received.code, received.sequence) == (KEY, "110110", 1)
    assert (received.description, received.text) == ("Evento", "O peso é 10 kg")
    assert (received.author_tax_id, received.protocol) == ("11222333000181", "135260000000009")
    assert received.occurred_at
    assert received.registered_at
    assert received.is_full


def test_cancellation_has_its_reason() -> None:
    assert event(proc_event("110111", "<xJust>Pedido cancelado</xJust>")).text == "Pedido cancelado"


def test_summary_has_no_text() -> None:
    received = event(res_event(), EVENT_SUMMARY)
    assert (received.code, received.sequence, received.description) == ("110110", 2, "Carta de Correcao")
    assert (received.situation, received.text, received.is_full) == (Situation.CORRECTED, None, False)


@pytest.mark.parametrize(
    ("schema", "file", "message"),
    [
        (EVENT, proc_event("110111", code="573"), "Falta ao XML o registro do evento (retEvento)."),
        (EVENT, proc_event("110111", key="3" * 44), "O registro do XML é de um evento de outro documento."),
        (EVENT, proc_event("11011"), "O campo tpEvento não tem o formato do leiaute: “11011”."),
        (EVENT, res_nfe(), "O XML começa com “resNFe”, e não com procEventoNFe."),
        (EVENT_SUMMARY, res_event(nSeqEvento="-1"), "O campo nSeqEvento não tem o formato"),
        (EVENT_SUMMARY, res_event(nSeqEvento=None), "O XML não tem o campo nSeqEvento."),
        (EVENT_SUMMARY, res_event(chNFe="9"), "A chave de acesso tem 44 caracteres"),
    ],
)
def test_wrong_event_is_refused(schema: str, file: bytes, message: str) -> None:
    assert message in reason_unread(RECEIVING, schema, file, RECIPIENT)
