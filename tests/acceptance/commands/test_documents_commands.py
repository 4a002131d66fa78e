"""`carimbo documents`: an operator parks, lists, resumes and dismisses documents."""

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
from carimbo.storage.new_documents import NewDocument
from support import ABSENT, CNPJ

Use = Callable[[Tenant], Awaitable[Document | None]]
Rows = Callable[[Use], Document]


@pytest.fixture
def documents(installation: dict[str, str]) -> Carimbo:
    """Runs `carimbo documents`."""
    return lambda *arguments: carimbo_here("documents", *arguments, **installation)


@pytest.fixture
def rows(installation: dict[str, str], subscription: dict[str, str]) -> Rows:
    """Runs a function on a subscription's rows, and returns the document that it reads or writes."""

    async def document_of(use: Use) -> Document:
        keys, owner = KeyRing.parse(installation["secret_keys"]), UUID(subscription["apiKey"])
        async with (
            open_database(installation["database_url"], keys) as database,
            database.tenant(owner) as tenant,
        ):
            document = await use(tenant)
        assert document is not None
        return document

    def run(use: Use) -> Document:
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(asyncio.run, document_of(use)).result()

    return run


@pytest.fixture
def queued(rows: Rows) -> Document:
    """A queued document that no worker has leased."""
    return rows(queue_document)


async def queue_document(tenant: Tenant) -> Document | None:
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
    def test_hold_reports_how_much_was_parked_and_the_next_commands(
        self, documents: Carimbo, queued: Document
    ) -> None:
        result = documents("hold")
        assert result.code == 0, result.err
        assert re.match(r"postos de lado: [1-9]\d* documentos? e 0 vendas\n", result.out)
        assert all(f"carimbo documents {word}" in result.out for word in ("parked", "resume", "dismiss"))
        (line,) = [line for line in documents("parked").out.splitlines() if str(queued.id) in line]
        assert line.startswith(f"{queued.id}  document  nfe  {queued.company_id}  ")
        assert line.endswith("  restaurado de um backup")

    def test_hold_accepts_a_reason(self, documents: Carimbo, queued: Document) -> None:
        assert documents("hold", "--reason", "mudança de servidor").code == 0
        (line,) = [line for line in documents("parked").out.splitlines() if str(queued.id) in line]
        assert line.endswith("  mudança de servidor")

    def test_hold_of_nothing_reports_zero_and_nothing_else(self, documents: Carimbo) -> None:
        assert documents("hold").code == 0
        assert documents("hold").out == "postos de lado: 0 documentos e 0 vendas\n"


class TestResume:
    def test_resume_puts_a_document_back_into_the_queue(
        self, documents: Carimbo, rows: Rows, queued: Document
    ) -> None:
        assert documents("hold").code == 0
        assert documents("resume", str(queued.id)).out == "voltou à fila\n"
        assert rows(lambda tenant: tenant.documents.get(queued.id)).parked_reason is None


class TestDismiss:
    def test_dismiss_rejects_a_document_with_a_reason(
        self, documents: Carimbo, rows: Rows, queued: Document
    ) -> None:
        assert documents("hold").code == 0
        result = documents("dismiss", str(queued.id), "--reason", "Emitida em papel")
        assert (result.code, result.out) == (0, "o documento foi encerrado como rejeitado\n")
        closed = rows(lambda tenant: tenant.documents.get(queued.id))
        assert closed.status == Status.REJECTED and closed.rejection is not None
        assert (closed.rejection["code"], closed.rejection["message"]) == ("DISMISSED", "Emitida em papel")

    def test_dismiss_needs_no_reason(self, documents: Carimbo, rows: Rows, queued: Document) -> None:
        assert documents("hold").code == 0
        assert documents("dismiss", str(queued.id)).code == 0
        closed = rows(lambda tenant: tenant.documents.get(queued.id))
        assert closed.rejection is not None and closed.rejection["message"].startswith("Encerrado")

    def test_dismiss_of_a_document_that_is_not_parked_is_reported(
        self, documents: Carimbo, queued: Document
    ) -> None:
        for which in (str(queued.id), ABSENT):
            result = documents("dismiss", which)
            assert result.code == 1 and result.is_one_sentence and "posto de lado" in result.err
