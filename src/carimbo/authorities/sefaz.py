"""The SEFAZ authorities of a document family: SOAP requests to the responsible one, within its limits."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from carimbo.authorities.endpoints import Endpoints, authorizer_of, authorizer_of_key, home_of_key
from carimbo.authorities.metrics import ServiceLabels, measured
from carimbo.authorities.pacing import PacedRequest, Pacing, StatusCache
from carimbo.authorities.transport import SendSoap
from carimbo.fiscal.authority import ServiceStatus
from carimbo.fiscal.distribution import DistributionAnswer
from carimbo.fiscal.identity.access_key import AccessKey
from carimbo.fiscal.identity.certificate import AuthorityCredentials
from carimbo.fiscal.layouts import soap
from carimbo.fiscal.layouts.sefaz import messages
from carimbo.fiscal.layouts.sefaz.answers import read_authorization, read_consult, read_status
from carimbo.fiscal.layouts.sefaz.dialect import Dialect
from carimbo.fiscal.layouts.sefaz.distribution import read_distribution
from carimbo.fiscal.layouts.sefaz.event_answers import read_event, read_events, read_registered_event
from carimbo.fiscal.layouts.sefaz.events import NATIONAL_ORGAN, event_identity
from carimbo.fiscal.outcome import (
    CONTINGENCY_OVER,
    Cause,
    NotJudged,
    Outcome,
    Rejected,
    Throttled,
    Unavailable,
    Unknown,
    one_line,
)
from carimbo.fiscal.signed_documents import SignedDocument
from carimbo.fiscal.tables.authorities import NATIONAL
from carimbo.fiscal.tables.geography import STATES


@dataclass(frozen=True, slots=True)
class SoapService:
    """A SOAP service by its official name, with the operation that we paced."""

    name: str
    operation: str
    max_per_hour: int | None = None
    """Maximum of requests about the same subject per hour; None if unlimited."""
    max_seconds: float | None = None
    """Time limit of the whole request; None for the usual one."""
    is_wrapped: bool = False
    """Whether an element named like the operation encloses the message, as in the distribution."""
    throttled_code: str = "656"
    """The authority's code for too many calls of the service."""
    header_version: str | None = None
    """Version in the SOAP header (`mdfeCabecMsg`); None if there is no header."""

    def action(self, dialect: Dialect) -> str:
        """Returns the SOAP action, by which some hosts find the operation."""
        return f"{self._namespace(dialect)}/{self.operation}"

    def envelope(self, dialect: Dialect, state_code: str, message: bytes) -> bytes:
        """Returns the SOAP envelope of a message from an issuer of a state."""
        namespace, prefix = self._namespace(dialect), dialect.stem.lower()
        header, tag = b"", f"{prefix}DadosMsg"
        if self.header_version is not None:
            content = f"<cUF>{state_code}</cUF><versaoDados>{self.header_version}</versaoDados>"
            header = f'<{prefix}CabecMsg xmlns="{namespace}">{content}</{prefix}CabecMsg>'.encode()
        if self.is_wrapped:
            message = b"".join((f"<{tag}>".encode(), message, f"</{tag}>".encode()))
        return soap.envelope(namespace, message, self.operation if self.is_wrapped else tag, header)

    def _namespace(self, dialect: Dialect) -> str:
        return f"{dialect.namespace}/wsdl/{self.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Distribution:
    """The service that distributes documents of interest to a taxpayer (DistDFe)."""

    model: str
    """The model under which the URL is listed; a family may have several models."""
    pages: SoapService
    single: SoapService
    """The same service for a single document, with a lower limit."""
    authorizer: str = NATIONAL


@dataclass(frozen=True, slots=True, kw_only=True)
class SefazFamily:
    """The services of the authorities of one document family."""

    dialect: Dialect
    reception: SoapService
    consult: SoapService
    status: SoapService
    event: SoapService
    distribution: Distribution
    national_event: SoapService | None = None
    """For events that the national environment registers; None if it registers none of the family."""
    document_missing_code: str
    """Code of the refusal of an event whose document the authority does not have."""


_PAGES, _SINGLE = "pages", "single"

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class SefazRequest:
    """A message to a service of an authority."""

    service: SoapService
    model: str
    authorizer: str
    subject: str
    """Access key, event id or other value that the hourly limit counts by."""
    state_code: str
    """State of the issuer, for services that want it in the SOAP header."""
    message: bytes


