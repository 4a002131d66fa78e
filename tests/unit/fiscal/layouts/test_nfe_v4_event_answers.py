"""Answers about events: to the lot that brought them, and in a consult when that answer was lost."""

from datetime import datetime, timedelta, timezone

import pytest

from carimbo.fiscal.outcome import (
    Authorized,
    Canceled,
    Cause,
    Duplicate,
    NotJudged,
    Outcome,
    Throttled,
    Unknown,
)
from nfe_answers import (
    ACKNOWLEDGEMENT,
    CANCELLATION,
    CORRECTION,
    DIGEST,
    KEY,
    NAMESPACE,
    OTHER_KEY,
    PROTOCOL,
    alone,
    consult,
    event_lot,
    event_receipt,
    note_protocol,
    processed_events,
    rejected,
    stored_event,
)
from nfe_dialect import read_event, read_registered_event

SUBSTITUTION = "110112"
REGISTERED_AT = datetime(2026, 11, 15, 10, tzinfo=timezone(timedelta(hours=-3)))
AUTHORIZED = note_protocol("100", "Autorizado o uso da NF-e")


def read(text: str, event_type: str = CANCELLATION, sequence: int = 1) -> Outcome:
    return read_event(text.encode(), KEY, event_type, sequence)


def read_stored(text: str, event_type: str = CORRECTION, sequence: int = 2) -> Outcome:
    return read_registered_event(text.encode(), KEY, event_type, sequence)


class TestReadingTheAnswerToAnEvent:
    @pytest.mark.parametrize(("code", "late"), [("135", False), ("136", False), ("155", True)])
    def test_tells_a_registration(self, code: str, late: bool) -> None:
        receipt = event_receipt(code, "Evento registrado")
        found = read(processed_events(receipt))
        assert isinstance(found, Authorized)
        assert (found.code, found.access_key, found.protocol) == (code, KEY, "135260000000009")
        assert (found.authorized_at, found.late) == (REGISTERED_AT, late)
        assert found.protocol_xml == alone(receipt)

    def test_finds_the_event_among_the_others_of_its_lot(self) -> None:
        wrong_sequence = event_receipt("594", "Rejeição: sequência", event_type=CORRECTION, sequence="21")
        too_late = event_receipt("596", "Rejeição: prazo", event_type=ACKNOWLEDGEMENT)
        lot = processed_events(
            event_receipt("573", "Duplicidade", key=OTHER_KEY),
            event_receipt("135", "Evento registrado", event_type=CORRECTION, sequence="2"),
            wrong_sequence,
            too_late,
        )
        assert isinstance(read(lot, CORRECTION, 2), Authorized)
        assert read(lot, CORRECTION, 21) == rejected("594", "Rejeição: sequência", wrong_sequence)
        assert read(lot, ACKNOWLEDGEMENT) == rejected("596", "Rejeição: prazo", too_late)

    @pytest.mark.parametrize("sequence", ["1", "01", "001", None])
    def test_takes_the_sequence_however_it_is_padded(self, sequence: str | None) -> None:
        assert isinstance(read(processed_events(event_receipt("135", "Ok", sequence=sequence))), Authorized)

    def test_takes_a_refusal_that_does_not_name_the_event(self) -> None:
        refused = event_receipt("215", "Rejeição: Falha", event_type=None, sequence=None, key=None)
        assert read(processed_events(refused)) == rejected("215", "Rejeição: Falha", refused)

    @pytest.mark.parametrize(
        "receipts",
        [
            [],
            ["<retEvento/>"],
            [event_receipt("135", "Ok", key=OTHER_KEY)],
            [event_receipt("501", "Rejeição: prazo", event_type=CORRECTION)],
            [event_receipt("501", "Rejeição: prazo", sequence="2")],
            [event_receipt("501", "Rejeição: prazo", sequence="x")],
            [event_receipt("135", "Ok", protocol=None)],
            [event_receipt("135", "Ok", protocol="1")],
            [event_receipt("135", "Ok").replace("2026-11-15T", "")],
            [event_receipt("135", "Ok"), event_receipt("501", "Rejeição: prazo")],
        ],
    )
    def test_judges_nothing_by_what_is_no_answer_to_the_event(self, receipts: list[str]) -> None:
        found = read(processed_events(*receipts))
        assert isinstance(found, NotJudged)
        assert found.cause is Cause.UNEXPECTED_ANSWER

    def test_tells_a_duplicate_event(self) -> None:
        text = f"Rejeição: Duplicidade de evento [nProt:{PROTOCOL}]"
        found = read(processed_events(event_receipt("573", text, protocol=None)))
        assert found == Duplicate(code="573", message=text, protocol=PROTOCOL)

    @pytest.mark.parametrize("code", ["218", "420"])
    def test_tells_that_a_document_to_be_canceled_is_canceled_already(self, code: str) -> None:
        lot = processed_events(event_receipt(code, "Rejeição: já cancelada"))
        assert read(lot) == Canceled(code=code, message="Rejeição: já cancelada", access_key=KEY)

    @pytest.mark.parametrize("code", ["217", "218", "420", "580", "655", "1100"])
    def test_tells_a_rejection_of_the_event(self, code: str) -> None:
        refused = event_receipt(code, "Rejeição: Texto", event_type=CORRECTION)
        expected = rejected(code, "Rejeição: Texto", refused)
        assert read(processed_events(refused), CORRECTION) == expected

    def test_tells_a_rejection_of_the_lot(self) -> None:
        lot = event_lot("404", "Rejeição: prefixo")
        assert read(lot) == rejected("404", "Rejeição: prefixo", lot)

    @pytest.mark.parametrize("code", ["999", "100", "135"])
    def test_leaves_open_what_the_code_of_the_lot_leaves_open(self, code: str) -> None:
        found = read(event_lot(code, "Texto"))
        assert isinstance(found, NotJudged)
        assert (found.cause, found.code) == (Cause.UNDECIDED, code)


