"""`carimbo documents`: what an operator sets aside, looks at, takes up again and closes."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from decimal import Decimal
from uuid import UUID

import pytest

from acceptance.commands.command_runs import Carimbo, carimbo_here
from carimbo.fiscal.lifecycle import Status
from carimbo.storage.database import Tenant, open_database
from carimbo.storage.documents import Document
from carimbo.storage.envelope import KeyRing
from carimbo.storage.identifiers import new_id
from carimbo.storage.new_document import NewDocument
from support import ABSENT, CNPJ

Use = Callable[[Tenant], Awaitable[Document | None]]
Rows = Callable[[Use], Document]


@pytest.fixture
def documents(place: dict[str, str]) -> Carimbo:
    """An operator's command for documents."""
    return lambda *arguments: carimbo_here("documents", *arguments, **place)


@pytest.fixture
def rows(place: dict[str, str], subscription: dict[str, str]) -> Rows:
    """Finds a document in the rows of a subscription, or puts it there."""

    async def found(use: Use) -> Document:
        keys, owner = KeyRing.parse(place["secret_keys"]), UUID(subscription["apiKey"])
        async with open_database(place["database_url"], keys) as database, database.tenant(owner) as tenant:
            document = await use(tenant)
        assert document is not None
        return document

    def run(use: Use) -> Document:
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(asyncio.run, found(use)).result()

    return run


@pytest.fixture
def queued(rows: Rows) -> Document:
    """A document that no worker has begun with."""
    return rows(queue_one)


async def queue_one(tenant: Tenant) -> Document | None:
    company = await tenant.companies.add(new_id(), CNPJ, {"legal_name": "Loja Modelo Ltda"})
    assert company is not None
    document = NewDocument(
        id=new_id(),
        company_id=company.id,
        type="nfe",
        environment="production",
        status=Status.PROCESSING,
        namespace="invoices",
        idempotency_key=None,
        external_id=None,
        request="{}",
        amount=Decimal("59.80"),
        warnings=[],
        reviewed_revision=1,
        reviewed_on=date(2026, 11, 10),
        allowance_period=None,
        is_urgent=False,
    )
    return await tenant.documents.add(document, [], queued=True)


class TestHold:
    def test_tells_how_much_was_set_aside_and_what_comes_next(
        self, documents: Carimbo, queued: Document
    ) -> None:
        told = documents("hold")
        assert told.code == 0, told.err
        assert re.match(r"postos de lado: [1-9]\d* documentos? e 0 vendas\n", told.out)
        assert all(f"carimbo documents {word}" in told.out for word in ("parked", "resume", "dismiss"))
        (line,) = [line for line in documents("parked").out.splitlines() if str(queued.id) in line]
        assert line.startswith(f"{queued.id}  document  nfe  {queued.company_id}  ")
        assert line.endswith("  restaurado de um backup")

    def test_takes_another_reason(self, documents: Carimbo, queued: Document) -> None:
        assert documents("hold", "--reason", "mudança de servidor").code == 0
        (line,) = [line for line in documents("parked").out.splitlines() if str(queued.id) in line]
        assert line.endswith("  mudança de servidor")

    def test_of_nothing_says_so_and_no_more(self, documents: Carimbo) -> None:
        assert documents("hold").code == 0
        assert documents("hold").out == "postos de lado: 0 documentos e 0 vendas\n"


class TestResume:
    def test_puts_one_back_into_the_queue(self, documents: Carimbo, rows: Rows, queued: Document) -> None:
        assert documents("hold").code == 0
        assert documents("resume", str(queued.id)).out == "voltou à fila\n"
        assert rows(lambda tenant: tenant.documents.get(queued.id)).parked_reason is None


class TestDismiss:
    def test_closes_a_document_for_a_reason(self, documents: Carimbo, rows: Rows, queued: Document) -> None:
        assert documents("hold").code == 0
        told = documents("dismiss", str(queued.id), "--reason", "Emitida em papel")
        assert (told.code, told.out) == (0, "o documento foi encerrado como rejeitado\n")
        closed = rows(lambda tenant: tenant.documents.get(queued.id))
        assert closed.status == Status.REJECTED and closed.rejection is not None
        assert (closed.rejection["code"], closed.rejection["message"]) == ("DISMISSED", "Emitida em papel")

    def test_needs_no_reason(self, documents: Carimbo, rows: Rows, queued: Document) -> None:
        assert documents("hold").code == 0
        assert documents("dismiss", str(queued.id)).code == 0
        closed = rows(lambda tenant: tenant.documents.get(queued.id))
        assert closed.rejection is not None and closed.rejection["message"].startswith("Encerrado")

    def test_of_what_is_not_set_aside_is_told(self, documents: Carimbo, queued: Document) -> None:
        for which in (str(queued.id), ABSENT):
            told = documents("dismiss", which)
            assert told.code == 1 and told.is_one_sentence and "posto de lado" in told.err