class Sefaz:
    """Asks the responsible authority, and reads its answer."""

    def __init__(
        self,
        family: SefazFamily,
        send_soap: SendSoap,
        endpoints: Endpoints,
        pacing: Pacing,
        status_cache: StatusCache | None = None,
    ) -> None:
        self._family = family
        self._dialect = family.dialect
        self._send_soap = send_soap
        self._endpoints = endpoints
        self._pacing = pacing
        self._status_cache = status_cache or StatusCache()

    async def send(self, sender: AuthorityCredentials, document: SignedDocument) -> Outcome:
        """Asks for the authorization of a document, at the authority that its access key implies."""
        key = AccessKey.parse(document.access_key)
        message = messages.reception(self._dialect, _lot_id(key), document.xml)
        service, authorizer = self._family.reception, authorizer_of_key(key)
        request = SefazRequest(service, key.model, authorizer, key, key.state_code, message)
        return await self._ask(sender, request, partial(read_authorization, self._dialect, access_key=key))

    async def consult(self, sender: AuthorityCredentials, access_key: str) -> Outcome:
        """Asks for the outcome of a document that was sent before."""
        key = AccessKey.parse(access_key)
        return await self._consult(sender, key, partial(read_consult, self._dialect, access_key=key))

    async def consult_event(self, sender: AuthorityCredentials, signed: bytes) -> Outcome:
        """Looks for an event among those that the authority returns with its document."""
        event = event_identity(signed)
        read = partial(
            read_registered_event,
            self._dialect,
            access_key=event.access_key,
            event_type=event.type,
            sequence=event.sequence,
        )
        return await self._consult(sender, event.access_key, read)

    async def status(
        self, sender: AuthorityCredentials, model: str, state: str, *, authorizer: str | None = None
    ) -> ServiceStatus:
        """Asks whether an authority serves a state now; an answer is cached for some seconds."""
        authorizer, code = authorizer or authorizer_of(model, state), STATES[state].ibge
        message = messages.status_query(self._dialect, sender.environment.code, code)
        request = SefazRequest(self._family.status, model, authorizer, state, code, message)
        address, asker = self._address(sender, request), sender.certificate.fingerprint
        if cached := self._status_cache.recent_status(address, state, asker):
            return cached
        answer = await self._ask(sender, request, partial(read_status, self._dialect))
        if not isinstance(answer, Throttled):
            self._status_cache.write(address, state, asker, answer)
        return answer

    async def register_event(self, sender: AuthorityCredentials, signed: bytes) -> Outcome:
        """Asks for the registration of an event, nationally or at the authority that has the document."""
        event, family = event_identity(signed), self._family
        key = event.access_key
        message = messages.event_reception(self._dialect, _lot_id(key), signed)
        read = partial(
            read_event, self._dialect, access_key=key, event_type=event.type, sequence=event.sequence
        )

        def ask(authorizer: str, service: SoapService = family.event) -> Awaitable[Outcome]:
            request = SefazRequest(service, key.model, authorizer, event.id, key.state_code, message)
            return self._ask(sender, request, read)

        if family.national_event and event.organ == NATIONAL_ORGAN:
            return await ask(NATIONAL, family.national_event)
        # Contingency authorities accept only cancellations (MOC 7.0, anexo III; MOC CT-e, 530).
        if event.type not in self._dialect.cancellations:
            return await ask(home_of_key(key))
        return await self._ask_holder(key, ask)

    async def register_events(
        self, sender: AuthorityCredentials, signed: Sequence[bytes]
    ) -> tuple[Outcome, ...] | Outcome:
        """Asks the national environment for the registration of several events in one lot.

        Returns the outcome of each, or one outcome if the lot was judged, or failed, as a whole.
        """
        events, service = tuple(map(event_identity, signed)), self._family.national_event
        if service is None:
            raise LookupError("the family has no national events")
        key = events[0].access_key
        message = messages.event_lot(self._dialect, _lot_id(key), signed)
        subject = " ".join(event.id for event in events)
        request = SefazRequest(service, key.model, NATIONAL, subject, key.state_code, message)
        about = [(event.access_key, event.type, event.sequence) for event in events]
        return await self._ask(sender, request, partial(read_events, self._dialect, events=about))

    async def distribution(self, sender: AuthorityCredentials, state: str, after: int) -> DistributionAnswer:
        """Asks for the documents after an NSU; after the last page the caller rests for an hour."""
        message = messages.distribution_after(self._dialect, *_asker(sender, state), after)
        request = self._distribution(self._family.distribution.pages, state, _PAGES, message)
        return await self._ask(sender, request, partial(read_distribution, self._dialect))

    async def distribution_at(self, sender: AuthorityCredentials, state: str, nsu: int) -> DistributionAnswer:
        """Asks for the document of interest with an NSU."""
        message = messages.distribution_at(self._dialect, *_asker(sender, state), nsu)
        return await self._single(sender, state, message)

    async def distribution_of_key(
        self, sender: AuthorityCredentials, state: str, access_key: str
    ) -> DistributionAnswer:
        """Asks for the document of interest with an access key."""
        key = AccessKey.parse(access_key)
        message = messages.distribution_of_key(self._dialect, *_asker(sender, state), key)
        return await self._single(sender, state, message)

    async def _single(self, sender: AuthorityCredentials, state: str, message: bytes) -> DistributionAnswer:
        request = self._distribution(self._family.distribution.single, state, _SINGLE, message)
        return await self._ask(sender, request, partial(read_distribution, self._dialect))

    def _distribution(self, service: SoapService, state: str, subject: str, message: bytes) -> SefazRequest:
        distribution = self._family.distribution
        return SefazRequest(
            service, distribution.model, distribution.authorizer, subject, STATES[state].ibge, message
        )

    async def _consult(
        self, sender: AuthorityCredentials, key: AccessKey, read: Callable[[bytes], Outcome]
    ) -> Outcome:
        message = messages.key_query(self._dialect, sender.environment.code, key)

        def ask(authorizer: str) -> Awaitable[Outcome]:
            service = self._family.consult
            request = SefazRequest(service, key.model, authorizer, key, key.state_code, message)
            return self._ask(sender, request, read)

        return await self._ask_holder(key, ask)

    async def _ask_holder(self, key: AccessKey, ask: Callable[[str], Awaitable[Outcome]]) -> Outcome:
        """Asks the authority that authorized a document; a closed SVC has passed it on to the state."""
        answer = await ask(authorizer_of_key(key))
        is_over = isinstance(answer, Unavailable) and answer.outage in CONTINGENCY_OVER
        return self._after_contingency(await ask(home_of_key(key))) if is_over else answer

    def _after_contingency(self, answer: Outcome) -> Outcome:
        """Returns a state's answer about a document of an SVC, which the state may not have received yet."""
        if isinstance(answer, Unknown):
            return replace(answer, may_come=True)
        if isinstance(answer, Rejected) and answer.code == self._family.document_missing_code:
            return NotJudged(
                cause=Cause.UNDECIDED,
                detail=one_line(f"{answer.code} {answer.message}"),
                code=answer.code,
                message=answer.message,
                may_have_arrived=False,
            )
        return answer

    async def _ask(
        self, sender: AuthorityCredentials, request: SefazRequest, read: Callable[[bytes], Answer]
    ) -> Answer | Throttled | NotJudged:
        model, authorizer, service = request.model, request.authorizer, request.service.name
        labels = ServiceLabels(model, authorizer, sender.environment, service)
        return await measured(labels, self._send(sender, request, read))

    async def _send(
        self, sender: AuthorityCredentials, request: SefazRequest, read: Callable[[bytes], Answer]
    ) -> Answer | Throttled | NotJudged:
        """Sends a request within the limits and counts it; after a block the service is paused."""
        paced, service = self._paced(sender, request), request.service
        if throttled := self._pacing.admit(paced):
            return throttled
        action = service.action(self._dialect)
        envelope = service.envelope(self._dialect, request.state_code, request.message)
        body = await self._send_soap(sender.certificate, paced.address, action, envelope, service.max_seconds)
        if isinstance(body, NotJudged):
            if not body.may_have_arrived:
                self._pacing.take_back(paced)
            return body
        answer = read(body)
        if isinstance(answer, Throttled):
            return replace(answer, until=self._pacing.pause_service(paced))
        return answer

    def _paced(self, sender: AuthorityCredentials, request: SefazRequest) -> PacedRequest:
        address = self._address(sender, request)
        service = request.service
        return PacedRequest(
            sender.tax_id, address, request.subject, service.max_per_hour, service.throttled_code
        )

    def _address(self, sender: AuthorityCredentials, request: SefazRequest) -> str:
        return self._endpoints.address(
            request.model, request.authorizer, sender.environment, request.service.name
        )


def _asker(sender: AuthorityCredentials, state: str) -> tuple[str, str, str]:
    return sender.environment.code, STATES[state].ibge, sender.tax_id


def _lot_id(key: AccessKey) -> int:
    """Returns series and number as the id of a lot (at most 15 digits): always the same for a document."""
    return int(key[22:34])
