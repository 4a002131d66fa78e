"""The authorities of NF-e and NFC-e: which one is asked, how often, and what it answers."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from carimbo.authorities import services
from carimbo.authorities.endpoints import Endpoints
from carimbo.authorities.metrics import AskedService, measured
from carimbo.authorities.pacing import Call, Pacing
from carimbo.authorities.port import Condition, Distributed
from carimbo.authorities.routing import authorizer_of, authorizer_of_key, home_of_key, state_of_code
from carimbo.authorities.services import Service
from carimbo.authorities.status_board import StatusBoard
from carimbo.authorities.transport import Exchange
from carimbo.fiscal.access_key import AccessKey
from carimbo.fiscal.layouts.nfe_v4 import messages
from carimbo.fiscal.layouts.nfe_v4.answers import (
    read_authorization,
    read_consult,
    read_inutilization,
    read_receipt,
    read_status,
)
from carimbo.fiscal.layouts.nfe_v4.distribution import DistributionPage, read_distribution
from carimbo.fiscal.layouts.nfe_v4.event_answers import read_event, read_registered_event
from carimbo.fiscal.layouts.nfe_v4.events import NATIONAL_ORGAN, Correction, event_identity
from carimbo.fiscal.layouts.nfe_v4.inutilization import read_inutilization_request
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

_NFE = "55"
_NOTHING_NEW = "137"
# An event of a document that the authority does not have.
_NO_DOCUMENT = "494"
_PAGES, _SINGLE = "pages", "single"
# The authorities of contingency take no correction letters (MOC 7.0, anexo III).
_NEVER_AT_SVC = (Correction.event_type,)

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class _Question:
    """What is asked, of whom, and about what."""

    service: Service
    model: str
    authorizer: str
    subject: str
    message: bytes


class Sefaz:
    """Asks the authority that is responsible, and reads its answer."""

    def __init__(
        self, exchange: Exchange, endpoints: Endpoints, pacing: Pacing, board: StatusBoard | None = None
    ) -> None:
        self._exchange = exchange
        self._endpoints = endpoints
        self._pacing = pacing
        self._board = board or StatusBoard()

    async def send(self, sender: Sender, document: SignedDocument) -> Outcome:
        """Ask for the authorization of a document; its key tells where."""
        key = AccessKey.parse(document.access_key)
        message = messages.authorization_lot(_lot_id(key), [document.xml])
        question = _Question(services.AUTHORIZATION, key.model, authorizer_of_key(key), key, message)
        return await self._ask(sender, question, partial(read_authorization, access_key=key))

    async def receipt(self, sender: Sender, access_key: str, receipt: str) -> Outcome:
        """Ask what became of a document of a lot that was to be judged later."""
        key = AccessKey.parse(access_key)
        message = messages.receipt_query(sender.environment.code, receipt)
        question = _Question(services.RECEIPT, key.model, authorizer_of_key(key), receipt, message)
        return await self._ask(sender, question, partial(read_receipt, access_key=key))

    async def consult(self, sender: Sender, access_key: str) -> Outcome:
        """Ask what became of a document."""
        key = AccessKey.parse(access_key)
        read = partial(read_consult, access_key=key)
        return await self._consult(sender, key, read)

    async def consult_event(self, sender: Sender, signed: bytes) -> Outcome:
        """Look for an event of unknown fate among those of its document."""
        event = event_identity(signed)
        key = event.access_key
        read = partial(read_registered_event, access_key=key, event_type=event.type, sequence=event.sequence)
        return await self._consult(sender, key, read)

    async def status(
        self, sender: Sender, model: str, state: str, *, authorizer: str | None = None
    ) -> Condition:
        """Ask whether an authority serves a state now; what was learnt some seconds ago is good enough."""
        authorizer = authorizer or authorizer_of(model, state)
        message = messages.status_query(sender.environment.code, STATES[state].ibge)
        question = _Question(services.STATUS, model, authorizer, state, message)
        address, asker = self._address(sender, question), sender.certificate.fingerprint
        if known := self._board.recall(address, state, asker):
            return known
        answer = await self._ask(sender, question, read_status)
        if not isinstance(answer, Throttled):
            self._board.write(address, state, asker, answer)
        return answer

    async def register_event(self, sender: Sender, signed: bytes) -> Outcome:
        """Ask for the registration of an event: nationally, or of whoever holds the document."""
        event = event_identity(signed)
        key = event.access_key
        message = messages.event_lot(_lot_id(key), [signed])
        read = partial(read_event, access_key=key, event_type=event.type, sequence=event.sequence)
        if event.organ == NATIONAL_ORGAN:
            question = _Question(services.NATIONAL_EVENT, key.model, NATIONAL, event.id, message)
            return await self._ask(sender, question, read)

        def ask(holder: str) -> Awaitable[Outcome]:
            return self._ask(sender, _Question(services.EVENT, key.model, holder, event.id, message), read)

        return await (ask(home_of_key(key)) if event.type in _NEVER_AT_SVC else self._of_holder(key, ask))

    async def inutilize(self, sender: Sender, signed: bytes) -> Outcome:
        """Give up a range of numbers, at the authority of normal times: those of contingency void nothing."""
        asked = read_inutilization_request(signed)
        authorizer = authorizer_of(asked.model, state_of_code(asked.state_code).code)
        question = _Question(services.INUTILIZATION, asked.model, authorizer, asked.id, signed)
        return await self._ask(sender, question, partial(read_inutilization, asked=asked))

    async def distribution(self, sender: Sender, state: str, after: int) -> Distributed:
        """Ask for the documents of interest after a number; when there are no more, for an hour's rest."""
        message = messages.distribution_after(*_asker(sender, state), after)
        question = _Question(services.DISTRIBUTION, _NFE, NATIONAL, _PAGES, message)
        answer = await self._ask(sender, question, read_distribution)
        if isinstance(answer, DistributionPage) and _is_last(answer):
            self._pacing.rest_subject(self._call(sender, question))
        return answer

    async def distribution_at(self, sender: Sender, state: str, nsu: int) -> Distributed:
        """Ask for the document of interest that has a number."""
        return await self._single(sender, messages.distribution_at(*_asker(sender, state), nsu))

    async def distribution_of_key(self, sender: Sender, state: str, access_key: str) -> Distributed:
        """Ask for the document of interest that has a key."""
        key = AccessKey.parse(access_key)
        return await self._single(sender, messages.distribution_of_key(*_asker(sender, state), key))

    async def _consult(self, sender: Sender, key: AccessKey, read: Callable[[bytes], Outcome]) -> Outcome:
        message = messages.key_query(sender.environment.code, key)

        def ask(holder: str) -> Awaitable[Outcome]:
            return self._ask(sender, _Question(services.CONSULT, key.model, holder, key, message), read)

        return await self._of_holder(key, ask)

    async def _of_holder(self, key: AccessKey, ask: Callable[[str], Awaitable[Outcome]]) -> Outcome:
        """Ask whoever authorised a document; an SVC that has closed has handed it over to the state's own."""
        answer = await ask(authorizer_of_key(key))
        is_over = isinstance(answer, Unavailable) and answer.outage in CONTINGENCY_OVER
        return _handed_over(await ask(home_of_key(key))) if is_over else answer

    async def _single(self, sender: Sender, message: bytes) -> Distributed:
        question = _Question(services.SINGLE_DISTRIBUTION, _NFE, NATIONAL, _SINGLE, message)
        return await self._ask(sender, question, read_distribution)

    async def _ask(
        self, sender: Sender, question: _Question, read: Callable[[bytes], Answer]
    ) -> Answer | Throttled | NotJudged:
        model, authorizer, service = question.model, question.authorizer, question.service.name
        asked = AskedService(model, authorizer, sender.environment, service)
        return await measured(asked, self._put(sender, question, read))

    async def _put(
        self, sender: Sender, question: _Question, read: Callable[[bytes], Answer]
    ) -> Answer | Throttled | NotJudged:
        """Ask if it is time to, and count what arrived; after a block the service rests."""
        call, service = self._call(sender, question), question.service
        if refused := self._pacing.admit(call):
            return refused
        envelope = service.envelope(question.message)
        body = await self._exchange(
            sender.certificate, call.address, service.action, envelope, service.most_seconds
        )
        if isinstance(body, NotJudged):
            if not body.may_have_arrived:
                self._pacing.take_back(call)
            return body
        answer = read(body)
        if isinstance(answer, Throttled):
            return replace(answer, until=self._pacing.rest_service(call))
        return answer

    def _call(self, sender: Sender, question: _Question) -> Call:
        address = self._address(sender, question)
        return Call(sender.tax_id, address, question.subject, question.service.most_hourly)

    def _address(self, sender: Sender, question: _Question) -> str:
        return self._endpoints.address(
            question.model, question.authorizer, sender.environment, question.service.name
        )


def _handed_over(answer: Outcome) -> Outcome:
    """What a state's own authority says of a document of an SVC, which may not have come from there yet."""
    if isinstance(answer, Unknown):
        return replace(answer, may_come=True)
    if isinstance(answer, Rejected) and answer.code == _NO_DOCUMENT:
        told = one_line(f"{answer.code} {answer.message}")
        return NotJudged(
            cause=Cause.UNDECIDED,
            detail=told,
            code=answer.code,
            message=answer.message,
            may_have_arrived=False,
        )
    return answer


def _asker(sender: Sender, state: str) -> tuple[str, str, str]:
    return sender.environment.code, STATES[state].ibge, sender.tax_id


def _is_last(page: DistributionPage) -> bool:
    """Tell whether there is nothing more to fetch, after which the next question waits (NT 2014.002)."""
    return page.code == _NOTHING_NEW or page.last_nsu >= page.max_nsu


def _lot_id(key: AccessKey) -> int:
    """Series and number: 12 of the 15 digits that a lot may have, and always the same for a document."""
    return int(key[22:34])
