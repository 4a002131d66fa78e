"""Ranges of numbers whose fate is told late, oddly or not at all."""

from uuid import UUID

import pytest

from carimbo.fiscal.certificate import A1Certificate
from carimbo.fiscal.outcome import Duplicate, Rejected
from carimbo.storage.identifiers import new_id
from carimbo.storage.inutilizations import NewInutilization
from carimbo.storage.work import WorkKind
from integration.issuing.scripted import (
    LOST,
    NOT_SENT,
    OUT,
    Line,
    Play,
    file_of,
    registering,
    row_of,
    state_of,
    without_certificate,
)

SAME_RANGE = Duplicate(code="563", message="Rejeição: Já existe pedido de inutilização com a mesma faixa")
PART_VOIDED = Duplicate(code="256", message="Rejeição: Um número da faixa já está inutilizado")
VOIDED = Duplicate(code="206", message="Rejeição: NF-e já está inutilizada na base de dados da SEFAZ")
USED = Rejected(code="241", message="Rejeição: Um número da faixa já foi utilizado")


async def give_up(play: Play, last: int = 12) -> UUID:
    """Store a range that is to be given up."""
    new = NewInutilization(
        id=new_id(),
        company_id=UUID(play.shop.id),
        document_type="nfe",
        environment="production",
        series=1,
        first_number=10,
        last_number=last,
        year=2026,
        justification="Numeração pulada por falha de sistema",
    )
    async with play.shop.floor.database.autocommit(play.shop.caller.subscription_id) as tenant:
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
    async def test_that_is_void_in_the_end_is_registered(
        self, play: Play, lines: tuple[Line, ...], code: str
    ) -> None:
        play.script.begin(*lines)
        numbers = await give_up(play)
        await play.work(WorkKind.INUTILIZATION, numbers)
        row = await row_of(play, numbers)
        assert (row["state"], row["authority_code"]) == ("registered", code)
        assert (row["protocol"] is not None) == (code == "102")
        assert (await file_of(play, numbers, "registration") is not None) == (code == "102")
        assert (len(play.script.filed), len(set(play.script.filed))) == (len(lines), 1)

    @pytest.mark.parametrize("answer", [SAME_RANGE, PART_VOIDED, VOIDED])
    @pytest.mark.parametrize("before", [(), (LOST,)])
    async def test_of_one_number_that_is_void_already_is_registered(
        self, play: Play, before: tuple[Line, ...], answer: Duplicate
    ) -> None:
        play.script.begin(*before, answer)
        number = await give_up(play, last=10)
        await play.work(WorkKind.INUTILIZATION, number)
        row = await row_of(play, number)
        assert (row["state"], row["authority_code"]) == ("registered", answer.code)
        assert await file_of(play, number, "registration") is None

    @pytest.mark.parametrize("refusal", [PART_VOIDED, VOIDED, USED])
    @pytest.mark.parametrize("before", [(), (LOST,)])
    async def test_of_which_a_number_is_not_free_is_refused(
        self, play: Play, before: tuple[Line, ...], refusal: Rejected | Duplicate
    ) -> None:
        play.script.begin(*before, refusal)
        numbers = await give_up(play)
        await play.work(WorkKind.INUTILIZATION, numbers)
        row = await row_of(play, numbers)
        assert (row["state"], row["authority_code"]) == ("refused", refusal.code)
        assert row["authority_message"] == refusal.message

    async def test_that_may_be_void_waits_for_a_certificate(
        self, play: Play, certificate: A1Certificate
    ) -> None:
        play.script.begin(LOST, SAME_RANGE)
        numbers = await give_up(play)
        await play.work(WorkKind.INUTILIZATION, numbers, steps=1)
        await without_certificate(play)
        assert await play.work(WorkKind.INUTILIZATION, numbers, steps=1) is not None
        await play.shop.certify(certificate)
        await play.work(WorkKind.INUTILIZATION, numbers)
        assert await state_of(play, numbers) == "registered"
