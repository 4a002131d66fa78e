"""An answer of the national environment that is cut, damaged or invented judges nothing, and never raises."""

import json
from collections.abc import Callable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import nfse_answers as nfse
from carimbo.fiscal.layouts.dps_v1.answer_part import pack_xml
from carimbo.fiscal.layouts.dps_v1.answers import (
    read_agreement,
    read_event,
    read_issued,
    read_key,
    read_note,
    read_presence,
    read_rate,
    read_registered_event,
)
from carimbo.fiscal.layouts.dps_v1.events import NoteEventIdentity
from carimbo.fiscal.municipal_agreement import Agreement, MunicipalRate
from carimbo.fiscal.outcome import AuthorityAnswer, Available, NotJudged

Reader = Callable[[int, bytes], Any]
EVENT = NoteEventIdentity(nfse.CANCELLATION, nfse.KEY)
SERVICE = "01.07.01.000"


# Each reader, with one whole success for it.
EXCHANGES: dict[str, tuple[Reader, bytes]] = {
    "issued": (lambda status, body: read_issued(status, body, nfse.DPS_ID), nfse.issued()),
    "key": (read_key, nfse.of_dps()),
    "note": (lambda status, body: read_note(status, body, nfse.DPS_ID), nfse.stored()),
    "event": (lambda status, body: read_event(status, body, EVENT), nfse.registered()),
    "stored event": (
        lambda status, body: read_registered_event(status, body, EVENT),
        nfse.stored_event(),
    ),
    "agreement": (lambda status, body: read_agreement(status, body, "3509502"), nfse.agreed()),
    "rate": (lambda status, body: read_rate(status, body, "3509502", SERVICE), nfse.rates("5.00")),
}
SUCCESSES = [text for _, text in EXCHANGES.values()]
REFUSALS = [nfse.refused(nfse.error("E0617", "Não pode.", "Nunca.")), nfse.NO_NOTE, nfse.NO_AGREEMENT]
STATUSES = [200, 201, 400, 403, 404, 422, 429, 500, 503]
NAMES = st.sampled_from(
    [
        "erros",
        "erro",
        "codigo",
        "descricao",
        "nfseXmlGZipB64",
        "chaveAcesso",
        "eventos",
        "arquivoXml",
        "aliquotas",
    ]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | st.just("E0617"),
    lambda inside: st.lists(inside, max_size=3) | st.dictionaries(NAMES, inside, max_size=4),
    max_leaves=8,
)
SOMETHING = AuthorityAnswer | NotJudged | Agreement | MunicipalRate | str


ANY_BYTES = st.binary(max_size=200)


def with_damage(draw: Callable[..., Any], whole: bytes) -> bytes:
    """Returns an answer or document with three bytes changed."""
    body = bytearray(whole)
    for _ in range(3):
        body[draw(st.integers(0, len(body) - 1))] = draw(st.integers(0, 255))
    return bytes(body)


@st.composite
def damaged_answers(draw: Callable[..., Any]) -> bytes:
    """Draws an answer that is damaged."""
    return with_damage(draw, draw(st.sampled_from([*SUCCESSES, *REFUSALS])))


@st.composite
def damaged_documents(draw: Callable[..., Any]) -> bytes:
    """Draws a whole answer, with a damaged document in it."""
    inside = pack_xml(with_damage(draw, draw(st.sampled_from([nfse.note(), nfse.event()])).encode()))
    return nfse.body(nfseXmlGZipB64=inside, eventoXmlGZipB64=inside)


ODD_VALUES = VALUES.map(lambda value: json.dumps(value).encode())


def assert_readers_answer(body: bytes) -> None:
    """Checks that no reader raises, whatever it is given with any status."""
    outcomes = [
        (name, status, read(status, body)) for name, (read, _) in EXCHANGES.items() for status in STATUSES
    ]
    assert [outcome for outcome in outcomes if not isinstance(outcome[2], SOMETHING)] == []


def assert_presence_depends_on_the_status_alone(body: bytes) -> None:
    """Checks that availability depends on the status and not on the body."""
    assert isinstance(read_presence(404, body), Available)
    assert isinstance(read_presence(503, body), NotJudged)


class TestEveryReader:
    def test_every_reader_reads_its_own_answer(self) -> None:
        outcomes = {name: read(200, text) for name, (read, text) in EXCHANGES.items()}
        assert {name: outcome for name, outcome in outcomes.items() if isinstance(outcome, NotJudged)} == {}

    def test_every_reader_takes_its_own_answer_cut_off_as_no_answer(self) -> None:
        judged = [
            (name, end)
            for name, (read, text) in EXCHANGES.items()
            for end in range(0, len(text), 7)
            if not isinstance(read(200, text[:end]), NotJudged)
        ]
        assert judged == []

    def test_no_reader_judges_by_a_refusal_with_the_status_of_a_success(self) -> None:
        judged = [
            (name, text)
            for name, (read, _) in EXCHANGES.items()
            for text in REFUSALS
            if not isinstance(read(200, text), NotJudged)
        ]
        assert judged == []

    @settings(max_examples=25)
    @given(body=ANY_BYTES)
    def test_no_reader_raises_on_any_bytes(self, body: bytes) -> None:
        assert_readers_answer(body)

    @settings(max_examples=25)
    @given(body=damaged_answers())
    def test_no_reader_raises_on_damaged_answers(self, body: bytes) -> None:
        assert_readers_answer(body)

    @settings(max_examples=25)
    @given(body=ODD_VALUES)
    def test_no_reader_raises_on_odd_values(self, body: bytes) -> None:
        assert_readers_answer(body)

    @settings(max_examples=25)
    @given(body=damaged_documents())
    def test_no_reader_raises_on_damaged_documents(self, body: bytes) -> None:
        assert_readers_answer(body)

    @settings(max_examples=10)
    @given(body=ANY_BYTES)
    def test_availability_depends_on_the_status_alone(self, body: bytes) -> None:
        assert_presence_depends_on_the_status_alone(body)
