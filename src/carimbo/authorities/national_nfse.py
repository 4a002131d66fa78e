"""The national environment of NFS-e, over REST."""

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from typing import TypeVar

from carimbo.authorities.endpoints import Endpoints
from carimbo.authorities.metrics import ServiceLabels, measured
from carimbo.authorities.pacing import PacedRequest, Pacing, StatusCache
from carimbo.authorities.transport import HttpRequest, SendHttp
from carimbo.fiscal.authority import ServiceStatus
from carimbo.fiscal.distribution import DistributionAnswer, DistributionPage
from carimbo.fiscal.identity.certificate import AuthorityCredentials
from carimbo.fiscal.identity.tax_ids import is_cpf
from carimbo.fiscal.layouts.dps_v1.answer_part import pack_xml
from carimbo.fiscal.layouts.dps_v1.answers import (
    ConsultedEvent,
    read_agreement,
    read_event,
    read_issued,
    read_key,
    read_note,
    read_presence,
    read_rate,
    read_registered_event,
)
from carimbo.fiscal.layouts.dps_v1.distribution import read_distribution
from carimbo.fiscal.layouts.dps_v1.events import NoteEventIdentity, event_identity
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
from carimbo.fiscal.signed_documents import SignedDocument

_MODEL = "nfse"
_JSON = "application/json"
_TOO_MANY = "429"
# How long a block lasts is not published.
_BLOCK_SECONDS = 60
# There is no status service. The cheapest request is for a DPS that does not exist.
_NO_DPS = "DPS" + "0" * 42
# A note is canceled once: by its issuer, by a note that replaces it, or by the municipality, which the issuer
# may have asked for it.
_CANCELLATIONS = ("101101", "105102", "305101", "105104")
# Events of these types occur once per note.
_SEQUENCE = 1

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class _Service:
    """A service of the national environment, by its official names."""

    authorizer: str
    name: str
    max_seconds: float | None = None
    """Time limit of the whole request; None for the usual one."""


_NOTES = _Service("SEFIN", "SefinNacional")
# A person waits for these two.
_STATUS = replace(_NOTES, max_seconds=5)
_PARAMETERS = _Service("ADN", "parametrizacao", max_seconds=3)
_DISTRIBUTION = _Service("ADN", "contribuintes")