class TestLookingForAnEventInAConsult:
    def test_adopts_the_event_with_its_receipt_and_digest(self) -> None:
        events = stored_event(event_type=CORRECTION) + stored_event(event_type=CORRECTION, sequence="2")
        found = read_stored(consult("100", "Autorizado", AUTHORIZED + events))
        assert isinstance(found, Authorized)
        assert (found.access_key, found.protocol, found.digest) == (KEY, "135260000000009", DIGEST)
        assert found.authorized_at == REGISTERED_AT
        assert found.protocol_xml.startswith(f'<retEvento xmlns="{NAMESPACE}" '.encode())
        assert b"<nSeqEvento>2</nSeqEvento>" in found.protocol_xml

    @pytest.mark.parametrize("asked", [CANCELLATION, SUBSTITUTION])
    @pytest.mark.parametrize("told", [CANCELLATION, SUBSTITUTION])
    @pytest.mark.parametrize("code", ["100", "101", "151"])
    def test_adopts_any_cancellation_for_a_cancellation(self, asked: str, told: str, code: str) -> None:
        """A document is canceled once, whichever way and in whichever place."""
        events = stored_event(event_type=CORRECTION) + stored_event(event_type=told, sequence="2")
        found = read_stored(consult(code, "Texto", AUTHORIZED + events), asked, 1)
        assert isinstance(found, Authorized)
        assert (found.protocol, found.digest) == ("135260000000009", DIGEST)
        assert f"<tpEvento>{told}</tpEvento>".encode() in found.protocol_xml

    @pytest.mark.parametrize("asked", [CANCELLATION, SUBSTITUTION])
    @pytest.mark.parametrize("code", ["101", "151", "155", "218"])
    def test_tells_a_canceled_document_though_its_event_is_missing(self, asked: str, code: str) -> None:
        for events in ("", stored_event(event_type=CORRECTION), stored_event(key=OTHER_KEY)):
            found = read_stored(consult(code, "Cancelada", AUTHORIZED + events), asked, 1)
            assert found == Canceled(code=code, message="Cancelada", access_key=KEY)

    def test_of_a_canceled_document_tells_that_a_letter_is_not_there(self) -> None:
        text = consult("101", "Cancelada", AUTHORIZED + stored_event())
        assert read_stored(text) == Unknown(code="101", message="Cancelada")

    def test_does_not_take_a_cancellation_for_a_letter(self) -> None:
        text = consult("100", "Autorizado", AUTHORIZED + stored_event(sequence="2"))
        assert read_stored(text) == Unknown(code="100", message="Autorizado")

    def test_adopts_a_cancellation_of_a_canceled_document(self) -> None:
        text = consult("101", "Cancelada", AUTHORIZED + stored_event("155"))
        found = read_stored(text, CANCELLATION, 1)
        assert isinstance(found, Authorized)
        assert found.late

    @pytest.mark.parametrize(
        "event",
        [
            "",
            "<procEventoNFe/>",
            stored_event(event_type=CORRECTION, sequence="1"),
            stored_event(event_type=CANCELLATION, sequence="2"),
            stored_event("573", event_type=CORRECTION, sequence="2"),
            stored_event(event_type=CORRECTION, sequence="2", key=OTHER_KEY),
        ],
    )
    def test_tells_an_event_that_the_authority_does_not_have(self, event: str) -> None:
        found = read_stored(consult("100", "Autorizado", AUTHORIZED + event))
        assert found == Unknown(code="100", message="Autorizado")

    def test_leaves_open_what_an_authority_without_the_document_can_not_tell(self) -> None:
        found = read_stored(consult("217", "Não consta"))
        assert isinstance(found, NotJudged)
        assert (found.cause, found.code) == (Cause.UNDECIDED, "217")

    def test_learns_nothing_from_a_refused_question(self) -> None:
        assert isinstance(read_stored(consult("280", "Rejeição: Certificado")), NotJudged)
        assert read_stored(consult("656", "Consumo")) == Throttled(code="656", message="Consumo")

    def test_judges_nothing_by_an_answer_about_another_key(self) -> None:
        event = stored_event(event_type=CORRECTION, sequence="2")
        assert isinstance(read_stored(consult("100", "Autorizado", event, key=OTHER_KEY)), NotJudged)

    def test_does_not_believe_a_registration_without_a_protocol(self) -> None:
        event = stored_event(event_type=CORRECTION, sequence="2").replace("135260000000009", "")
        assert isinstance(read_stored(consult("100", "Autorizado", event)), NotJudged)
