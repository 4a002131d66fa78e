"""How an authority's answer is logged."""

from datetime import UTC, datetime

from carimbo.fiscal.outcome import Authorized, Cause, NotJudged
from carimbo.service.authority_answers import log_fields


class TestAnswerInALog:
    def test_log_has_the_authoritys_message_and_no_xml(self) -> None:
        authorized = Authorized(
            code="135",
            message="Evento registrado",
            protocol="135260000000007",
            authorized_at=datetime(2026, 11, 16, tzinfo=UTC),
            protocol_xml=b"<CPFDest>52998224725</CPFDest>",
        )
        assert log_fields(authorized) == {"answer": "Authorized", "code": "135", "told": "Evento registrado"}

    def test_log_has_the_observed_failure_where_there_was_no_answer(self) -> None:
        lost = NotJudged(cause=Cause.CONNECTION, detail="a conexão foi encerrada sem resposta")
        assert log_fields(lost) == {
            "answer": "NotJudged",
            "code": None,
            "told": "a conexão foi encerrada sem resposta",
        }
