"""Answers of every service wrapped, cut, damaged or missing: what is not whole judges nothing."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from carimbo.fiscal.layouts.nfe_v4.answers import (
    read_authorization,
    read_consult,
    read_inutilization,
    read_receipt,
    read_status,
)
from carimbo.fiscal.layouts.nfe_v4.distribution import DistributionPage, read_distribution
from carimbo.fiscal.layouts.nfe_v4.event_answers import read_event, read_registered_event
from carimbo.fiscal.outcome import (
    Answered,
    Authorized,
    Available,
    Cause,
    NotJudged,
    Outage,
    Outcome,
    Rejected,
    Throttled,
    Unavailable,
)
from nfe_answers import (
    CANCELLATION,
    CORRECTION,
    KEY,
    PROTOCOL,
    VOIDED,
    consult,
    distribution,
    dressed,
    event_lot,
    event_receipt,
    inutilization,
    lot,
    message,
    note_protocol,
    processed,
    processed_events,
    receipt_answer,
    refused_note,
    status,
    stored_event,
    verdict,
    zipped,
)

Answer = Outcome | Available | DistributionPage
AUTHORIZED = note_protocol("100", "Autorizado o uso da NF-e")


def read_cancellation(body: bytes) -> Outcome:
    return read_event(body, KEY, CANCELLATION, 1)


def read_voided_range(body: bytes) -> Outcome:
    return read_inutilization(body, VOIDED)


def read_stored_correction(body: bytes) -> Outcome:
    return read_registered_event(body, KEY, CORRECTION, 2)


READERS: list[Callable[[bytes], Answer]] = [
    read_authorization,
    read_receipt,
    read_consult,
    read_voided_range,
    read_status,
    read_distribution,
    read_cancellation,
    read_stored_correction,
]
# One whole success per reader, in the same order.
SUCCESSES = [
    processed(AUTHORIZED),
    receipt_answer("104", "Lote processado", AUTHORIZED),
    consult("100", "Autorizado o uso da NF-e", AUTHORIZED),
    inutilization("102", "Inutilização de número homologado", PROTOCOL),
    status("107", "Serviço em Operação"),
    distribution("138", "Documento localizado", zipped(b"<a/>")),
    processed_events(event_receipt("135", "Evento registrado e vinculado a NF-e")),
    consult("100", "Autorizado o uso da NF-e", stored_event(event_type=CORRECTION, sequence="2")),
]
EXCHANGES = list(zip(READERS, SUCCESSES, strict=True))
REFUSALS = [
    processed(refused_note("232", "Rejeição: IE do destinatário não informada")),
    receipt_answer("104", "Lote processado", refused_note("232", "Rejeição: IE do destinatário")),
    lot("225", "Rejeição: Falha no Schema XML do lote de NFe"),
    inutilization("241", "Rejeição: Um número da faixa já foi utilizado"),
    processed_events(event_receipt("501", "Rejeição: Prazo de cancelamento superior ao previsto")),
]
ROOTS = [etree.fromstring(text).tag.partition("}")[2] for text in SUCCESSES]
TAGS = ["cStat", "xMotivo", "chNFe", "nProt", "dhRecbto", "protNFe", "infProt", "infInut", "retEvento"]
TEXTS = st.text(st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="<>&"))


def same(outcome: Answer) -> Answer:
    """An outcome without the XML of the receipt, which differs from host to host."""
    return replace(outcome, protocol_xml=b"") if isinstance(outcome, Authorized) else outcome


class TestEveryReader:
    @pytest.mark.parametrize(("read", "text"), EXCHANGES)
    def test_reads_the_same_in_every_wrapping(self, read: Callable[[bytes], Answer], text: str) -> None:
        plain, *others = [same(read(body)) for body in dressed(text)]
        assert isinstance(plain, Authorized | Available | DistributionPage)
        assert others == [plain] * len(others)

    @pytest.mark.parametrize("read", READERS)
    @pytest.mark.parametrize("text", [SUCCESSES[0], REFUSALS[0]])
    def test_reads_a_cut_answer_as_no_answer(self, read: Callable[[bytes], Answer], text: str) -> None:
        for body in dressed(text):
            for end in range(0, len(body) - 1, 7):
                assert isinstance(read(body[:end]), NotJudged)

    @pytest.mark.parametrize(("read", "text"), EXCHANGES)
    def test_reads_its_own_answer_cut_as_no_answer(self, read: Callable[[bytes], Answer], text: str) -> None:
        body = text.encode()
        assert {type(read(body[:end])) for end in range(0, len(body), 7)} == {NotJudged}

    @pytest.mark.parametrize("read", READERS)
    @pytest.mark.parametrize(
        ("body", "cause"),
        [
            (b"", Cause.EMPTY),
            (b"<html>504 Gateway Time-out</html>", Cause.HTML),
            (b"<a/>", Cause.UNEXPECTED_ANSWER),
            (message("retOutro", verdict("225", "Rejeição")).encode(), Cause.UNEXPECTED_ANSWER),
        ],
    )
    def test_judges_nothing_by_what_is_no_answer(
        self, read: Callable[[bytes], Answer], body: bytes, cause: Cause
    ) -> None:
        found = read(body)
        assert isinstance(found, NotJudged)
        assert found.cause is cause

    @pytest.mark.parametrize(("read", "text"), EXCHANGES)
    @pytest.mark.parametrize("code", ["", "10", "10000", "1O0", "-100", "１００", "1<!-- -->00", "100<a/>"])
    def test_judges_nothing_by_a_garbled_code(
        self, read: Callable[[bytes], Answer], text: str, code: str
    ) -> None:
        before, last = text.rsplit("<cStat>", 1)
        garbled = f"{before}<cStat>{code}{last[3:]}"
        assert not isinstance(read(garbled.encode()), Authorized | Available | Rejected | DistributionPage)

    @pytest.mark.parametrize("read", READERS)
    @given(body=st.binary(max_size=200))
    def test_never_raises_on_any_bytes(self, read: Callable[[bytes], Answer], body: bytes) -> None:
        assert isinstance(read(body), NotJudged)

    @pytest.mark.parametrize("read", READERS)
    @given(data=st.data())
    def test_never_raises_on_damaged_answers(
        self, read: Callable[[bytes], Answer], data: st.DataObject
    ) -> None:
        body = bytearray(data.draw(st.sampled_from([*SUCCESSES, *REFUSALS])).encode())
        for _ in range(3):
            body[data.draw(st.integers(0, len(body) - 1))] = data.draw(st.integers(0, 255))
        assert isinstance(read(bytes(body)), Answered | NotJudged)

    @pytest.mark.parametrize("read", READERS)
    @given(values=st.lists(st.tuples(st.sampled_from(TAGS), TEXTS)))
    def test_never_raises_on_odd_values(
        self, read: Callable[[bytes], Answer], values: list[tuple[str, str]]
    ) -> None:
        inside = "".join(f"<{tag}>{text}</{tag}>" for tag, text in values)
        protocol = f"{verdict('104', '')}<protNFe><infProt>{inside}</infProt></protNFe>"
        for root in ROOTS:
            for text in (inside, protocol):
                assert isinstance(read(message(root, text).encode()), Answered | NotJudged)

    @pytest.mark.parametrize(
        ("code", "outage"),
        [
            ("108", Outage.SHORT),
            ("109", Outage.WITHOUT_FORECAST),
            ("113", Outage.CONTINGENCY_CLOSING),
            ("114", Outage.CONTINGENCY_CLOSED),
        ],
    )
    def test_tells_an_authority_out_of_service(self, code: str, outage: Outage) -> None:
        expected = Unavailable(code=code, message="Serviço Paralisado", outage=outage)
        for text in (lot, receipt_answer, consult, inutilization, event_lot, distribution):
            body = text(code, "Serviço Paralisado").encode()
            assert expected in [read(body) for read in READERS]

    def test_tells_a_block_for_too_many_calls(self) -> None:
        expected = Throttled(code="656", message="Rejeição: Consumo Indevido")
        for text in (lot, receipt_answer, consult, inutilization, event_lot, status):
            body = text("656", "Rejeição: Consumo Indevido").encode()
            assert expected in [read(body) for read in READERS]
