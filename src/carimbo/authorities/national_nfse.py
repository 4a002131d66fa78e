"""The national environment of NFS-e: what is asked of it over REST, and what it answers."""

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from typing import TypeVar

from carimbo.authorities.endpoints import Endpoints
from carimbo.authorities.metrics import AskedService, measured
from carimbo.authorities.pacing import Call, Pacing
from carimbo.authorities.port import Condition
from carimbo.authorities.status_board import StatusBoard
from carimbo.authorities.transport import Fetch, Question
from carimbo.fiscal.layouts.dps_v1.answers import read_issued, read_key, read_note, read_presence
from carimbo.fiscal.layouts.dps_v1.event_answers import Consulted, read_event, read_registered_event
from carimbo.fiscal.layouts.dps_v1.events import EventIdentity, event_identity
from carimbo.fiscal.layouts.dps_v1.packing import packed
from carimbo.fiscal.layouts.dps_v1.parameter_answers import read_agreement, read_rate
from carimbo.fiscal.municipal_agreement import Agreement, MunicipalRate
from carimbo.fiscal.outcome import (
    Authorized,
    Canceled,
    Duplicate,
    NotJudged,
    Outcome,
    Rejected,
    Throttled,
    Unavailable,
    Unknown,
)
from carimbo.fiscal.sender import Sender
from carimbo.fiscal.signed_document import SignedDocument

_MODEL = "nfse"
_JSON = "application/json"
_TOO_MANY = "429"
# Nothing is published of how long a block lasts.
_REST_SECONDS = 60
# There is no service that tells whether the others are up; to say that there is no such DPS takes the least.
_NO_DPS = "DPS" + "0" * 42
# A note is canceled once: by its issuer or another note of the issuer's, or by the municipality, which may
# have been asked to.
_CANCELLATIONS = ("101101", "105102", "305101", "105104")
# Events of these types occur once.
_SEQUENCE = 1

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class _Service:
    """A part of the national environment by its official names."""

    authorizer: str
    name: str
    most_seconds: float | None = None
    """For the whole exchange; None where the usual patience is right."""


_NOTES = _Service("SEFIN", "SefinNacional")
# People wait for these.
_STATUS = replace(_NOTES, most_seconds=5)
_PARAMETERS = _Service("ADN", "parametrizacao", most_seconds=3)


