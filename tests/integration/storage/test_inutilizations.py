"""Which numbers may be inutilized, and the ranges that are."""

from dataclasses import replace
from typing import Any
from uuid import UUID

import asyncpg
import pytest

from carimbo.fiscal.lifecycle import EmissionState, FilingState, Status
from carimbo.storage.identifiers import new_id
from carimbo.storage.inutilizations import InutilizationRow, NewInutilization, NumberUse
from carimbo.storage.work import WorkKind
from integration.storage.attempts import authorized, authorized_at_second_attempt, claimed
from integration.storage.document_rows import Shop
from integration.storage.neighbours import new_range

NEVER_RECEIVED = {EmissionState.NUMBERED, EmissionState.SIGNED, EmissionState.REJECTED}
RECEIVED_OR_UNKNOWN = set(EmissionState) - NEVER_RECEIVED


def numbers(shop: Shop, first: int, last: int, **changes: Any) -> NewInutilization:
    return replace(new_range(shop.company_id), id=new_id(), first_number=first, last_number=last, **changes)


async def first_use(shop: Shop, new: NewInutilization) -> NumberUse | None:
    async with shop.database.autocommit(shop.subscription_id) as tenant:
        return await tenant.inutilizations.first_use(new)


async def highest_number(shop: Shop) -> int:
    async with shop.database.autocommit(shop.subscription_id) as tenant:
        return await tenant.inutilizations.highest_number(shop.number_series)


async def inutilize(shop: Shop, new: NewInutilization, state: str = FilingState.QUEUED) -> InutilizationRow:
    """Stores a range in the given state."""
    async with shop.database.tenant(shop.subscription_id) as tenant:
        stored = await tenant.inutilizations.add(new)
        await tenant.connection.execute(
            "update inutilizations set state = $2 where id = $1", stored.id, state
        )
    return stored


async def document_with(
    shop: Shop, state: str, status: str, emission_type: str = "1", *, in_force: bool = True
) -> UUID:
    """Stores a document whose attempt with number 1 has the given state."""
    document = await (authorized(shop) if in_force else authorized_at_second_attempt(shop))
    async with shop.database.connection() as connection:
        await connection.execute(
            "update emissions set state = $2, emission_type = $3 where document_id = $1 and number = 1",
            document.id, state, emission_type,
        )  # fmt: skip
        await connection.execute("update documents set status = $2 where id = $1", document.id, status)
    return document.id


class TestNumberOfAnAttempt:
    @pytest.mark.parametrize("in_force", [True, False])
    @pytest.mark.parametrize("state", sorted(RECEIVED_OR_UNKNOWN))
    async def test_a_number_that_the_authority_may_have_is_never_free(
        self, shop: Shop, state: str, in_force: bool
    ) -> None:
        document_id = await document_with(shop, state, Status.REJECTED, in_force=in_force)
        assert await first_use(shop, numbers(shop, 1, 1)) == NumberUse(1, document_id, None)

    @pytest.mark.parametrize("state", sorted(NEVER_RECEIVED))
    @pytest.mark.parametrize("status", sorted({Status.PROCESSING, Status.PENDING}))
    async def test_a_number_in_force_is_not_free_while_its_document_is_processed(
        self, shop: Shop, state: str, status: str
    ) -> None:
        document_id = await document_with(shop, state, status)
        assert await first_use(shop, numbers(shop, 1, 1)) == NumberUse(1, document_id, None)

    @pytest.mark.parametrize("state", sorted(NEVER_RECEIVED))
    async def test_a_number_in_force_is_free_once_its_document_is_rejected(
        self, shop: Shop, state: str
    ) -> None:
        await document_with(shop, state, Status.REJECTED)
        assert await first_use(shop, numbers(shop, 1, 1)) is None

    @pytest.mark.parametrize("state", sorted(NEVER_RECEIVED))
    @pytest.mark.parametrize("status", sorted(Status))
    async def test_the_number_of_a_superseded_attempt_is_free_whatever_the_document_s_status(
        self, shop: Shop, state: str, status: str
    ) -> None:
        await document_with(shop, state, status, in_force=False)
        assert await first_use(shop, numbers(shop, 1, 1)) is None

    @pytest.mark.parametrize("state", sorted(EmissionState))
    async def test_a_printed_number_is_never_free(self, shop: Shop, state: str) -> None:
        document_id = await document_with(shop, state, Status.REJECTED, "9")
        assert await first_use(shop, numbers(shop, 1, 1)) == NumberUse(1, document_id, None)


