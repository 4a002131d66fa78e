"""The figures of today and of the last days."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from fastapi import FastAPI

from carimbo.fiscal.lifecycle import Status
from carimbo.fiscal.local_time import BRASILIA
from carimbo.service.access import Authenticator
from carimbo.service.overview.figures import DAYS, Figures, read_figures
from carimbo.service.services import Services
from carimbo.service.subscriptions import create_subscription
from carimbo.storage.documents import Document
from carimbo.storage.issuing import Verdict
from integration.storage.document_rows import AUTHORIZED, Shop, open_shop

REJECTED = Verdict(status=Status.REJECTED)


@pytest.fixture
async def shop(app: FastAPI, authenticator: Authenticator) -> Shop:
    services: Services = app.state.services
    created = await create_subscription(authenticator, "Teste")
    return await open_shop(services.database, created.subscription_id)


@pytest.fixture
def services(app: FastAPI) -> Services:
    parts: Services = app.state.services
    return parts


async def figures_of(services: Services, *shops: Shop, now: datetime | None = None) -> Figures:
    companies = []
    for shop in shops:
        async with shop.database.autocommit(shop.subscription_id) as tenant:
            company = await tenant.companies.get(shop.company_id)
        assert company is not None
        companies.append(company)
    return await read_figures(services, shops[0].subscription_id, companies, now or datetime.now(UTC))


async def settled(shop: Shop, verdict: Verdict, days_ago: int = 0, **changes: Any) -> Document:
    """Stores a document that was queued some days ago, and its verdict."""
    document = await shop.added(**changes)
    async with shop.database.connection() as connection:
        await connection.execute(
            "update documents set first_queued_at = now() - make_interval(days => $2) where id = $1",
            document.id, days_ago,
        )  # fmt: skip
    await shop.settle(document, verdict)
    return document


async def test_documents_of_today_are_counted_by_type_and_status_with_their_amounts(
    services: Services, shop: Shop
) -> None:
    for verdict in (AUTHORIZED, AUTHORIZED, REJECTED):
        await settled(shop, verdict)
    await settled(shop, AUTHORIZED, type="nfse", amount=Decimal(100))
    await settled(shop, AUTHORIZED, days_ago=1)
    await shop.added()
    figures = await figures_of(services, shop)
    today = {
        (figure.type, figure.status): (figure.documents, figure.amount) for figure in figures.production.today
    }
    assert today == {
        ("nfe", "authorized"): (2, Decimal("119.60")),
        ("nfe", "rejected"): (1, Decimal("59.80")),
        ("nfse", "authorized"): (1, Decimal(100)),
    }
    assert figures.processing == 1


async def test_last_fourteen_days_are_all_there_with_today_as_the_last(
    services: Services, shop: Shop
) -> None:
    for days_ago in (0, 0, DAYS - 1, DAYS):
        await settled(shop, AUTHORIZED, days_ago)
    days = (await figures_of(services, shop)).production.days
    assert [day.authorized for day in days] == [1, *[0] * (DAYS - 2), 2]
    assert days[-1].day == datetime.now(BRASILIA).date()
    assert days[-1].day - days[0].day == timedelta(days=DAYS - 1)
    assert days[-1].amount == Decimal("119.60")


async def test_documents_of_tests_have_figures_of_their_own(services: Services, shop: Shop) -> None:
    await settled(shop, AUTHORIZED, environment="homologation")
    figures = await figures_of(services, shop)
    assert figures.production.is_empty
    assert figures.homologation.days[-1].authorized == 1


async def test_only_the_given_companies_are_counted(services: Services, shop: Shop) -> None:
    other = await open_shop(shop.database, shop.subscription_id, "12ABC34501DE35")
    await settled(shop, AUTHORIZED)
    await settled(other, AUTHORIZED)
    await other.added()
    alone, both = await figures_of(services, shop), await figures_of(services, shop, other)
    assert (alone.production.days[-1].authorized, alone.processing) == (1, 0)
    assert (both.production.days[-1].authorized, both.processing) == (2, 1)
