"""Inutilizations whose answers are late, unusual or lost."""

from uuid import UUID

import pytest

from carimbo.fiscal.identity.certificate import A1Certificate
from carimbo.fiscal.outcome import Duplicate, Rejected
from carimbo.storage.identifiers import new_id
from carimbo.storage.inutilizations import NewInutilization
from carimbo.storage.work import WorkKind
from integration.issuing.scripted import (
    LOST,
    NOT_SENT,
    OUT,
    Line,
    ScriptedWorker,
    file_of,
    registering,
    remove_certificate,
    row_of,
    state_of,
)

SAME_RANGE = Duplicate(code="563", message="Rejeição: Já existe pedido de inutilização com a mesma faixa")
PART_INUTILIZED = Duplicate(code="256", message="Rejeição: Um número da faixa já está inutilizado")
INUTILIZED = Duplicate(code="206", message="Rejeição: NF-e já está inutilizada na base de dados da SEFAZ")
USED = Rejected(code="241", message="Rejeição: Um número da faixa já foi utilizado")


async def add_inutilization(worker: ScriptedWorker, last: int = 12) -> UUID:
    """Adds an inutilization that is still to be sent."""
    new = NewInutilization(
        id=new_id(),
        company_id=UUID(worker.shop.id),
        document_type="nfe",
        environment="production",
        series=1,
        first_number=10,
        last_number=last,
        year=2026,
        justification="Numeração pulada por falha de sistema",
    )
    async with worker.shop.system.database.autocommit(worker.shop.caller.subscription_id) as tenant:
        await tenant.inutilizations.add(new)
    return new.id


class TestRange:
    @pytest.mark.parametrize(
        ("lines", "code"),
        [
            ((registering("102"),), "102"),
            ((SAME_RANGE,), "563"),
            ((LOST, SAME_RANGE), "563"),
            ((LOST, registering("102")), "102"),
            ((OUT, NOT_SENT, registering("102")), "102"),
        ],
    )
    async def test_range_that_is_void_in_the_end_is_registered(
        self, worker: ScriptedWorker, lines: tuple[Line, ...], code: str
    ) -> None:
        worker.script.begin(*lines)
        numbers = await add_inutilization(worker)
        await worker.advance_row(WorkKind.INUTILIZATION, numbers)
        row = await row_of(worker, numbers)
        assert (row["state"], row["authority_code"]) == ("registered", code)
        assert (row["protocol"] is not None) == (code == "102")
        assert (await file_of(worker, numbers, "registration") is not None) == (code == "102")
        assert (len(worker.script.filed), len(set(worker.script.filed))) == (len(lines), 1)

    @pytest.mark.parametrize("answer", [SAME_RANGE, PART_INUTILIZED, INUTILIZED])
    @pytest.mark.parametrize("before", [(), (LOST,)])
    async def test_single_number_that_is_already_void_is_registered(
        self, worker: ScriptedWorker, before: tuple[Line, ...], answer: Duplicate
    ) -> None:
        worker.script.begin(*before, answer)
        number = await add_inutilization(worker, last=10)
        await worker.advance_row(WorkKind.INUTILIZATION, number)
        row = await row_of(worker, number)
        assert (row["state"], row["authority_code"]) == ("registered", answer.code)
        assert await file_of(worker, number, "registration") is None

    @pytest.mark.parametrize("refusal", [PART_INUTILIZED, INUTILIZED, USED])
    @pytest.mark.parametrize("before", [(), (LOST,)])
    async def test_range_with_a_number_that_is_not_free_is_refused(
        self, worker: ScriptedWorker, before: tuple[Line, ...], refusal: Rejected | Duplicate
    ) -> None:
        worker.script.begin(*before, refusal)
        numbers = await add_inutilization(worker)
        await worker.advance_row(WorkKind.INUTILIZATION, numbers)
        row = await row_of(worker, numbers)
        assert (row["state"], row["authority_code"]) == ("refused", refusal.code)
        assert row["authority_message"] == refusal.message

    async def test_range_that_may_be_void_waits_for_a_certificate(
        self, worker: ScriptedWorker, certificate: A1Certificate
    ) -> None:
        worker.script.begin(LOST, SAME_RANGE)
        numbers = await add_inutilization(worker)
        await worker.advance_row(WorkKind.INUTILIZATION, numbers, steps=1)
        await remove_certificate(worker)
        assert await worker.advance_row(WorkKind.INUTILIZATION, numbers, steps=1) is not None
        await worker.shop.set_certificate(certificate)
        await worker.advance_row(WorkKind.INUTILIZATION, numbers)
        assert await state_of(worker, numbers) == "registered"
