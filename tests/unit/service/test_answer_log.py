"""What a log says of an authority's answer."""

from datetime import UTC, datetime

from carimbo.fiscal.outcome import Authorized, Cause, NotJudged
from carimbo.service.answer_log import in_log


class TestAnswerInALog:
    def test_has_the_authoritys_words_and_no_xml(self) -> None:
        authorized = Authorized(
            code="135",
            message="Evento registrado",
            protocol="135260000000007",
            authorized_at=datetime(2026, 11, 16, tzinfo=UTC),
            protocol_xml=b"<CPFDest>52998224725</CPFDest>",
        )
        assert in_log(authorized) == {"answer": "Authorized", "code": "135", "told": "Evento registrado"}

    def test_has_what_was_seen_where_nothing_was_answered(self) -> None:
        lost = NotJudged(cause=Cause.CONNECTION, detail="a conexão foi encerrada sem resposta")
        assert in_log(lost) == {
            "answer": "NotJudged",
            "code": None,
            "told": "a conexão foi encerrada sem resposta",
        }
