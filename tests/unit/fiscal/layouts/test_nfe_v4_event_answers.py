"""Answers about events: to the lot that contained them, and in a consult when that answer was lost."""

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
    def test_registration_of_an_event_is_read(self, code: str, late: bool) -> None:
        receipt = event_receipt(code, "Evento registrado")
        outcome = read(processed_events(receipt))
        assert isinstance(outcome, Authorized)
        assert (outcome.code, outcome.access_key, outcome.protocol) == (code, KEY, "135260000000009")
        assert (outcome.authorized_at, outcome.late) == (REGISTERED_AT, late)
        assert outcome.protocol_xml == alone(receipt)

    def test_event_is_selected_among_the_others_of_its_lot(self) -> None:
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
    def test_sequence_of_an_event_may_have_leading_zeros(self, sequence: str | None) -> None:
        assert isinstance(read(processed_events(event_receipt("135", "Ok", sequence=sequence))), Authorized)

    def test_refusal_need_not_name_the_event(self) -> None:
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
    def test_answer_that_does_not_concern_the_event_judges_nothing(self, receipts: list[str]) -> None:
        outcome = read(processed_events(*receipts))
        assert isinstance(outcome, NotJudged)
        assert outcome.cause is Cause.UNEXPECTED_ANSWER

    def test_duplicate_event_is_read(self) -> None:
        text = f"Rejeição: Duplicidade de evento [nProt:{PROTOCOL}]"
        outcome = read(processed_events(event_receipt("573", text, protocol=None)))
        assert outcome == Duplicate(code="573", message=text, protocol=PROTOCOL)

    @pytest.mark.parametrize("code", ["218", "420"])
    def test_refused_cancellation_of_a_canceled_document_shows_the_cancellation(self, code: str) -> None:
        lot = processed_events(event_receipt(code, "Rejeição: já cancelada"))
        assert read(lot) == Canceled(code=code, message="Rejeição: já cancelada", access_key=KEY)

    @pytest.mark.parametrize("code", ["217", "218", "420", "580", "655", "1100"])
    def test_rejection_of_an_event_is_read(self, code: str) -> None:
        refused = event_receipt(code, "Rejeição: Texto", event_type=CORRECTION)
        expected = rejected(code, "Rejeição: Texto", refused)
        assert read(processed_events(refused), CORRECTION) == expected

    def test_rejection_of_a_lot_of_events_is_read(self) -> None:
        lot = event_lot("404", "Rejeição: prefixo")
        assert read(lot) == rejected("404", "Rejeição: prefixo", lot)

    @pytest.mark.parametrize("code", ["999", "100", "135"])
    def test_undecided_code_of_a_lot_leaves_the_outcome_open(self, code: str) -> None:
        outcome = read(event_lot(code, "Texto"))
        assert isinstance(outcome, NotJudged)
        assert (outcome.cause, outcome.code) == (Cause.UNDECIDED, code)


class TestLookingForAnEventInAConsult:
    def test_event_in_a_consult_is_adopted_with_its_receipt_and_digest(self) -> None:
        events = stored_event(event_type=CORRECTION) + stored_event(event_type=CORRECTION, sequence="2")
        outcome = read_stored(consult("100", "Autorizado", AUTHORIZED + events))
        assert isinstance(outcome, Authorized)
        assert (outcome.access_key, outcome.protocol, outcome.digest) == (KEY, "135260000000009", DIGEST)
        assert outcome.authorized_at == REGISTERED_AT
        assert outcome.protocol_xml.startswith(f'<retEvento xmlns="{NAMESPACE}" '.encode())
        assert b"<nSeqEvento>2</nSeqEvento>" in outcome.protocol_xml

    @pytest.mark.parametrize("requested", [CANCELLATION, SUBSTITUTION])
    @pytest.mark.parametrize("stored", [CANCELLATION, SUBSTITUTION])
    @pytest.mark.parametrize("code", ["100", "101", "151"])
    def test_any_cancellation_in_a_consult_is_adopted_for_a_cancellation(
        self, requested: str, stored: str, code: str
    ) -> None:
        """A document is canceled only once, by any type of event and with any sequence."""
        events = stored_event(event_type=CORRECTION) + stored_event(event_type=stored, sequence="2")
        outcome = read_stored(consult(code, "Texto", AUTHORIZED + events), requested, 1)
        assert isinstance(outcome, Authorized)
        assert (outcome.protocol, outcome.digest) == ("135260000000009", DIGEST)
        assert f"<tpEvento>{stored}</tpEvento>".encode() in outcome.protocol_xml

    @pytest.mark.parametrize("requested", [CANCELLATION, SUBSTITUTION])
    @pytest.mark.parametrize("code", ["101", "151", "155", "218"])
    def test_canceled_document_is_reported_even_if_its_event_is_missing(
        self, requested: str, code: str
    ) -> None:
        for events in ("", stored_event(event_type=CORRECTION), stored_event(key=OTHER_KEY)):
            outcome = read_stored(consult(code, "Cancelada", AUTHORIZED + events), requested, 1)
            assert outcome == Canceled(code=code, message="Cancelada", access_key=KEY)

    def test_missing_correction_of_a_canceled_document_is_unknown(self) -> None:
        text = consult("101", "Cancelada", AUTHORIZED + stored_event())
        assert read_stored(text) == Unknown(code="101", message="Cancelada")

    def test_cancellation_is_not_taken_for_a_correction(self) -> None:
        text = consult("100", "Autorizado", AUTHORIZED + stored_event(sequence="2"))
        assert read_stored(text) == Unknown(code="100", message="Autorizado")

    def test_late_cancellation_of_a_canceled_document_is_adopted(self) -> None:
        text = consult("101", "Cancelada", AUTHORIZED + stored_event("155"))
        outcome = read_stored(text, CANCELLATION, 1)
        assert isinstance(outcome, Authorized)
        assert outcome.late

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
    def test_event_that_the_authority_does_not_have_is_unknown(self, event: str) -> None:
        outcome = read_stored(consult("100", "Autorizado", AUTHORIZED + event))
        assert outcome == Unknown(code="100", message="Autorizado")

    def test_authority_without_the_document_leaves_the_event_undecided(self) -> None:
        outcome = read_stored(consult("217", "Não consta"))
        assert isinstance(outcome, NotJudged)
        assert (outcome.cause, outcome.code) == (Cause.UNDECIDED, "217")

    def test_refused_consult_judges_no_event(self) -> None:
        assert isinstance(read_stored(consult("280", "Rejeição: Certificado")), NotJudged)
        assert read_stored(consult("656", "Consumo")) == Throttled(code="656", message="Consumo")

    def test_consult_about_another_key_judges_no_event(self) -> None:
        event = stored_event(event_type=CORRECTION, sequence="2")
        assert isinstance(read_stored(consult("100", "Autorizado", event, key=OTHER_KEY)), NotJudged)

    def test_registration_without_a_protocol_judges_nothing(self) -> None:
        event = stored_event(event_type=CORRECTION, sequence="2").replace("135260000000009", "")
        assert isinstance(read_stored(consult("100", "Autorizado", event)), NotJudged)
