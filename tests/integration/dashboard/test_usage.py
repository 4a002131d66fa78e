"""The page of usage: the plan, what was used of it, and the documents of this month."""

from datetime import UTC, datetime
from typing import Any

from carimbo.fiscal.lifecycle import Status
from carimbo.service.subscriptions import define_plan, month_of, set_plan
from carimbo.storage.database import Database
from carimbo.storage.issuing import Verdict
from carimbo.storage.subscriptions import SubscriptionPlan
from integration.dashboard.conftest import NewPanel
from integration.dashboard.panel import Panel, words_of
from integration.storage.document_rows import open_shop
from support import Caller, NewCaller


async def use_documents(
    database: Database, caller: Caller, period: str, used: int, reserved: int = 0
) -> None:
    async with database.connection() as connection:
        await connection.execute(
            "insert into allowances (subscription_id, period, used, reserved) values ($1, $2, $3, $4)",
            caller.subscription_id, period, used, reserved,
        )  # fmt: skip


def months_of(page: Any) -> list[str]:
    return [words_of(row) for row in page.xpath("//table[caption='Documentos por mês']/tbody/tr")]


async def test_use_of_a_monthly_plan_is_shown_with_the_months_before(
    panel: Panel, caller: Caller, database: Database
) -> None:
    await define_plan(database, SubscriptionPlan("hundred", 100, None, 60))
    await set_plan(database, caller.subscription_id, "hundred")
    now = datetime.now(UTC)
    await use_documents(database, caller, month_of(now), used=20, reserved=5)
    await use_documents(database, caller, f"{now.year - 3}-01", used=999)
    page = await panel.page(f"{panel.base}/uso")
    (meter,) = page.xpath("//meter")
    assert (meter.get("value"), meter.get("max"), words_of(meter)) == ("25", "100", "25 de 100")
    text = words_of(page)
    assert "5 ainda em processamento" in text
    assert "75 ainda podem ser autorizados" in text
    assert "60 requisições à API por minuto" in text
    assert len(months_of(page)) == 12
    assert months_of(page)[0].endswith(" 20")
    assert "No maior mês, 20 documentos." in text
    assert not any(row.endswith(" 999") for row in months_of(page))


async def test_trial_shows_its_whole_life_and_no_months(
    new_caller: NewCaller, sign_in_as: NewPanel, database: Database
) -> None:
    caller = await new_caller("trial")
    await use_documents(database, caller, "total", used=10)
    async with database.connection() as connection:
        await connection.execute(
            "update subscriptions set features = '{}' where id = $1", caller.subscription_id
        )
    panel = await sign_in_as(caller.subscription_id)
    page = await panel.page(f"{panel.base}/uso")
    assert "10 documentos de 10" in words_of(page)
    assert "Recursos Só NF-e e NFS-e" in words_of(page)
    assert "O limite do plano foi alcançado" in words_of(page)
    assert months_of(page) == []


async def test_documents_of_this_month_are_counted_by_type_and_only_in_production(
    panel: Panel, caller: Caller, new_caller: NewCaller, database: Database
) -> None:
    for owner in (caller, await new_caller()):
        shop = await open_shop(database, owner.subscription_id)
        for status in (Status.AUTHORIZED, Status.AUTHORIZED, Status.REJECTED):
            await shop.settle(await shop.added(), Verdict(status=status))
        await shop.settle(await shop.added(environment="homologation"), Verdict(status=Status.AUTHORIZED))
        await shop.settle(await shop.added(type="nfce"), Verdict(status=Status.AUTHORIZED))
    page = await panel.page(f"{panel.base}/uso")
    table = "//table[caption='Documentos deste mês em produção, por tipo']/tbody/tr"
    assert [words_of(row) for row in page.xpath(table)] == ["NF-e 2 0 1", "NFC-e 1 0 0"]
