"""An answer of any service that is cut, damaged or missing judges nothing, and never raises."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from carimbo.fiscal.distribution import DistributionPage, UnreadablePage
from carimbo.fiscal.layouts.nfe_v4.inutilization import read_inutilization
from carimbo.fiscal.outcome import (
    AuthorityAnswer,
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
    INUTILIZED,
    KEY,
    PROTOCOL,
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
from nfe_dialect import (
    read_authorization,
    read_consult,
    read_distribution,
    read_event,
    read_receipt,
    read_registered_event,
    read_status,
)

Answer = Outcome | Available | DistributionPage
AUTHORIZED = note_protocol("100", "Autorizado o uso da NF-e")


def read_cancellation(body: bytes) -> Outcome:
    return read_event(body, KEY, CANCELLATION, 1)


def read_inutilized_range(body: bytes) -> Outcome:
    return read_inutilization(body, INUTILIZED)


def read_stored_correction(body: bytes) -> Outcome:
    return read_registered_event(body, KEY, CORRECTION, 2)


def read_page(body: bytes) -> DistributionPage | Outcome:
    """Reads a page; one that can't be read is kept, and judges nothing."""
    answer = read_distribution(body)
    return answer.failure if isinstance(answer, UnreadablePage) else answer


Reader = Callable[[bytes], Answer]
# Each reader, with one whole success for it.
EXCHANGES: dict[str, tuple[Reader, str]] = {
    "authorization": (read_authorization, processed(AUTHORIZED)),
    "receipt": (read_receipt, receipt_answer("104", "Lote processado", AUTHORIZED)),
    "consult": (read_consult, consult("100", "Autorizado o uso da NF-e", AUTHORIZED)),
    "inutilization": (
        read_inutilized_range,
        inutilization("102", "Inutilização de número homologado", PROTOCOL),
    ),
    "status": (read_status, status("107", "Serviço em Operação")),
    "distribution": (read_page, distribution("138", "Documento localizado", zipped(b"<a/>"))),
    "cancellation": (
        read_cancellation,
        processed_events(event_receipt("135", "Evento registrado e vinculado a NF-e")),
    ),
    "stored correction": (
        read_stored_correction,
        consult("100", "Autorizado o uso da NF-e", stored_event(event_type=CORRECTION, sequence="2")),
    ),
}
READERS = {name: read for name, (read, _) in EXCHANGES.items()}
SUCCESSES = [text for _, text in EXCHANGES.values()]
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


JUDGEMENTS = Authorized | Available | Rejected | DistributionPage
ANY_BYTES = st.binary(max_size=200)
ODD_VALUES = st.lists(st.tuples(st.sampled_from(TAGS), TEXTS))


def without_receipt(outcome: Answer) -> Answer:
    """Returns an outcome without the XML of the receipt, which differs from host to host."""
    return replace(outcome, protocol_xml=b"") if isinstance(outcome, Authorized) else outcome


@st.composite
def damaged_answers(draw: Callable[..., Any]) -> bytes:
    """Draws an answer with three bytes changed."""
    body = bytearray(draw(st.sampled_from([*SUCCESSES, *REFUSALS])).encode())
    for _ in range(3):
        body[draw(st.integers(0, len(body) - 1))] = draw(st.integers(0, 255))
    return bytes(body)


def answers_with(values: list[tuple[str, str]]) -> list[bytes]:
    """Returns an answer of every kind with these values in it, at its top and in a protocol."""
    inside = "".join(f"<{tag}>{text}</{tag}>" for tag, text in values)
    protocol = f"{verdict('104', '')}<protNFe><infProt>{inside}</infProt></protNFe>"
    return [message(root, text).encode() for root in ROOTS for text in (inside, protocol)]


def readings(bodies: Iterable[bytes]) -> Iterator[tuple[str, bytes, Answer]]:
    """Yields the outcome of each reader for each body."""
    for body in bodies:
        yield from ((name, body, read(body)) for name, read in READERS.items())


def assert_readers_judge_nothing(*bodies: bytes) -> None:
    """Checks that no reader takes one of these bodies for an answer."""
    assert [reading for reading in readings(bodies) if not isinstance(reading[2], NotJudged)] == []


