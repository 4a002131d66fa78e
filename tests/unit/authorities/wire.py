"""A network that only tests see, for SOAP and for REST, what is sent over it, and a clock that tests move."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from lxml import etree

import nfe_answers as said
from carimbo.authorities.http_answer import Answer
from carimbo.authorities.transport import Question
from carimbo.fiscal.access_key import AccessKey
from carimbo.fiscal.certificate import A1Certificate
from carimbo.fiscal.layouts.nfe_v4.events import Cancellation, Detail, Event, OperationAcknowledged
from carimbo.fiscal.layouts.nfe_v4.inutilization import signed_inutilization
from carimbo.fiscal.layouts.sefaz.events import NATIONAL_ORGAN, signed_event
from carimbo.fiscal.outcome import Cause, NotJudged
from carimbo.fiscal.signature import Signer
from carimbo.fiscal.signed_document import SignedDocument
from support import CNPJ
from unit.fiscal.keys import with_parts

BASE = "https://127.0.0.1:8443"
KEY = AccessKey.parse(said.KEY)
NFCE_KEY = with_parts(KEY, model="65", state_code="33")
CONTINGENCY_KEY = with_parts(KEY, emission_type="6")
XML = b'<NFe xmlns="http://www.portalfiscal.inf.br/nfe">assinada</NFe>'
REFUSED = NotJudged(cause=Cause.CONNECTION, detail="conexão recusada", may_have_arrived=False)
LOST = NotJudged(cause=Cause.TIMEOUT, detail="sem resposta")
TAKEN_BACK = Cancellation(protocol=said.PROTOCOL, reason="Desistência do comprador")
VOIDED = signed_inutilization(said.VOIDED, Signer.throwaway())
Told = Answer | NotJudged
NOON = datetime(2026, 11, 15, 12, tzinfo=UTC)
_BEGIN = 50_000.0


class Wire:
    """Stands for the network: keeps what is sent, and answers what it was told to."""

    def __init__(self) -> None:
        self.answer: str | NotJudged = LOST
        self.sent: list[tuple[str, str, bytes]] = []
        self.most_seconds: list[float | None] = []

    async def exchange(
        self,
        certificate: A1Certificate,
        address: str,
        action: str,
        envelope: bytes,
        most_seconds: float | None,
    ) -> bytes | NotJudged:
        self.most_seconds.append(most_seconds)
        self.sent.append((address.removeprefix(BASE), action, envelope))
        return self.answer.encode() if isinstance(self.answer, str) else self.answer

    @property
    def path(self) -> str:
        return self.sent[-1][0]

    @property
    def body(self) -> etree._Element:
        """What stands in the body of the last envelope."""
        (inside,) = etree.fromstring(self.sent[-1][2])[0]
        return inside

    def text(self, tag: str) -> str | None:
        return self.body.findtext(f".//{{{said.NAMESPACE}}}{tag}")


def document(key: AccessKey = KEY) -> SignedDocument:
    return SignedDocument(XML, str(key), said.DIGEST)


def event(detail: Detail, organ: str = "35", key: AccessKey = KEY) -> bytes:
    """A signed event."""
    moment = datetime.fromisoformat("2026-11-15T10:00:00-03:00")
    return signed_event(Event(organ, "2", CNPJ, key, moment, 1, detail), Signer.throwaway())


CANCELLATION = event(TAKEN_BACK)
ACKNOWLEDGEMENT = event(OperationAcknowledged(), NATIONAL_ORGAN)


class RestWire:
    """Stands for the network: keeps what is asked, and answers by method and path what it was told to."""

    def __init__(self) -> None:
        self.answers: dict[str, Told] = {}
        self.asked: list[str] = []
        self.questions: list[Question] = []
        self.addresses: list[str] = []
        self.most_seconds: list[float | None] = []

    async def fetch(
        self, certificate: A1Certificate, address: str, question: Question, most_seconds: float | None
    ) -> Told:
        self.addresses.append(address.removeprefix(BASE))
        self.most_seconds.append(most_seconds)
        self.questions.append(question)
        self.asked.append(f"{question.method} {question.path}")
        return self.answers.get(self.asked[-1], LOST)

    def say(self, question: str, status: int, body: bytes) -> None:
        """Answer a question like this from now on."""
        self.answers[question] = Answer(status, body)

    @property
    def json(self) -> Mapping[str, str]:
        """The body of the last question."""
        read: Mapping[str, str] = json.loads(self.questions[-1].body)
        return read


class Clock:
    """Seconds that count up, and the time of day that goes with them: noon at first."""

    def __init__(self) -> None:
        self.seconds = _BEGIN

    def __call__(self) -> float:
        return self.seconds

    def now(self) -> datetime:
        return NOON + timedelta(seconds=self.seconds - _BEGIN)
