"""The statements that a company can make about a received document now."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from carimbo.fiscal.lifecycle import FilingState
from carimbo.fiscal.receiving import ResponseKind
from carimbo.service.contexts import IssuingContext
from carimbo.service.errors import Refusal
from carimbo.service.receiving.queries import ReceivedReference, require_received
from carimbo.service.receiving.statement_checks import deadline_of_statement, require_possible, require_turn
from carimbo.storage.companies import CompanyRow


@dataclass(frozen=True)
class PossibleStatement:
    """A kind of statement, and whether the company can make it now."""

    kind: ResponseKind
    deadline: datetime | None
    reason: str | None
    """Why it is not possible now, in Portuguese; None if it is possible."""


async def read_possible_statements(
    context: IssuingContext, company: CompanyRow, which: ReceivedReference
) -> Sequence[PossibleStatement]:
    """Returns the kinds of statements about a document, without the one that is in force.

    `manifest` also checks whether the company has what a statement needs, as its certificate.
    """
    snapshot = await context.snapshots.of(which.subscription_id, company.id, company.revision)
    async with context.database.snapshot(which.subscription_id) as tenant:
        document = await require_received(tenant, which)
        filings = await tenant.manifestations.of_document(document.id)
    earlier = [row for row in filings if row.state != FilingState.REFUSED]
    now, statements = context.builder.clock(), []
    for kind in which.receiving.responses:
        if kind.name == document.status:
            continue
        reason = None
        try:
            require_possible(document, kind, which, snapshot, now)
            require_turn(document, kind, which.receiving, earlier)
        except Refusal as refusal:
            reason = refusal.message
        statements.append(PossibleStatement(kind, deadline_of_statement(document, kind), reason))
    return statements