class NationalNfse:
    """Asks the national environment, and reads its answers."""

    def __init__(
        self,
        send_http: SendHttp,
        endpoints: Endpoints,
        pacing: Pacing,
        status_cache: StatusCache | None = None,
    ) -> None:
        self._send_http = send_http
        self._endpoints = endpoints
        self._pacing = pacing
        self._status_cache = status_cache or StatusCache()

    async def send(self, sender: AuthorityCredentials, document: SignedDocument) -> Outcome:
        """Asks for the note of a DPS; until then the DPS id is the only key of the document."""
        request = _post("/nfse", "dpsXmlGZipB64", document.xml)
        return await self._ask(sender, _NOTES, request, partial(read_issued, dps_id=document.access_key))

    async def consult(self, sender: AuthorityCredentials, access_key: str) -> Outcome:
        """Asks for the note of a DPS, and whether the note was canceled."""
        key = await self._ask_twice(sender, HttpRequest("GET", f"/dps/{access_key}"), read_key)
        if not isinstance(key, str):
            return key
        read = partial(read_note, dps_id=access_key)
        note = await self._ask_twice(sender, HttpRequest("GET", f"/nfse/{key}"), read)
        if not isinstance(note, Authorized):
            return note
        return _with_cancellation(note, await self._first_registered(sender, _events(key, _CANCELLATIONS)))

    async def status(
        self, sender: AuthorityCredentials, model: str, state: str, *, authorizer: str | None = None
    ) -> ServiceStatus:
        """Asks whether the national environment answers; an answer is cached for some seconds."""
        address, asker = self._address(sender, _STATUS), sender.certificate.fingerprint
        if cached := self._status_cache.recent_status(address, _MODEL, asker):
            return cached
        answer = await self._ask(sender, _STATUS, HttpRequest("HEAD", f"/dps/{_NO_DPS}"), read_presence)
        if not isinstance(answer, Throttled):
            self._status_cache.write(address, _MODEL, asker, answer)
        return answer

    async def register_event(self, sender: AuthorityCredentials, signed: bytes) -> Outcome:
        """Asks for the registration of an event.

        If another event prevents it (E0840), that may be the same event, or one with the same effect.
        """
        event = event_identity(signed)
        path = f"/nfse/{event.access_key}/eventos"
        request = _post(path, "pedidoRegistroEventoXmlGZipB64", signed)
        answer = await self._ask(sender, _NOTES, request, partial(read_event, event=event))
        return (
            await self._preventing_event(sender, event, answer) if isinstance(answer, Duplicate) else answer
        )

    async def consult_event(self, sender: AuthorityCredentials, signed: bytes) -> Outcome:
        """Asks whether an event was registered."""
        return await self._registered(sender, event_identity(signed))

    async def agreement(
        self, sender: AuthorityCredentials, city_code: str
    ) -> Agreement | Unavailable | Throttled | NotJudged:
        """Asks for the agreement of a municipality (IBGE code) with the national environment."""
        request = HttpRequest("GET", f"/{city_code}/convenio")
        return await self._ask(sender, _PARAMETERS, request, partial(read_agreement, city_code=city_code))

    async def rate(
        self, sender: AuthorityCredentials, city_code: str, service_code: str, day: date
    ) -> MunicipalRate | Unavailable | Throttled | NotJudged:
        """Asks for the ISS rate of a service (`01.01.01.000`) in a municipality on a day."""
        request = HttpRequest("GET", f"/{city_code}/{service_code}/{day.isoformat()}/aliquota")
        read = partial(read_rate, city_code=city_code, service_code=service_code)
        return await self._ask(sender, _PARAMETERS, request, read)

    async def distribution(self, sender: AuthorityCredentials, state: str, after: int) -> DistributionAnswer:
        """Asks for the documents of interest after an NSU, those that the taxpayer issued included."""
        answer = await self._distributed(sender, after, is_page=True)
        if not isinstance(answer, DistributionPage):
            return answer
        # The service does not name the last number: an answer without documents stays where it was.
        return replace(answer, last_nsu=max(after, answer.last_nsu), max_nsu=max(after, answer.max_nsu))

    async def distribution_at(self, sender: AuthorityCredentials, state: str, nsu: int) -> DistributionAnswer:
        """Asks for the document of interest with an NSU."""
        return await self._distributed(sender, nsu, is_page=False)

    async def _distributed(
        self, sender: AuthorityCredentials, nsu: int, *, is_page: bool
    ) -> DistributionAnswer:
        # A person has no CNPJ: the service then takes the holder of the certificate.
        taxpayer = "" if is_cpf(sender.tax_id) else f"&cnpjConsulta={sender.tax_id}"
        request = HttpRequest("GET", f"/DFe/{nsu}?lote={str(is_page).lower()}{taxpayer}")
        return await self._ask(sender, _DISTRIBUTION, request, read_distribution)

    async def _preventing_event(
        self, sender: AuthorityCredentials, event: NoteEventIdentity, refusal: Duplicate
    ) -> Outcome:
        """Returns the event that prevents another, if it has the wanted effect; a rejection if it has not."""
        wanted = _CANCELLATIONS if event.type in _CANCELLATIONS else (event.type,)
        existing = await self._first_registered(sender, _events(event.access_key, wanted))
        if isinstance(existing, Unknown):
            return Rejected(code=refusal.code, message=refusal.message)
        return existing if isinstance(existing, Authorized) else refusal

    async def _first_registered(
        self, sender: AuthorityCredentials, events: Iterable[NoteEventIdentity]
    ) -> ConsultedEvent:
        """Returns the first of these events that exists; the service answers for one event type at a time."""
        answer: ConsultedEvent = Unknown(code="404", message="Nenhum evento.")
        for event in events:
            answer = await self._registered(sender, event)
            if not isinstance(answer, Unknown):
                return answer
        return answer

    async def _registered(self, sender: AuthorityCredentials, event: NoteEventIdentity) -> ConsultedEvent:
        request = HttpRequest("GET", f"/nfse/{event.access_key}/eventos/{event.type}/{_SEQUENCE}")
        return await self._ask_twice(sender, request, partial(read_registered_event, event=event))

    async def _ask_twice(
        self, sender: AuthorityCredentials, request: HttpRequest, read: Callable[[int, bytes], Answer]
    ) -> Answer | Throttled | NotJudged:
        """Asks again after a failure: a consult takes several requests, and one failure would spoil it."""
        answer = await self._ask(sender, _NOTES, request, read)
        return await self._ask(sender, _NOTES, request, read) if isinstance(answer, NotJudged) else answer

    async def _ask(
        self,
        sender: AuthorityCredentials,
        service: _Service,
        request: HttpRequest,
        read: Callable[[int, bytes], Answer],
    ) -> Answer | Throttled | NotJudged:
        labels = ServiceLabels(_MODEL, service.authorizer, sender.environment, service.name)
        return await measured(labels, self._send(sender, service, request, read))

    async def _send(
        self,
        sender: AuthorityCredentials,
        service: _Service,
        request: HttpRequest,
        read: Callable[[int, bytes], Answer],
    ) -> Answer | Throttled | NotJudged:
        """Sends a request, unless the service is paused after a block."""
        address = self._address(sender, service)
        paced = PacedRequest(sender.tax_id, address, request.path, None)
        if throttled := self._pacing.admit(paced):
            return replace(throttled, code=_TOO_MANY)
        response = await self._send_http(sender.certificate, address, request, service.max_seconds)
        if isinstance(response, NotJudged):
            return response
        answer = read(response.status, response.body)
        if isinstance(answer, Throttled):
            return replace(answer, until=self._pacing.pause_service(paced, _BLOCK_SECONDS))
        return answer

    def _address(self, sender: AuthorityCredentials, service: _Service) -> str:
        return self._endpoints.address(_MODEL, service.authorizer, sender.environment, service.name)


def _post(path: str, name: str, xml: bytes) -> HttpRequest:
    return HttpRequest("POST", path, _JSON, f'{{"{name}":"{pack_xml(xml)}"}}'.encode())


def _events(key: str, types: Collection[str]) -> Iterator[NoteEventIdentity]:
    return (NoteEventIdentity(event_type, key) for event_type in types)


def _with_cancellation(note: Authorized, event: ConsultedEvent) -> Outcome:
    """Returns a note together with its cancellation, if any; the failure, if that could not be read."""
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
