"""The interface of a tax authority, which the use cases call and the adapters implement."""

from typing import Protocol

from carimbo.fiscal.identity.certificate import AuthorityCredentials
from carimbo.fiscal.outcome import Available, NotJudged, Outcome, Throttled, Unavailable
from carimbo.fiscal.signed_documents import SignedDocument

ServiceStatus = Available | Unavailable | Throttled | NotJudged
"""Whether a service is available, or why that is unknown."""


class Authority(Protocol):
    """The tax authorities of a document type. Every answer is a value, also that there was none."""

    async def send(self, sender: AuthorityCredentials, document: SignedDocument) -> Outcome:
        """Asks for the authorization of a document."""

    async def consult(self, sender: AuthorityCredentials, access_key: str) -> Outcome:
        """Asks for the outcome of a document that was sent before."""

    async def status(
        self, sender: AuthorityCredentials, model: str, state: str, *, authorizer: str | None = None
    ) -> ServiceStatus:
        """Asks whether the authority of a state is available."""

    async def register_event(self, sender: AuthorityCredentials, signed: bytes) -> Outcome:
        """Asks for the registration of an event."""

    async def consult_event(self, sender: AuthorityCredentials, signed: bytes) -> Outcome:
        """Asks whether an event was registered."""
