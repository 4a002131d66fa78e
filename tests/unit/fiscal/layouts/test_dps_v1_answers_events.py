"""What the national environment says of events, and what that means."""

from datetime import datetime

import pytest

import nfse_answers as said
from carimbo.fiscal.layouts.dps_v1.event_answers import read_event, read_registered_event
from carimbo.fiscal.layouts.dps_v1.events import EventIdentity
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

EVENT = EventIdentity(CANCELLATION, KEY)
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
    said.note(),
]


class TestARegistration:
    @pytest.mark.parametrize("status", [200, 201])
    def test_is_told_with_what_was_registered(self, status: int) -> None:
        assert read_event(status, said.registered(), EVENT) == REGISTERED

    @pytest.mark.parametrize("xml", OTHERS)
    def test_of_another_event_judges_nothing(self, xml: str) -> None:
        assert cause(read_event(201, said.registered(xml), EVENT)) is Cause.UNEXPECTED_ANSWER

    @pytest.mark.parametrize("answer", [body(), body(eventos=[]), body(eventos=[7, {"arquivoXml": 7}])])
    def test_without_an_event_judges_nothing(self, answer: bytes) -> None:
        assert cause(read_event(201, answer, EVENT)) is Cause.UNEXPECTED_ANSWER

    @pytest.mark.parametrize("xml", [event()[:-9], "texto"])
    def test_that_cannot_be_read_judges_nothing(self, xml: str) -> None:
        assert cause(read_event(201, said.registered(xml), EVENT)) is Cause.UNREADABLE


class TestARefusedEvent:
    def test_tells_the_error(self) -> None:
        answer = body(erro=[{"codigo": "E0822", "descricao": "O prazo expirou."}])
        outcome = read_event(400, answer, EVENT)
        assert isinstance(outcome, Rejected)
        assert (outcome.code, outcome.message) == ("E0822", "O prazo expirou.")

    @pytest.mark.parametrize("code", ["E0840", "E0802"])
    @pytest.mark.parametrize("many", [True, False])
    def test_because_there_is_one_leads_to_a_question(self, code: str, many: bool) -> None:
        error = {"codigo": code, "descricao": LINKED}
        answer = body(erro=[error] if many else error)
        assert read_event(400, answer, EVENT) == Duplicate(code=code, message=LINKED)

    def test_by_a_service_in_trouble_is_none(self) -> None:
        assert cause(read_event(500, PAGE, EVENT)) is Cause.HTTP_STATUS


class TestAConsultedEvent:
    @pytest.mark.parametrize("answer", [said.stored_event(), said.registered()])
    def test_is_read_as_when_it_was_registered(self, answer: bytes) -> None:
        assert read_registered_event(200, answer, EVENT) == REGISTERED

    def test_that_nobody_signed_is_not_ours(self) -> None:
        outcome = read_registered_event(200, said.stored_event(event(digest=None)), EVENT)
        assert isinstance(outcome, Authorized)
        assert outcome.digest == ""

    def test_is_unknown_if_the_service_says_so(self) -> None:
        outcome = read_registered_event(404, said.NO_EVENT, EVENT)
        assert outcome == Unknown(code="404", message="Não encontrado.")

    @pytest.mark.parametrize(("answer", "reason"), [(PAGE, Cause.HTML), (b"", Cause.EMPTY)])
    def test_is_not_unknown_because_a_server_between_us_says_so(self, answer: bytes, reason: Cause) -> None:
        assert cause(read_registered_event(404, answer, EVENT)) is reason

    @pytest.mark.parametrize("xml", OTHERS)
    def test_that_is_another_judges_nothing(self, xml: str) -> None:
        assert cause(read_registered_event(200, said.stored_event(xml), EVENT)) is Cause.UNEXPECTED_ANSWER

    def test_is_not_judged_by_what_is_wrong_with_the_question(self) -> None:
        answer = body(erro={"codigo": "E0900", "descricao": "A requisição violou alguma regra de negócio"})
        assert cause(read_registered_event(422, answer, EVENT)) is Cause.UNDECIDED
        assert isinstance(read_registered_event(429, PAGE, EVENT), Throttled)
