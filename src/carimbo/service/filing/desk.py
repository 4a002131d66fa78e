"""Where callers say what is to be told to an authority: it is tried out, stored, and waited for."""

from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.fields import Body
from carimbo.fiscal.filing import EventKind
from carimbo.fiscal.signature import Signer
from carimbo.service.contexts import IssuingContext
from carimbo.service.dossier import Dossier
from carimbo.service.filing.event import about_document
from carimbo.service.filing.outcome import settled
from carimbo.service.filing.statement import teller_of
from carimbo.service.problems import require_no_problems
from carimbo.service.readiness import require_teller
from carimbo.storage.companies import Company
from carimbo.storage.emissions import Emission
from carimbo.storage.event_filings import EventFiling


@dataclass(frozen=True)
class Desk:
    """What requests are tried out and stored with, and how long callers wait for an authority."""

    counter: IssuingContext
    patience: timedelta

    async def dossier_of(self, subscription_id: UUID, company: Company, *kinds: DocumentType) -> Dossier:
        """The company whole, if it can tell the authorities of these types anything."""
        dossier = await self.counter.dossiers.of(subscription_id, company.id, company.revision)
        for kind in kinds:
            require_teller(dossier, kind, self.counter.workshop.clock())
        return dossier

    def try_event(
        self, dossier: Dossier, emission: Emission, environment: str, event: EventKind, request: Body
    ) -> None:
        """Make an event for trial, and refuse it with everything that the authority would."""
        workshop = self.counter.workshop
        about = about_document(emission, dossier, sequence=1, now=workshop.clock())
        teller = teller_of(workshop, dossier, Environment(environment), Signer.throwaway())
        made = event.issue(request, about, teller)
        if isinstance(made, tuple):
            require_no_problems(made)

    async def fate_of(self, subscription_id: UUID, filing: EventFiling) -> EventFiling:
        """The event once its fate is known, or as it is when the patience is over."""

        async def look(filing_id: UUID) -> EventFiling | None:
            async with self.counter.database.autocommit(subscription_id) as tenant:
                return await tenant.event_filings.get(filing_id)

        return await settled(filing, self.patience, look)
