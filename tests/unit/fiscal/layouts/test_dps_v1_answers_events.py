"""Answers of the national environment about events, and their outcomes."""

from datetime import datetime

import pytest

import nfse_answers as nfse
from carimbo.fiscal.layouts.dps_v1.answers import read_event, read_registered_event
from carimbo.fiscal.layouts.dps_v1.events import NoteEventIdentity
from carimbo.fiscal.outcome import (
    Authorized,
    Cause,
    Duplicate,
    Rejected,
    Throttled,
    Unknown,
)
from nfse_answers import CANCELED_AT, CANCELLATION, DIGEST, KEY, OTHER_KEY, PAGE, SUBSTITUTION, body, event
from unit.fiscal.layouts.outcomes import cause

EVENT = NoteEventIdentity(CANCELLATION, KEY)
REGISTERED = Authorized(
    code=CANCELLATION,
    message="Cancelamento de NFS-e",
    protocol=f"EVT{KEY}{CANCELLATION}001",
    authorized_at=datetime.fromisoformat(CANCELED_AT),
    protocol_xml=event().encode(),
    access_key=KEY,
    digest=DIGEST,
)
LINKED = "O evento de Cancelamento de NFS-e já está vinculado à NFS-e indicada."
OTHERS = [
    event(SUBSTITUTION),
    event(key=OTHER_KEY),
    event(processed=None),
    event(processed="hoje"),
    event().replace("infEvento", "infOutro"),
    event().replace("pedRegEvento", "pedido"),
    nfse.note(),
]


class TestARegistration:
    @pytest.mark.parametrize("status", [200, 201])
    def test_registration_of_an_event_is_read(self, status: int) -> None:
        assert read_event(status, nfse.registered(), EVENT) == REGISTERED

    @pytest.mark.parametrize("xml", OTHERS)
    def test_registration_of_another_event_judges_nothing(self, xml: str) -> None:
        assert cause(read_event(201, nfse.registered(xml), EVENT)) is Cause.UNEXPECTED_ANSWER

    @pytest.mark.parametrize("answer", [body(), body(eventos=[]), body(eventos=[7, {"arquivoXml": 7}])])
    def test_registration_without_an_event_judges_nothing(self, answer: bytes) -> None:
        assert cause(read_event(201, answer, EVENT)) is Cause.UNEXPECTED_ANSWER

    @pytest.mark.parametrize("xml", [event()[:-9], "texto"])
    def test_registration_that_cannot_be_read_judges_nothing(self, xml: str) -> None:
        assert cause(read_event(201, nfse.registered(xml), EVENT)) is Cause.UNREADABLE


class TestARefusedEvent:
    def test_refused_event_has_the_error(self) -> None:
        answer = body(erro=[{"codigo": "E0822", "descricao": "O prazo expirou."}])
        outcome = read_event(400, answer, EVENT)
        assert isinstance(outcome, Rejected)
        assert (outcome.code, outcome.message) == ("E0822", "O prazo expirou.")

    @pytest.mark.parametrize("code", ["E0840", "E0802"])
    @pytest.mark.parametrize("many", [True, False])
    def test_refusal_of_an_event_that_exists_is_a_duplicate(self, code: str, many: bool) -> None:
        error = {"codigo": code, "descricao": LINKED}
        answer = body(erro=[error] if many else error)
        assert read_event(400, answer, EVENT) == Duplicate(code=code, message=LINKED)

    def test_failure_of_the_service_is_no_refusal_of_the_event(self) -> None:
        assert cause(read_event(500, PAGE, EVENT)) is Cause.HTTP_STATUS


class TestAConsultedEvent:
    @pytest.mark.parametrize("answer", [nfse.stored_event(), nfse.registered()])
    def test_queried_event_is_read_as_when_it_was_registered(self, answer: bytes) -> None:
        assert read_registered_event(200, answer, EVENT) == REGISTERED

    def test_queried_event_without_a_signature_has_no_digest(self) -> None:
        outcome = read_registered_event(200, nfse.stored_event(event(digest=None)), EVENT)
        assert isinstance(outcome, Authorized)
        assert outcome.digest == ""

    def test_queried_event_is_unknown_if_the_service_says_so(self) -> None:
        outcome = read_registered_event(404, nfse.NO_EVENT, EVENT)
        assert outcome == Unknown(code="404", message="Não encontrado.")

    @pytest.mark.parametrize(("answer", "reason"), [(PAGE, Cause.HTML), (b"", Cause.EMPTY)])
    def test_queried_event_is_not_unknown_if_an_intermediate_server_says_so(
        self, answer: bytes, reason: Cause
    ) -> None:
        assert cause(read_registered_event(404, answer, EVENT)) is reason

    @pytest.mark.parametrize("xml", OTHERS)
    def test_query_that_returns_another_event_judges_nothing(self, xml: str) -> None:
        assert cause(read_registered_event(200, nfse.stored_event(xml), EVENT)) is Cause.UNEXPECTED_ANSWER

    def test_error_about_the_query_does_not_judge_the_event(self) -> None:
        answer = body(erro={"codigo": "E0900", "descricao": "A requisição violou alguma regra de negócio"})
        assert cause(read_registered_event(422, answer, EVENT)) is Cause.UNDECIDED
        assert isinstance(read_registered_event(429, PAGE, EVENT), Throttled)
