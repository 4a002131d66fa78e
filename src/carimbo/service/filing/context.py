"""The context in which callers file events and inutilizations."""

from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from carimbo.fiscal.body.fields import Body
from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.filing import EventKind
from carimbo.fiscal.identity.signature import Signer
from carimbo.service.companies.company_checks import require_able_to_file
from carimbo.service.companies.snapshot import CompanySnapshot
from carimbo.service.contexts import IssuingContext
from carimbo.service.errors import require_no_problems
from carimbo.service.filing.in_progress import EventTarget, about_document, filing_issuer
from carimbo.service.filing.outcome import wait_until_settled
from carimbo.storage.companies import CompanyRow
from carimbo.storage.event_filings import EventFiling


@dataclass(frozen=True)
class FilingContext:
    """Everything needed to check, store and await a filing."""

    issuing: IssuingContext
    max_wait: timedelta
    """How long a caller waits for the authority."""

    async def snapshot_of(
        self, subscription_id: UUID, company: CompanyRow, *document_types: DocumentType
    ) -> CompanySnapshot:
        """Returns the company, if it is able to file for these types. Raises Refusal."""
        snapshot = await self.issuing.snapshots.of(subscription_id, company.id, company.revision)
        for document_type in document_types:
            require_able_to_file(snapshot, document_type, self.issuing.builder.clock())
        return snapshot

    def check_event(
        self,
        snapshot: CompanySnapshot,
        event: EventKind,
        request: Body,
        target: EventTarget,
    ) -> None:
        """Builds an event with a throwaway signature. Raises Refusal with all its problems."""
        builder = self.issuing.builder
        subject = about_document(target, event, request, snapshot, builder.clock())
        environment = Environment(target.document.environment)
        issuer = filing_issuer(builder, snapshot, environment, Signer.throwaway())
        result = event.issue(request, subject, issuer)
        if isinstance(result, tuple):
            require_no_problems(result)

    async def wait_for_outcome(self, subscription_id: UUID, filing: EventFiling) -> EventFiling:
        """Returns the event once it is settled, or as it is when the time is over."""

        async def poll(filing_id: UUID) -> EventFiling | None:
            async with self.issuing.database.autocommit(subscription_id) as tenant:
                return await tenant.event_filings.get(filing_id)

        return await wait_until_settled(filing, self.max_wait, poll)
