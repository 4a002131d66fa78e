"""The SEFAZ authorities of a family of documents: which one is asked, how often, and what it answers."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from carimbo.authorities.endpoints import Endpoints
from carimbo.authorities.metrics import AskedService, measured
from carimbo.authorities.pacing import Call, Pacing
from carimbo.authorities.port import Condition, Distributed
from carimbo.authorities.routing import authorizer_of, authorizer_of_key, home_of_key
from carimbo.authorities.services import Family, Service
from carimbo.authorities.status_board import StatusBoard
from carimbo.authorities.transport import Exchange
from carimbo.fiscal.access_key import AccessKey
from carimbo.fiscal.layouts.sefaz import messages
from carimbo.fiscal.layouts.sefaz.answers import read_authorization, read_consult, read_status
from carimbo.fiscal.layouts.sefaz.distribution import DistributionPage, read_distribution
from carimbo.fiscal.layouts.sefaz.event_answers import read_event, read_registered_event
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
from carimbo.fiscal.sender import Sender
from carimbo.fiscal.signed_document import SignedDocument
from carimbo.fiscal.tables.authorizers import NATIONAL
from carimbo.fiscal.tables.states import STATES

_PAGES, _SINGLE = "pages", "single"

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Question:
    """A message to a service of an authority, and what it is about."""

    service: Service
    model: str
    authorizer: str
    subject: str
    """Calls are counted by it."""
    state_code: str
    """State of the issuer, for the services that have it in a SOAP header."""
    message: bytes


class Sefaz:
    """Asks the authority that is responsible, and reads its answer."""

    def __init__(
        self,
        family: Family,
        exchange: Exchange,
        endpoints: Endpoints,
        pacing: Pacing,
        board: StatusBoard | None = None,
    ) -> None:
        self._family = family
        self._dialect = family.dialect
        self._exchange = exchange
        self._endpoints = endpoints
        self._pacing = pacing
        self._board = board or StatusBoard()

    async def send(self, sender: Sender, document: SignedDocument) -> Outcome:
        """Asks for the authorization of a document, at the authority that its key names."""
        key = AccessKey.parse(document.access_key)
        message = messages.reception(self._dialect, _lot_id(key), document.xml)
        service, authorizer = self._family.reception, authorizer_of_key(key)
        question = Question(service, key.model, authorizer, key, key.state_code, message)
        return await self._ask(sender, question, partial(read_authorization, self._dialect, access_key=key))

    async def consult(self, sender: Sender, access_key: str) -> Outcome:
        """Asks what became of a document."""
        key = AccessKey.parse(access_key)
        return await self._consult(sender, key, partial(read_consult, self._dialect, access_key=key))

    async def consult_event(self, sender: Sender, signed: bytes) -> Outcome:
        """Looks for an event of unknown fate among those of its document."""
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
        self, sender: Sender, model: str, state: str, *, authorizer: str | None = None
    ) -> Condition:
        """Asks whether an authority serves a state now; an answer of some seconds ago is good enough."""
        authorizer, code = authorizer or authorizer_of(model, state), STATES[state].ibge
        message = messages.status_query(self._dialect, sender.environment.code, code)
        question = Question(self._family.status, model, authorizer, state, code, message)
        address, asker = self._address(sender, question), sender.certificate.fingerprint
        if known := self._board.recall(address, state, asker):
            return known
        answer = await self._ask(sender, question, partial(read_status, self._dialect))
        if not isinstance(answer, Throttled):
            self._board.write(address, state, asker, answer)
        return answer

    async def register_event(self, sender: Sender, signed: bytes) -> Outcome:
        """Asks for the registration of an event: nationally, or of the authority that holds the document."""
        event, family = event_identity(signed), self._family
        key = event.access_key
        message = messages.event_reception(self._dialect, _lot_id(key), signed)
        read = partial(
            read_event, self._dialect, access_key=key, event_type=event.type, sequence=event.sequence
        )

        def ask(authorizer: str, service: Service = family.event) -> Awaitable[Outcome]:
            question = Question(service, key.model, authorizer, event.id, key.state_code, message)
            return self._ask(sender, question, read)

        if family.national_event and event.organ == NATIONAL_ORGAN:
            return await ask(NATIONAL, family.national_event)
        if event.type in family.events_of_home_only:
            return await ask(home_of_key(key))
        return await self._ask_holder(key, ask)

    async def distribution(self, sender: Sender, state: str, after: int) -> Distributed:
        """Asks for the documents of interest after a number; after the last one an hour's rest is due."""
        message = messages.distribution_after(self._dialect, *_asker(sender, state), after)
        question = self._distribution(self._family.distribution.pages, state, _PAGES, message)
        answer = await self._ask(sender, question, partial(read_distribution, self._dialect))
        if isinstance(answer, DistributionPage) and answer.is_last:
            self._pacing.rest_subject(self._call(sender, question))
        return answer

    async def distribution_at(self, sender: Sender, state: str, nsu: int) -> Distributed:
        """Asks for the document of interest that has a number."""
        message = messages.distribution_at(self._dialect, *_asker(sender, state), nsu)
        return await self._single(sender, state, message)

    async def distribution_of_key(self, sender: Sender, state: str, access_key: str) -> Distributed:
        """Asks for the document of interest that has a key."""
        key = AccessKey.parse(access_key)
        message = messages.distribution_of_key(self._dialect, *_asker(sender, state), key)
        return await self._single(sender, state, message)

    async def _single(self, sender: Sender, state: str, message: bytes) -> Distributed:
        question = self._distribution(self._family.distribution.single, state, _SINGLE, message)
        return await self._ask(sender, question, partial(read_distribution, self._dialect))

    def _distribution(self, service: Service, state: str, subject: str, message: bytes) -> Question:
        place = self._family.distribution
        return Question(service, place.model, place.authorizer, subject, STATES[state].ibge, message)

    async def _consult(self, sender: Sender, key: AccessKey, read: Callable[[bytes], Outcome]) -> Outcome:
        message = messages.key_query(self._dialect, sender.environment.code, key)

        def ask(authorizer: str) -> Awaitable[Outcome]:
            service = self._family.consult
            question = Question(service, key.model, authorizer, key, key.state_code, message)
            return self._ask(sender, question, read)

        return await self._ask_holder(key, ask)

    async def _ask_holder(self, key: AccessKey, ask: Callable[[str], Awaitable[Outcome]]) -> Outcome:
        """Asks the authority that authorized a document; a closed SVC has handed it over to the state."""
        answer = await ask(authorizer_of_key(key))
        is_over = isinstance(answer, Unavailable) and answer.outage in CONTINGENCY_OVER
        return self._handed_over(await ask(home_of_key(key))) if is_over else answer

    def _handed_over(self, answer: Outcome) -> Outcome:
        """Returns a state's answer about a document of an SVC, which may not have come from there yet."""
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
        self, sender: Sender, question: Question, read: Callable[[bytes], Answer]
    ) -> Answer | Throttled | NotJudged:
        model, authorizer, service = question.model, question.authorizer, question.service.name
        asked = AskedService(model, authorizer, sender.environment, service)
        return await measured(asked, self._put(sender, question, read))

    async def _put(
        self, sender: Sender, question: Question, read: Callable[[bytes], Answer]
    ) -> Answer | Throttled | NotJudged:
        """Asks if it is time to, and counts what arrived; after a block the service rests."""
        call, service = self._call(sender, question), question.service
        if refused := self._pacing.admit(call):
            return refused
        action = service.action(self._dialect)
        envelope = service.envelope(self._dialect, question.state_code, question.message)
        body = await self._exchange(sender.certificate, call.address, action, envelope, service.most_seconds)
        if isinstance(body, NotJudged):
            if not body.may_have_arrived:
                self._pacing.take_back(call)
            return body
        answer = read(body)
        if isinstance(answer, Throttled):
            return replace(answer, until=self._pacing.rest_service(call))
        return answer

    def _call(self, sender: Sender, question: Question) -> Call:
        address = self._address(sender, question)
        return Call(sender.tax_id, address, question.subject, question.service.most_hourly)

    def _address(self, sender: Sender, question: Question) -> str:
        return self._endpoints.address(
            question.model, question.authorizer, sender.environment, question.service.name
        )


def _asker(sender: Sender, state: str) -> tuple[str, str, str]:
    return sender.environment.code, STATES[state].ibge, sender.tax_id


def _lot_id(key: AccessKey) -> int:
    """Returns series and number: 12 of the 15 digits of a lot's id, and always the same for a document."""
    return int(key[22:34])
