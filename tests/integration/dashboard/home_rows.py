"""Rows of things that need a person now, for tests of the first page."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from lxml import html

from carimbo.service.people.roles import MemberRole
from carimbo.service.receiving.decision import REST
from carimbo.storage.database import Database
from carimbo.storage.streams import open_stream
from integration.dashboard.company_rows import ready_company
from integration.dashboard.conftest import NewPanel
from integration.dashboard.panel import Panel, words_of
from integration.storage.document_rows import Shop
from integration.storage.problem_rows import ProblemRows
from integration.storage.received_rows import new_received
from support import OTHER_CNPJ, Caller

DAY = timedelta(days=1)


@dataclass(frozen=True)
class Task:
    """An item of the first page: what it says, and where its links lead."""

    text: str
    links: tuple[str, ...]


@dataclass(frozen=True)
class Home(ProblemRows):
    """The first page of the owner, and that of a person who sees only another, empty company."""

    owner: Panel
    of_other: Panel

    async def task(self, words: str) -> Task:
        """Returns the only item with these words. The person of the other company must not see it."""
        [task] = [task for task in await tasks_of(self.owner) if words in task.text]
        assert [task for task in await tasks_of(self.of_other) if words in task.text] == []
        return task

    @property
    def company(self) -> str:
        return self.owner.company(self.shop.company_id)

    async def received(self, **columns: Any) -> UUID:
        async with self.shop.database.tenant(self.shop.subscription_id) as tenant:
            document = await tenant.received.add(new_received(self.shop.company_id, **columns))
        return document.id

    async def distribution(self) -> UUID:
        """Makes the company follow the NF-e of its CNPJ, which another program reads too."""
        async with self.shop.database.tenant(self.shop.subscription_id) as tenant:
            stream_id = await open_stream(tenant.connection, "nfe", "production", OTHER_CNPJ, REST)
            reception = await tenant.receptions.start(self.shop.company_id, "nfe", "production", stream_id)
        await self.execute("update receptions set proved_fingerprint = 'a1' where id = $1", reception.id)
        await self.execute("update streams set other_reader_at = now() where id = $1", stream_id)
        return stream_id


async def tasks_of(panel: Panel) -> list[Task]:
    """Returns all items of a person's first page."""
    page = await panel.page(panel.base)
    return [
        Task(words_of(item), tuple(item.xpath(".//a/@href")))
        for item in page.xpath("//ul[@class='tasks']/li")
    ]


async def words_of_home(panel: Panel) -> str:
    """Returns the text of a person's first page."""
    page: html.HtmlElement = await panel.page(panel.base)
    return words_of(page.xpath("//main")[0])


async def open_home(caller: Caller, database: Database, sign_in_as: NewPanel) -> Home:
    """Registers two companies that lack nothing, and signs in a person for both and one for the second."""
    alfa = await ready_company(caller, database, OTHER_CNPJ, legalName="Alfa Ltda")
    beta = await ready_company(caller, database, legalName="Beta Ltda")
    return Home(
        Shop(database, caller.subscription_id, UUID(alfa)),
        Shop(database, caller.subscription_id, UUID(beta)),
        await sign_in_as(caller.subscription_id),
        await sign_in_as(caller.subscription_id, MemberRole.VIEWER, frozenset({UUID(beta)})),
    )


def in_days(days: float) -> datetime:
    return datetime.now(UTC) + days * DAY
