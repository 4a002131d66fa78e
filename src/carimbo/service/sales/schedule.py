"""Emits the documents of scheduled sales when they are due."""

from uuid import UUID

from carimbo.fiscal.environment import Environment
from carimbo.fiscal.lifecycle import HistoryEntry, Status
from carimbo.service.contexts import WorkerContext
from carimbo.service.document_types import document_type_named
from carimbo.service.documents.record import Rejection
from carimbo.service.errors import ErrorCode
from carimbo.service.issuing.drafts import queue_document
from carimbo.service.subscriptions import Period, counted_period
from carimbo.storage import work
from carimbo.storage.database import Tenant
from carimbo.storage.document_events import NewEvent
from carimbo.storage.documents import Document
from carimbo.storage.subscriptions import Subscription, Subscriptions
from carimbo.storage.work import Lease

_HINTS = {
    ErrorCode.DOCUMENT_LIMIT_REACHED: "Emita o documento quando o plano tiver lugar.",
    ErrorCode.FEATURE_NOT_ENABLED: "Emita o documento quando o recurso estiver habilitado.",
}


class _AllowanceTaken(Exception):
    """Other transactions used up the allowance meanwhile."""


async def emit_due_sale(context: WorkerContext, lease: Lease) -> None:
    """Queues the drafts of a sale and concludes its work, in one transaction.

    They are reviewed by the rules of today when they are issued, as every document is.
    """
    subject = str(lease.key.id)
    context.reached("due", subject)
    while not await _emit(context, lease):
        pass
    context.reached("fired", subject)


async def _emit(context: WorkerContext, lease: Lease) -> bool:
    """Emits a sale in one transaction; returns False if others used up the allowance meanwhile."""
    sale_id = lease.key.id
    try:
        async with context.database.tenant(lease.key.subscription_id) as tenant:
            sale = await tenant.sales.get(sale_id)
            # The company first: its deletion locks it before its sales.
            has_company = sale is not None and await tenant.companies.hold(sale.company_id)
            await work.conclude(tenant.connection, lease)
            if has_company:
                await _queue_drafts(context, tenant, sale_id)
    except _AllowanceTaken:
        return False
    return True


async def _queue_drafts(context: WorkerContext, tenant: Tenant, sale_id: UUID) -> None:
    """Queues the drafts that the subscription's features and allowance permit, and rejects the others.

    The allowance is reserved last, because all documents of a subscription lock that row.
    """
    subscription = await Subscriptions(tenant.connection).get(tenant.subscription_id)
    if subscription is None:
        raise LookupError(f"subscription {tenant.subscription_id} is gone")
    reserved: list[Period] = []
    for document in await tenant.documents.lock_of_sale(sale_id):
        if document.status != Status.PENDING:
            continue
        period = counted_period(subscription, Environment(document.environment), context.builder.clock())
        code = await _refusal_code(tenant, subscription, document, period, len(reserved))
        if code:
            await _reject(tenant, document, code)
            continue
        await _queue(tenant, document, period)
        reserved += [period] if period else []
    for period in reserved:
        if not await tenant.allowances.reserve(period.name, period.limit):
            raise _AllowanceTaken


async def _refusal_code(
    tenant: Tenant, subscription: Subscription, document: Document, period: Period | None, reserved: int
) -> ErrorCode | None:
    """Returns the error code if the feature or the allowance is missing.

    `reserved` is the number of documents that this transaction reserves before this one.
    """
    feature = document_type_named(document.type).feature
    if feature and feature not in subscription.features:
        return ErrorCode.FEATURE_NOT_ENABLED
    if period is None or period.limit is None:
        return None
    usage = await tenant.allowances.usage(period.name)
    is_within_limit = usage.used + usage.reserved + reserved < period.limit
    return None if is_within_limit else ErrorCode.DOCUMENT_LIMIT_REACHED


async def _queue(tenant: Tenant, document: Document, period: Period | None) -> None:
    await tenant.documents.start(
        document.id,
        document.amount,
        document.warnings,
        document.reviewed_revision,
        document.reviewed_on,
        period.name if period else None,
    )
    await queue_document(tenant, document)


async def _reject(tenant: Tenant, document: Document, code: ErrorCode) -> None:
    rejection = Rejection(code=code.name, message=code.message, field=None, hint=_HINTS[code], retryable=True)
    await tenant.documents.refuse(document.id, rejection.model_dump(by_alias=True))
    rejected = NewEvent(type=HistoryEntry.REJECTED, status=Status.REJECTED)
    await tenant.document_events.add(document.id, [rejected])
