"""What the use cases need of the world; the composition root fills it in."""

from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Protocol, runtime_checkable

from carimbo.fiscal.municipal_agreement import Agreement, MunicipalRate
from carimbo.fiscal.outcome import Available, NotJudged, Outcome, Throttled, Unavailable
from carimbo.fiscal.printout import DocumentPrint, EventPrint
from carimbo.fiscal.sender import Sender
from carimbo.fiscal.signed_document import SignedDocument
from carimbo.service.delivery.letter import Letter, NotSent, Refused, Sent


class Authority(Protocol):
    """The tax authorities of a type of document; that they do not answer comes as a value too."""

    async def send(self, sender: Sender, document: SignedDocument) -> Outcome:
        """Ask for the authorization of a document."""

    async def consult(self, sender: Sender, access_key: str) -> Outcome:
        """Ask what became of a document."""

    async def status(
        self, sender: Sender, model: str, state: str, *, authorizer: str | None = None
    ) -> Available | Unavailable | Throttled | NotJudged:
        """Ask whether the authority of a state is at work."""

    async def register_event(self, sender: Sender, signed: bytes) -> Outcome:
        """Ask for the registration of an event."""

    async def consult_event(self, sender: Sender, signed: bytes) -> Outcome:
        """Ask whether an event was registered."""


@runtime_checkable
class LotAuthority(Authority, Protocol):
    """Authorities that take documents in lots, which they may judge later."""

    async def receipt(self, sender: Sender, access_key: str, receipt: str) -> Outcome:
        """Ask what became of a document that was to be judged later."""


@runtime_checkable
class VoidingAuthority(Authority, Protocol):
    """Authorities that want to hear of numbers that never became documents."""

    async def inutilize(self, sender: Sender, signed: bytes) -> Outcome:
        """Give up a range of numbers."""


@runtime_checkable
class MunicipalAuthority(Authority, Protocol):
    """Authorities that act for municipalities."""

    async def agreement(
        self, sender: Sender, city_code: str
    ) -> Agreement | Unavailable | Throttled | NotJudged:
        """Ask what a municipality (IBGE) has agreed with them."""

    async def rate(
        self, sender: Sender, city_code: str, service_code: str, day: date
    ) -> MunicipalRate | Unavailable | Throttled | NotJudged:
        """Ask for the rate of a service (`01.01.01.000`) in a municipality on a day."""


class Printer(Protocol):
    """Draws PDF files; it takes the processor for milliseconds, and is called in a thread."""

    def document(self, order: DocumentPrint) -> bytes:
        """Draw a document."""

    def event(self, order: EventPrint) -> bytes:
        """Draw what was told of a document."""


@dataclass(frozen=True, slots=True)
class WebhookCall:
    """What a receiver is sent."""

    url: str
    headers: tuple[tuple[str, str], ...] = field(repr=False)
    body: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class WebhookAnswer:
    """What came back, or why nothing did; any status but 2xx is a failure."""

    status: int | None
    body: str
    """The first 20 kB, whatever stands there, as text."""
    retry_after: timedelta | None = None
    """How long the receiver asks us to wait, by a number or by a date."""
    error: str | None = None
    """Why nothing came back: a sentence in Portuguese, for whoever runs the receiver."""

    @property
    def is_success(self) -> bool:
        return self.status is not None and 200 <= self.status < 300  # noqa: PLR2004 - RFC 9110


class WebhookClient(Protocol):
    """Calls receivers of webhooks; that they do not answer comes as a value too."""

    async def post(self, call: WebhookCall) -> WebhookAnswer:
        """Send a body, once, and read what comes back."""


class AddressGuard(Protocol):
    """Keeps webhooks from addresses that are nobody's business but ours."""

    async def objection_to(self, url: str) -> str | None:
        """Tell in a Portuguese sentence why a URL may not be called, after looking its host up."""


class Mailer(Protocol):
    """Sends letters by e-mail; that nobody takes one comes as a value too."""

    async def send(self, letter: Letter) -> Sent | Refused | NotSent:
        """Hand a letter over, once."""
