"""Storing the documents of a sale: new ones, and those that a change of the sale corrects."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from carimbo.fiscal.lifecycle import Happening, Status
from carimbo.service.allowance import Period, counted_period, reserve_documents
from carimbo.service.contexts import IssuingContext
from carimbo.service.dossier import Dossier
from carimbo.service.invoices import begin
from carimbo.service.sales.body import EmitWhen, SaleBody
from carimbo.service.sales.drafts import Draft
from carimbo.service.sales.plan import Plan
from carimbo.storage.companies import Company
from carimbo.storage.database import Tenant
from carimbo.storage.document_events import first_events
from carimbo.storage.documents import Document
from carimbo.storage.identifiers import new_id
from carimbo.storage.new_document import NewDocument
from carimbo.storage.subscriptions import Subscription

Numbered = Mapping[tuple[str, str], Document]
"""Drafts and rejected documents that have a number, by type and environment."""
_NONE: Numbered = {}


@dataclass(frozen=True)
class SaleOrder:
    """A sale that a caller wants, checked in form."""

    subscription: Subscription
    company: Company
    body: SaleBody
    text: str
    """The JSON of the request as it came."""
    idempotency_key: str | None = None


@dataclass(frozen=True, slots=True)
class Prepared:
    """A sale that may be stored, with the documents that it needs."""

    plan: Plan
    drafts: Sequence[Draft]
    dossier: Dossier

    @property
    def goes_now(self) -> bool:
        """Whether its documents are sent on their way at once."""
        return self.plan.body.emit_when is EmitWhen.IMMEDIATELY


async def add_drafts(
    counter: IssuingContext,
    tenant: Tenant,
    order: SaleOrder,
    prepared: Prepared,
    sale_id: UUID,
    numbered: Numbered = _NONE,
) -> None:
    """Stores the documents of a sale: on their way at once, or waiting to be told to go.

    A document that has a number becomes what the sale needs now, and keeps its number. Places in the
    plan come last, as they are in a row that every document of the subscription needs.
    """
    goes = prepared.goes_now
    now = counter.workshop.clock()
    periods = [counted_period(order.subscription, draft.environment, now) for draft in prepared.drafts]
    for draft, period in zip(prepared.drafts, periods, strict=True):
        known = numbered.get((draft.kind.name, draft.environment))
        if known:
            await _correct(counter, tenant, prepared, draft, known, period)
            continue
        document = _document(counter, order, prepared, draft, sale_id, period if goes else None)
        await tenant.documents.add(document, first_events(document.status, Happening.CREATED), queued=goes)
    if goes:
        await reserve_documents(tenant, [period for period in periods if period])


async def _correct(
    counter: IssuingContext,
    tenant: Tenant,
    prepared: Prepared,
    draft: Draft,
    document: Document,
    period: Period | None,
) -> None:
    review, revision, today = draft.review, prepared.dossier.revision, counter.workshop.today
    reviewed = (review.amount, review.warnings, revision, today)
    await tenant.documents.write_request(document.id, draft.text, *reviewed, draft.recipient)
    if prepared.goes_now:
        await tenant.documents.start(document.id, *reviewed, period.name if period else None)
        await begin(tenant, document)
    else:
        await tenant.documents.make_draft(document.id)


def _document(
    counter: IssuingContext,
    order: SaleOrder,
    prepared: Prepared,
    draft: Draft,
    sale_id: UUID,
    period: Period | None,
) -> NewDocument:
    return NewDocument(
        id=new_id(),
        company_id=order.company.id,
        type=draft.kind.name,
        environment=draft.environment,
        status=Status.PROCESSING if prepared.goes_now else Status.PENDING,
        namespace=draft.kind.namespace,
        idempotency_key=None,
        external_id=order.body.external_id,
        sale_id=sale_id,
        is_direct=False,
        request=draft.text,
        recipient_tax_id=draft.recipient.tax_id if draft.recipient else None,
        recipient_name=draft.recipient.name if draft.recipient else None,
        amount=draft.review.amount,
        warnings=draft.review.warnings,
        reviewed_revision=prepared.dossier.revision,
        reviewed_on=counter.workshop.today,
        allowance_period=period.name if period else None,
        is_urgent=draft.kind.is_urgent,
    )
