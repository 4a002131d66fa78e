"""Sales that wait for their time: when it has come, their documents are sent on their way, once."""

from uuid import UUID

from carimbo.fiscal.environment import Environment
from carimbo.fiscal.lifecycle import Happening, Status
from carimbo.service.allowance import Period, counted_period
from carimbo.service.contexts import WorkerContext
from carimbo.service.document_record import Rejection
from carimbo.service.errors import Code
from carimbo.service.invoices import begin
from carimbo.service.kinds import kind_named
from carimbo.storage import work
from carimbo.storage.database import Tenant
from carimbo.storage.document_events import NewEvent
from carimbo.storage.documents import Document
from carimbo.storage.subscriptions import Subscription, Subscriptions
from carimbo.storage.work import Lease

_HINTS = {
    Code.DOCUMENT_LIMIT_REACHED: "Emita o documento quando o plano tiver lugar.",
    Code.FEATURE_NOT_ENABLED: "Emita o documento quando o recurso estiver habilitado.",
}


class _PlaceTaken(Exception):
    """Others took the last places of the plan meanwhile."""


async def fire(means: WorkerContext, lease: Lease) -> None:
    """Send the drafts of a sale on their way, and conclude its work, in one transaction.

    What the rules say of them today is found out on their way, as of every document.
    """
    subject = str(lease.key.id)
    means.reached("due", subject)
    while not await _fired(means, lease):
        pass
    means.reached("fired", subject)


async def _fired(means: WorkerContext, lease: Lease) -> bool:
    try:
        async with means.database.tenant(lease.key.subscription_id) as tenant:
            # The company first, as whoever deletes it holds it before its sales.
            may_go = await _has_company(tenant, lease.key.id)
            await work.conclude(tenant.connection, lease)
            if may_go:
                await _send_all(means, tenant, lease.key.id)
    except _PlaceTaken:
        return False
    return True


async def _has_company(tenant: Tenant, sale_id: UUID) -> bool:
    """Tell whether there is still a company for a sale, which stays until its documents are on their way."""
    sale = await tenant.sales.get(sale_id)
    return sale is not None and await tenant.companies.hold(sale.company_id)


async def _send_all(means: WorkerContext, tenant: Tenant, sale_id: UUID) -> None:
    """Send what the subscription still has a feature and a place for, and refuse the rest.

    Places are kept last, as they are in a row that every document of the subscription needs.
    """
    subscription = await Subscriptions(tenant.connection).get(tenant.subscription_id)
    if subscription is None:
        raise LookupError(f"subscription {tenant.subscription_id} is gone")
    kept: list[Period] = []
    for document in await tenant.documents.lock_of_sale(sale_id):
        if document.status == Status.PENDING:
            period = counted_period(subscription, Environment(document.environment), means.workshop.clock())
            lacking = await _lacking(tenant, subscription, document, period, len(kept))
            await (_refuse(tenant, document, lacking) if lacking else _send(tenant, document, period))
            kept += [period] if period and not lacking else []
    for period in kept:
        if not await tenant.allowances.reserve(period.name, period.limit):
            raise _PlaceTaken


async def _lacking(
    tenant: Tenant, subscription: Subscription, document: Document, period: Period | None, kept: int
) -> Code | None:
    """What the subscription has no more that a document needs, beside places kept for the others."""
    feature = kind_named(document.type).feature
    if feature and feature not in subscription.features:
        return Code.FEATURE_NOT_ENABLED
    if period is None or period.limit is None:
        return None
    usage = await tenant.allowances.usage(period.name)
    has_place = usage.used + usage.reserved + kept < period.limit
    return None if has_place else Code.DOCUMENT_LIMIT_REACHED


async def _send(tenant: Tenant, document: Document, period: Period | None) -> None:
    await tenant.documents.start(
        document.id,
        document.amount,
        document.warnings,
        document.reviewed_revision,
        document.reviewed_on,
        period.name if period else None,
    )
    await begin(tenant, document)


async def _refuse(tenant: Tenant, document: Document, code: Code) -> None:
    rejection = Rejection(code=code.name, message=code.message, field=None, hint=_HINTS[code], retryable=True)
    await tenant.documents.refuse(document.id, rejection.model_dump(by_alias=True))
    happened = NewEvent(type=Happening.REJECTED, status=Status.REJECTED)
    await tenant.document_events.add(document.id, [happened])