def assert_readers_answer(*bodies: bytes) -> None:
    """Checks that no reader raises, whatever it is given."""
    assert [
        reading for reading in readings(bodies) if not isinstance(reading[2], AuthorityAnswer | NotJudged)
    ] == []


class TestEveryReader:
    def test_every_reader_reads_the_same_in_every_wrapping(self) -> None:
        for name, (read, text) in EXCHANGES.items():
            plain, *others = [without_receipt(read(body)) for body in dressed(text)]
            assert isinstance(plain, Authorized | Available | DistributionPage), name
            assert others == [plain] * len(others), name

    @pytest.mark.parametrize("text", [SUCCESSES[0], REFUSALS[0]], ids=["success", "refusal"])
    def test_every_reader_takes_a_cut_off_answer_as_no_answer(self, text: str) -> None:
        assert_readers_judge_nothing(
            *(body[:end] for body in dressed(text) for end in range(0, len(body) - 1, 7))
        )

    def test_every_reader_takes_its_own_answer_cut_off_as_no_answer(self) -> None:
        judged = [
            (name, end)
            for name, (read, text) in EXCHANGES.items()
            for end in range(0, len(text.encode()), 7)
            if not isinstance(read(text.encode()[:end]), NotJudged)
        ]
        assert judged == []

    def test_no_reader_judges_by_a_body_that_is_no_answer(self) -> None:
        causes = {
            b"": Cause.EMPTY,
            b"<html>504 Gateway Time-out</html>": Cause.HTML,
            b"<a/>": Cause.UNEXPECTED_ANSWER,
            message("retOutro", verdict("225", "Rejeição")).encode(): Cause.UNEXPECTED_ANSWER,
        }
        wrong = [
            (name, body, outcome)
            for name, body, outcome in readings(causes)
            if not isinstance(outcome, NotJudged) or outcome.cause is not causes[body]
        ]
        assert wrong == []

    @pytest.mark.parametrize("code", ["", "10", "10000", "1O0", "-100", "１００", "1<!-- -->00", "100<a/>"])
    def test_no_reader_judges_by_a_malformed_code(self, code: str) -> None:
        judged = {}
        for name, (read, text) in EXCHANGES.items():
            before, last = text.rsplit("<cStat>", 1)
            outcome = read(f"{before}<cStat>{code}{last[3:]}".encode())
            if isinstance(outcome, JUDGEMENTS):
                judged[name] = outcome
        assert judged == {}

    @settings(max_examples=40)
    @given(body=ANY_BYTES)
    def test_no_reader_raises_on_any_bytes(self, body: bytes) -> None:
        assert_readers_judge_nothing(body)

    @settings(max_examples=60)
    @given(body=damaged_answers())
    def test_no_reader_raises_on_damaged_answers(self, body: bytes) -> None:
        assert_readers_answer(body)

    @settings(max_examples=25)
    @given(values=ODD_VALUES)
    def test_no_reader_raises_on_odd_values(self, values: list[tuple[str, str]]) -> None:
        assert_readers_answer(*answers_with(values))

    @pytest.mark.parametrize(
        ("code", "outage"),
        [
            ("108", Outage.SHORT),
            ("109", Outage.WITHOUT_FORECAST),
            ("113", Outage.CONTINGENCY_CLOSING),
            ("114", Outage.CONTINGENCY_CLOSED),
        ],
    )
    def test_authority_out_of_service_is_reported(self, code: str, outage: Outage) -> None:
        expected = Unavailable(code=code, message="Serviço Paralisado", outage=outage)
        for text in (lot, receipt_answer, consult, inutilization, event_lot, distribution):
            body = text(code, "Serviço Paralisado").encode()
            assert expected in [read(body) for read in READERS.values()]

    def test_block_for_too_many_calls_is_reported(self) -> None:
        expected = Throttled(code="656", message="Rejeição: Consumo Indevido")
        for text in (lot, receipt_answer, consult, inutilization, event_lot, status):
            body = text("656", "Rejeição: Consumo Indevido").encode()
            assert expected in [read(body) for read in READERS.values()]
