"""A simulated network for SOAP and REST, requests to send over it, and a clock that tests move."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from lxml import etree

import nfe_answers
from carimbo.authorities.transport import HttpRequest
from carimbo.fiscal.identity.access_key import AccessKey
from carimbo.fiscal.identity.certificate import A1Certificate
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.layouts.nfe_v4.events import Cancellation, Detail, InvoiceEvent, OperationAcknowledged
from carimbo.fiscal.layouts.nfe_v4.inutilization import signed_inutilization
from carimbo.fiscal.layouts.sefaz.events import NATIONAL_ORGAN, signed_event
from carimbo.fiscal.outcome import Cause, NotJudged
from carimbo.fiscal.signed_documents import SignedDocument
from carimbo.http_client.response_reader import HttpResponse
from support import CNPJ
from unit.fiscal.keys import with_parts

BASE = "https://127.0.0.1:8443"
KEY = AccessKey.parse(nfe_answers.KEY)
NFCE_KEY = with_parts(KEY, model="65", state_code="33")
CONTINGENCY_KEY = with_parts(KEY, emission_type="6")
XML = b'<NFe xmlns="http://www.portalfiscal.inf.br/nfe">assinada</NFe>'
REFUSED = NotJudged(cause=Cause.CONNECTION, detail="conexão recusada", may_have_arrived=False)
LOST = NotJudged(cause=Cause.TIMEOUT, detail="sem resposta")
TAKEN_BACK = Cancellation(protocol=nfe_answers.PROTOCOL, reason="Desistência do comprador")
INUTILIZED = signed_inutilization(nfe_answers.INUTILIZED, Signer.throwaway())
Told = HttpResponse | NotJudged
NOON = datetime(2026, 11, 15, 12, tzinfo=UTC)
_BEGIN = 50_000.0


class Wire:
    """A simulated SOAP network: records the requests and gives the configured answer."""

    def __init__(self) -> None:
        self.answer: str | NotJudged = LOST
        self.sent: list[tuple[str, str, bytes]] = []
        self.max_seconds: list[float | None] = []

    async def exchange(
        self,
        certificate: A1Certificate,
        address: str,
        action: str,
        envelope: bytes,
        max_seconds: float | None,
    ) -> bytes | NotJudged:
        self.max_seconds.append(max_seconds)
        self.sent.append((address.removeprefix(BASE), action, envelope))
        return self.answer.encode() if isinstance(self.answer, str) else self.answer

    @property
    def path(self) -> str:
        return self.sent[-1][0]

    @property
    def body(self) -> etree._Element:
        """Returns the content of the body of the last envelope."""
        (inside,) = etree.fromstring(self.sent[-1][2])[0]
        return inside

    def text(self, tag: str) -> str | None:
        return self.body.findtext(f".//{{{nfe_answers.NAMESPACE}}}{tag}")


def document(key: AccessKey = KEY) -> SignedDocument:
    return SignedDocument(XML, str(key), nfe_answers.DIGEST)


def event(detail: Detail, organ: str = "35", key: AccessKey = KEY) -> bytes:
    """Returns a signed event."""
    moment = datetime.fromisoformat("2026-11-15T10:00:00-03:00")
    return signed_event(InvoiceEvent(organ, "2", CNPJ, key, moment, 1, detail), Signer.throwaway())


CANCELLATION = event(TAKEN_BACK)
ACKNOWLEDGEMENT = event(OperationAcknowledged(), NATIONAL_ORGAN)


class RestWire:
    """A simulated REST network: records the requests and answers by method and path."""

    def __init__(self) -> None:
        self.answers: dict[str, Told] = {}
        self.requests: list[str] = []
        self.questions: list[HttpRequest] = []
        self.addresses: list[str] = []
        self.max_seconds: list[float | None] = []

    async def fetch(
        self, certificate: A1Certificate, address: str, question: HttpRequest, max_seconds: float | None
    ) -> Told:
        self.addresses.append(address.removeprefix(BASE))
        self.max_seconds.append(max_seconds)
        self.questions.append(question)
        self.requests.append(f"{question.method} {question.path}")
        return self.answers.get(self.requests[-1], LOST)

    def say(self, question: str, status: int, body: bytes) -> None:
        """Sets the answer to a request."""
        self.answers[question] = HttpResponse(status, body)

    @property
    def json(self) -> Mapping[str, str]:
        """Returns the body of the last request."""
        read: Mapping[str, str] = json.loads(self.questions[-1].body)
        return read


class Clock:
    """A clock in seconds with the matching time of day, which starts at noon."""

    def __init__(self) -> None:
        self.seconds = _BEGIN

    def __call__(self) -> float:
        return self.seconds

    def now(self) -> datetime:
        return NOON + timedelta(seconds=self.seconds - _BEGIN)
