"""Interfaces to the outside that use cases need; the composition root provides the implementations."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Protocol, runtime_checkable

from carimbo.fiscal.authority import Authority
from carimbo.fiscal.distribution import DistributionAnswer
from carimbo.fiscal.identity.certificate import AuthorityCredentials
from carimbo.fiscal.municipal_agreement import Agreement, MunicipalRate
from carimbo.fiscal.open_documents import OpenDocument
from carimbo.fiscal.outcome import NotJudged, Outcome, Throttled, Unavailable
from carimbo.fiscal.printout import DocumentPrint, EventPrint
from carimbo.service.delivery.email_message import (
    MailNotSent,
    MailRefused,
    MailSent,
    OutgoingEmail,
    TextEmail,
)


@runtime_checkable
class LotAuthority(Authority, Protocol):
    """Authorities that accept documents in lots and may judge them later."""

    async def receipt(self, sender: AuthorityCredentials, access_key: str, receipt: str) -> Outcome:
        """Asks for the outcome of a document that was to be judged later."""


@runtime_checkable
class InutilizingAuthority(Authority, Protocol):
    """Authorities that register unused numbers (inutilização)."""

    async def inutilize(self, sender: AuthorityCredentials, signed: bytes) -> Outcome:
        """Sends a range of unused numbers."""


@runtime_checkable
class OpenListingAuthority(Authority, Protocol):
    """Authorities that list the open documents of a company."""

    async def open_documents(
        self, sender: AuthorityCredentials, state: str
    ) -> tuple[OpenDocument, ...] | Unavailable | Throttled | NotJudged:
        """Asks for the documents of the sender that are neither closed nor canceled."""


@runtime_checkable
class DistributingAuthority(Authority, Protocol):
    """Authorities that distribute documents of interest to a taxpayer."""

    async def distribution(self, sender: AuthorityCredentials, state: str, after: int) -> DistributionAnswer:
        """Asks for the documents after an NSU."""

    async def distribution_at(self, sender: AuthorityCredentials, state: str, nsu: int) -> DistributionAnswer:
        """Asks for the document with an NSU."""


@runtime_checkable
class KeyDistributingAuthority(DistributingAuthority, Protocol):
    """Authorities that also distribute a document by its access key."""

    async def distribution_of_key(
        self, sender: AuthorityCredentials, state: str, access_key: str
    ) -> DistributionAnswer:
        """Asks for the document with an access key."""


@runtime_checkable
class EventLotAuthority(Authority, Protocol):
    """Authorities that register several events at once."""

    async def register_events(
        self, sender: AuthorityCredentials, signed: Sequence[bytes]
    ) -> tuple[Outcome, ...] | Outcome:
        """Asks for the registration of events.

        Returns their outcomes in their order, or one outcome if the lot was judged, or failed, as a whole.
        """


@runtime_checkable
class MunicipalAuthority(Authority, Protocol):
    """Authorities that act for municipalities."""

    async def agreement(
        self, sender: AuthorityCredentials, city_code: str
    ) -> Agreement | Unavailable | Throttled | NotJudged:
        """Asks for the agreement of a municipality (IBGE code) with the authority."""

    async def rate(
        self, sender: AuthorityCredentials, city_code: str, service_code: str, day: date
    ) -> MunicipalRate | Unavailable | Throttled | NotJudged:
        """Asks for the rate of a service (`01.01.01.000`) in a municipality on a day."""


class Printer(Protocol):
    """Renders PDF files. It takes milliseconds of CPU, so it is called in a thread."""

    def document(self, order: DocumentPrint) -> bytes:
        """Renders a document."""

    def event(self, order: EventPrint) -> bytes:
        """Renders an event of a document."""


@dataclass(frozen=True, slots=True)
class WebhookCall:
    """The HTTP request to a webhook receiver."""

    url: str
    headers: tuple[tuple[str, str], ...] = field(repr=False)
    body: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class WebhookAnswer:
    """The answer of a receiver, or why there is none. Any status but 2xx is a failure."""

    status: int | None
    body: str
    """The first 20 kB of the body, as text."""
    retry_after: timedelta | None = None
    """How long the receiver asks us to wait (`Retry-After`, in seconds or as a date)."""
    error: str | None = None
    """Why there is no answer: a message in Portuguese for the operator of the receiver."""

    @property
    def is_success(self) -> bool:
        return self.status is not None and 200 <= self.status < 300  # noqa: PLR2004 - RFC 9110


class WebhookClient(Protocol):
    """Calls webhook receivers. A missing answer is returned as a value, not raised."""

    async def post(self, call: WebhookCall) -> WebhookAnswer:
        """Sends a body once and reads the answer."""


class AddressGuard(Protocol):
    """Keeps webhooks away from internal addresses."""

    async def objection_to(self, url: str) -> str | None:
        """Resolves the host of a URL; returns why it must not be called, in Portuguese, or None."""


class Mailer(Protocol):
    """Sends e-mails. A failure is returned as a value, not raised."""

    async def send(self, letter: OutgoingEmail) -> MailSent | MailRefused | MailNotSent:
        """Sends an e-mail once."""

    async def send_text(self, email: TextEmail) -> MailSent | MailRefused | MailNotSent:
        """Sends an e-mail of plain text once."""
