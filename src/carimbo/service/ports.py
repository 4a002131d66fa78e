"""What the use cases need of the world; the composition root fills it in."""

from datetime import date
from typing import Protocol, runtime_checkable

from carimbo.fiscal.municipal_agreement import Agreement, MunicipalRate
from carimbo.fiscal.outcome import Available, NotJudged, Outcome, Throttled, Unavailable
from carimbo.fiscal.printout import DocumentPrint, EventPrint
from carimbo.fiscal.sender import Sender
from carimbo.fiscal.signed_document import SignedDocument


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
