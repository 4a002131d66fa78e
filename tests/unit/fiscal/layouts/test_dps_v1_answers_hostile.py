"""Answers of the national environment cut, damaged or invented: what is not whole judges nothing."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import nfse_answers as said
from carimbo.fiscal.layouts.dps_v1.answers import read_issued, read_key, read_note, read_presence
from carimbo.fiscal.layouts.dps_v1.event_answers import read_event, read_registered_event
from carimbo.fiscal.layouts.dps_v1.events import EventIdentity
from carimbo.fiscal.layouts.dps_v1.packing import packed
from carimbo.fiscal.layouts.dps_v1.parameter_answers import read_agreement, read_rate
from carimbo.fiscal.municipal_agreement import Agreement, MunicipalRate
from carimbo.fiscal.outcome import Answered, Available, NotJudged

Reader = Callable[[int, bytes], Any]
EVENT = EventIdentity(said.CANCELLATION, said.KEY)
SERVICE = "01.07.01.000"


def read_any_event(status: int, body: bytes) -> Any:
    return read_event(status, body, EVENT)


READERS: list[Reader] = [
    lambda status, body: read_issued(status, body, said.DPS_ID),
    read_key,
    lambda status, body: read_note(status, body, said.DPS_ID),
    read_any_event,
    lambda status, body: read_registered_event(status, body, EVENT),
    lambda status, body: read_agreement(status, body, "3509502"),
    lambda status, body: read_rate(status, body, "3509502", SERVICE),
]
# One whole success per reader, in the same order.
SUCCESSES = [
    said.issued(),
    said.of_dps(),
    said.stored(),
    said.registered(),
    said.stored_event(),
    said.agreed(),
    said.rates("5.00"),
]
EXCHANGES = list(zip(READERS, SUCCESSES, strict=True))
IDS = ["issued", "key", "note", "event", "stored event", "agreement", "rate"]
REFUSALS = [said.refused(said.error("E0617", "Não pode.", "Nunca.")), said.NO_NOTE, said.NO_AGREEMENT]
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
SOMETHING = Answered | NotJudged | Agreement | MunicipalRate | str


class TestEveryReader:
    @pytest.mark.parametrize(("read", "text"), EXCHANGES, ids=IDS)
    def test_reads_its_own_answer(self, read: Reader, text: bytes) -> None:
        assert not isinstance(read(200, text), NotJudged)

    @pytest.mark.parametrize(("read", "text"), EXCHANGES, ids=IDS)
    def test_reads_its_own_answer_cut_as_no_answer(self, read: Reader, text: bytes) -> None:
        assert {type(read(200, text[:end])) for end in range(0, len(text), 7)} == {NotJudged}

    @pytest.mark.parametrize("read", READERS, ids=IDS)
    def test_judges_nothing_by_a_refusal_with_the_status_of_a_success(self, read: Reader) -> None:
        assert {type(read(200, text)) for text in REFUSALS} == {NotJudged}

    @pytest.mark.parametrize("read", READERS, ids=IDS)
    @given(body=st.binary(max_size=200), status=st.sampled_from(STATUSES))
    def test_never_raises_on_any_bytes(self, read: Reader, body: bytes, status: int) -> None:
        assert isinstance(read(status, body), SOMETHING)

    @pytest.mark.parametrize("read", READERS, ids=IDS)
    @given(data=st.data(), status=st.sampled_from(STATUSES))
    def test_never_raises_on_damaged_answers(self, read: Reader, data: st.DataObject, status: int) -> None:
        body = bytearray(data.draw(st.sampled_from([*SUCCESSES, *REFUSALS])))
        for _ in range(3):
            body[data.draw(st.integers(0, len(body) - 1))] = data.draw(st.integers(0, 255))
        assert isinstance(read(status, bytes(body)), SOMETHING)

    @pytest.mark.parametrize("read", READERS, ids=IDS)
    @given(value=VALUES, status=st.sampled_from(STATUSES))
    def test_never_raises_on_odd_values(self, read: Reader, value: Any, status: int) -> None:
        assert isinstance(read(status, json.dumps(value).encode()), SOMETHING)

    @given(data=st.data())
    def test_never_raises_on_damaged_documents(self, data: st.DataObject) -> None:
        xml = bytearray(data.draw(st.sampled_from([said.note(), said.event()])).encode())
        for _ in range(3):
            xml[data.draw(st.integers(0, len(xml) - 1))] = data.draw(st.integers(0, 255))
        inside = packed(bytes(xml))
        answer = said.body(nfseXmlGZipB64=inside, eventoXmlGZipB64=inside)
        for read in READERS:
            assert isinstance(read(201, answer), SOMETHING)

    @given(body=st.binary(max_size=50))
    def test_of_presence_says_so_by_the_status_alone(self, body: bytes) -> None:
        assert isinstance(read_presence(404, body), Available)
        assert isinstance(read_presence(503, body), NotJudged)