class NationalNfse:
    """Asks the national environment, and reads its answers."""

    def __init__(
        self, fetch: Fetch, endpoints: Endpoints, pacing: Pacing, board: StatusBoard | None = None
    ) -> None:
        self._fetch = fetch
        self._endpoints = endpoints
        self._pacing = pacing
        self._board = board or StatusBoard()

    async def send(self, sender: Sender, document: SignedDocument) -> Outcome:
        """Ask for the note of a DPS, whose identifier is the only key that it has before."""
        question = _post("/nfse", "dpsXmlGZipB64", document.xml)
        return await self._ask(sender, _NOTES, question, partial(read_issued, dps_id=document.access_key))

    async def consult(self, sender: Sender, access_key: str) -> Outcome:
        """Ask what became of a DPS: which note was made of it, and whether that was canceled since."""
        key = await self._insist(sender, Question("GET", f"/dps/{access_key}"), read_key)
        if not isinstance(key, str):
            return key
        read = partial(read_note, dps_id=access_key)
        note = await self._insist(sender, Question("GET", f"/nfse/{key}"), read)
        if not isinstance(note, Authorized):
            return note
        return _with_fate(note, await self._first_registered(sender, _events(key, _CANCELLATIONS)))

    async def status(
        self, sender: Sender, model: str, state: str, *, authorizer: str | None = None
    ) -> Condition:
        """Ask whether the one authority of all states answers; what was learnt some seconds ago will do."""
        address, asker = self._address(sender, _STATUS), sender.certificate.fingerprint
        if known := self._board.recall(address, _MODEL, asker):
            return known
        answer = await self._ask(sender, _STATUS, Question("HEAD", f"/dps/{_NO_DPS}"), read_presence)
        if not isinstance(answer, Throttled):
            self._board.write(address, _MODEL, asker, answer)
        return answer

    async def register_event(self, sender: Sender, signed: bytes) -> Outcome:
        """Ask for the registration of an event; one that keeps it out (E0840) may be the same, or as good."""
        event = event_identity(signed)
        path = f"/nfse/{event.access_key}/eventos"
        question = _post(path, "pedidoRegistroEventoXmlGZipB64", signed)
        answer = await self._ask(sender, _NOTES, question, partial(read_event, event=event))
        return await self._despite(sender, event, answer) if isinstance(answer, Duplicate) else answer

    async def consult_event(self, sender: Sender, signed: bytes) -> Outcome:
        """Ask whether an event of unknown fate was registered."""
        return await self._registered(sender, event_identity(signed))

    async def agreement(
        self, sender: Sender, city_code: str
    ) -> Agreement | Unavailable | Throttled | NotJudged:
        """Ask what a municipality (IBGE) has agreed with the national environment."""
        question = Question("GET", f"/{city_code}/convenio")
        return await self._ask(sender, _PARAMETERS, question, partial(read_agreement, city_code=city_code))

    async def rate(
        self, sender: Sender, city_code: str, service_code: str, day: date
    ) -> MunicipalRate | Unavailable | Throttled | NotJudged:
        """Ask for the ISS rate of a service (`01.01.01.000`) in a municipality on a day."""
        question = Question("GET", f"/{city_code}/{service_code}/{day.isoformat()}/aliquota")
        read = partial(read_rate, city_code=city_code, service_code=service_code)
        return await self._ask(sender, _PARAMETERS, question, read)

    async def _despite(self, sender: Sender, event: EventIdentity, refusal: Duplicate) -> Outcome:
        """Look for what keeps an event out: if it is none that the issuer wanted, the event is refused."""
        wanted = _CANCELLATIONS if event.type in _CANCELLATIONS else (event.type,)
        found = await self._first_registered(sender, _events(event.access_key, wanted))
        if isinstance(found, Unknown):
            return Rejected(code=refusal.code, message=refusal.message)
        return found if isinstance(found, Authorized) else refusal

    async def _first_registered(self, sender: Sender, events: Iterable[EventIdentity]) -> Consulted:
        """The first of these that there is: the service tells of one type at a time."""
        answer: Consulted = Unknown(code="404", message="Nenhum evento.")
        for event in events:
            answer = await self._registered(sender, event)
            if not isinstance(answer, Unknown):
                return answer
        return answer

    async def _registered(self, sender: Sender, event: EventIdentity) -> Consulted:
        question = Question("GET", f"/nfse/{event.access_key}/eventos/{event.type}/{_SEQUENCE}")
        return await self._insist(sender, question, partial(read_registered_event, event=event))

    async def _insist(
        self, sender: Sender, question: Question, read: Callable[[int, bytes], Answer]
    ) -> Answer | Throttled | NotJudged:
        """Ask once more if nothing is learnt: a fate takes several answers, one lost loses all."""
        answer = await self._ask(sender, _NOTES, question, read)
        return await self._ask(sender, _NOTES, question, read) if isinstance(answer, NotJudged) else answer

    async def _ask(
        self, sender: Sender, service: _Service, question: Question, read: Callable[[int, bytes], Answer]
    ) -> Answer | Throttled | NotJudged:
        asked = AskedService(_MODEL, service.authorizer, sender.environment, service.name)
        return await measured(asked, self._put(sender, service, question, read))

    async def _put(
        self, sender: Sender, service: _Service, question: Question, read: Callable[[int, bytes], Answer]
    ) -> Answer | Throttled | NotJudged:
        """Ask unless the service rests after a block."""
        address = self._address(sender, service)
        call = Call(sender.tax_id, address, question.path, None)
        if refused := self._pacing.admit(call):
            return replace(refused, code=_TOO_MANY)
        told = await self._fetch(sender.certificate, address, question, service.most_seconds)
        if isinstance(told, NotJudged):
            return told
        answer = read(told.status, told.body)
        if isinstance(answer, Throttled):
            return replace(answer, until=self._pacing.rest_service(call, _REST_SECONDS))
        return answer

    def _address(self, sender: Sender, service: _Service) -> str:
        return self._endpoints.address(_MODEL, service.authorizer, sender.environment, service.name)


def _post(path: str, name: str, xml: bytes) -> Question:
    return Question("POST", path, _JSON, f'{{"{name}":"{packed(xml)}"}}'.encode())


def _events(key: str, types: Collection[str]) -> Iterator[EventIdentity]:
    return (EventIdentity(event_type, key) for event_type in types)


def _with_fate(note: Authorized, event: Consulted) -> Outcome:
    """A note with what is known of its cancellation; without knowing that, nothing is told."""
    if isinstance(event, Unknown):
        return note
    if not isinstance(event, Authorized):
        return event
    return Canceled(
        code=event.code,
        message=event.message,
        access_key=event.access_key,
        protocol=event.protocol,
        canceled_at=event.authorized_at,
        cancellation_xml=event.protocol_xml,
        authorization=note,
    )
