"""What an authority can be asked, whoever it is and however it is reached."""

from typing import Protocol

from carimbo.fiscal.layouts.sefaz.distribution import DistributionPage
from carimbo.fiscal.outcome import Available, NotJudged, Outcome, Rejected, Throttled, Unavailable
from carimbo.fiscal.sender import Sender
from carimbo.fiscal.signed_document import SignedDocument

Condition = Available | Unavailable | Throttled | NotJudged
"""Whether a service is up, or why that is not known."""

Distributed = DistributionPage | Rejected | Unavailable | Throttled | NotJudged
"""Documents of interest to a taxpayer, or why there are none."""


class Authority(Protocol):
    """The tax authorities of a kind of document; what they answer, and that they do not, comes as a value."""

    async def send(self, sender: Sender, document: SignedDocument) -> Outcome:
        """Ask for the authorization of a document."""

    async def consult(self, sender: Sender, access_key: str) -> Outcome:
        """Ask what became of a document."""

    async def status(
        self, sender: Sender, model: str, state: str, *, authorizer: str | None = None
    ) -> Condition:
        """Ask whether the authority of a state is at work."""

    async def register_event(self, sender: Sender, signed: bytes) -> Outcome:
        """Ask for the registration of an event."""

    async def consult_event(self, sender: Sender, signed: bytes) -> Outcome:
        """Ask whether an event was registered."""