class TestNumberOfARange:
    @pytest.mark.parametrize("state", sorted(set(FilingState) - {FilingState.REFUSED}))
    async def test_a_number_of_an_inutilized_range_is_not_free(self, shop: Shop, state: str) -> None:
        inutilized = await inutilize(shop, numbers(shop, 10, 12), state)
        assert await first_use(shop, numbers(shop, 11, 11)) == NumberUse(11, None, inutilized.id)

    async def test_a_number_of_a_refused_range_is_free(self, shop: Shop) -> None:
        await inutilize(shop, numbers(shop, 10, 12), FilingState.REFUSED)
        assert await first_use(shop, numbers(shop, 10, 12)) is None

    @pytest.mark.parametrize(
        ("first", "last", "first_overlap"),
        [(12, 14, 12), (8, 10, 10), (11, 11, 11), (5, 20, 10), (10, 12, 10)],
    )
    async def test_the_first_number_that_two_ranges_share_is_returned(
        self, shop: Shop, first: int, last: int, first_overlap: int
    ) -> None:
        inutilized = await inutilize(shop, numbers(shop, 10, 12))
        assert await first_use(shop, numbers(shop, first, last)) == NumberUse(
            first_overlap, None, inutilized.id
        )

    @pytest.mark.parametrize(("first", "last"), [(13, 14), (7, 9)])
    async def test_numbers_beside_an_inutilized_range_are_free(
        self, shop: Shop, first: int, last: int
    ) -> None:
        await inutilize(shop, numbers(shop, 10, 12))
        assert await first_use(shop, numbers(shop, first, last)) is None


class TestFirstUse:
    async def test_the_first_use_is_the_lowest_used_number(self, shop: Shop) -> None:
        document_id = await document_with(shop, EmissionState.AUTHORIZED, Status.AUTHORIZED)
        inutilized = await inutilize(shop, numbers(shop, 3, 4))
        assert await first_use(shop, numbers(shop, 1, 9)) == NumberUse(1, document_id, None)
        assert await first_use(shop, numbers(shop, 2, 9)) == NumberUse(3, None, inutilized.id)

    @pytest.mark.parametrize(
        "other", [{"series": 2}, {"environment": "homologation"}, {"document_type": "nfce"}]
    )
    async def test_uses_of_another_series_type_or_environment_do_not_matter(
        self, shop: Shop, other: dict[str, Any]
    ) -> None:
        await document_with(shop, EmissionState.AUTHORIZED, Status.AUTHORIZED)
        await inutilize(shop, numbers(shop, 3, 4))
        assert await first_use(shop, numbers(shop, 1, 9, **other)) is None

    async def test_uses_of_another_company_do_not_matter(self, shop: Shop, other_shop: Shop) -> None:
        await document_with(shop, EmissionState.AUTHORIZED, Status.AUTHORIZED)
        await inutilize(shop, numbers(shop, 3, 4))
        assert await first_use(other_shop, numbers(other_shop, 1, 9)) is None


class TestHighestNumber:
    async def test_the_highest_number_is_the_end_of_the_highest_range_not_refused(self, shop: Shop) -> None:
        assert await highest_number(shop) == 0
        await inutilize(shop, numbers(shop, 10, 12), FilingState.REGISTERED)
        await inutilize(shop, numbers(shop, 3, 4))
        await inutilize(shop, numbers(shop, 20, 22), FilingState.REFUSED)
        assert await highest_number(shop) == 12

    @pytest.mark.parametrize(
        "other", [{"series": 2}, {"environment": "homologation"}, {"document_type": "nfce"}]
    )
    async def test_the_highest_number_counts_per_series_type_and_environment(
        self, shop: Shop, other: dict[str, Any]
    ) -> None:
        await inutilize(shop, numbers(shop, 10, 12, **other))
        assert await highest_number(shop) == 0

    async def test_the_highest_number_ignores_other_companies(self, shop: Shop, other_shop: Shop) -> None:
        await inutilize(shop, numbers(shop, 10, 12))
        assert await highest_number(other_shop) == 0


class TestRanges:
    async def test_a_stored_range_is_read_back_and_is_due(self, shop: Shop) -> None:
        new = numbers(shop, 10, 12)
        async with shop.database.tenant(shop.subscription_id) as tenant:
            stored = await tenant.inutilizations.add(new)
            assert await tenant.inutilizations.get(new.id) == stored
        assert await claimed(shop, WorkKind.INUTILIZATION, new.id)
        assert (stored.first_number, stored.last_number, stored.year) == (10, 12, 2026)
        assert (stored.state, stored.tries, stored.protocol) == (FilingState.QUEUED, 0, None)

    async def test_a_range_that_ends_before_it_begins_is_refused(self, shop: Shop) -> None:
        with pytest.raises(asyncpg.CheckViolationError):
            await inutilize(shop, numbers(shop, 12, 10))

    async def test_ranges_are_listed_newest_first_and_by_type(self, shop: Shop) -> None:
        stored = [await inutilize(shop, numbers(shop, first, first)) for first in range(20, 23)]
        await inutilize(shop, numbers(shop, 1, 1, document_type="nfce"))
        async with shop.database.autocommit(shop.subscription_id) as tenant:
            ranges = tenant.inutilizations
            listed = [row.id for row in await ranges.page(shop.company_id, ["nfe"], 0, 2)]
            rest = [row.id for row in await ranges.page(shop.company_id, ["nfe"], 2, 2)]
            assert listed + rest == [row.id for row in reversed(stored)]
            assert await ranges.count(shop.company_id, ["nfe"]) == 3
            assert await ranges.count(shop.company_id, ["nfe", "nfce"]) == 4
