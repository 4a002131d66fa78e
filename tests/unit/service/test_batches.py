"""Items of many tasks that are handled together."""

import asyncio
from collections.abc import Sequence

import pytest

from carimbo.service.delivery import batches as batches_module
from carimbo.service.delivery.batches import Batches
from carimbo.storage.connection import DatabaseUnavailable


class Doubling:
    """Doubles numbers once its gate is open; negative numbers can't be doubled."""

    def __init__(self) -> None:
        self.calls: list[Sequence[int]] = []
        self.has_begun, self.gate = asyncio.Event(), asyncio.Event()
        self.is_lost = False

    async def double(self, numbers: Sequence[int]) -> Sequence[int]:
        self.calls.append(numbers)
        self.has_begun.set()
        await self.gate.wait()
        if self.is_lost:
            raise DatabaseUnavailable("gone")
        if min(numbers) < 0:
            raise ValueError(min(numbers))
        return [2 * number for number in numbers]


async def put_all(batches: Batches[int, int], doubling: Doubling, *numbers: int) -> list[asyncio.Task[int]]:
    """Puts a first number, and the others while the first is handled."""
    tasks = []
    for number in numbers:
        tasks.append(asyncio.create_task(batches.put(number)))
        await doubling.has_begun.wait()
    await asyncio.sleep(0)
    return tasks


@pytest.fixture
def doubling() -> Doubling:
    return Doubling()


@pytest.fixture
def batches(doubling: Doubling) -> Batches[int, int]:
    return Batches(doubling.double)


class TestBatches:
    async def test_items_that_come_meanwhile_are_handled_together(
        self, batches: Batches[int, int], doubling: Doubling
    ) -> None:
        tasks = await put_all(batches, doubling, 1, 2, 3)
        assert doubling.calls == [[1]]
        doubling.gate.set()
        assert await asyncio.gather(*tasks) == [2, 4, 6]
        assert doubling.calls == [[1], [2, 3]]

    async def test_items_that_come_together_are_handled_together(
        self, batches: Batches[int, int], doubling: Doubling
    ) -> None:
        doubling.gate.set()
        for _ in range(2):
            assert await asyncio.gather(*(batches.put(number) for number in (1, 2))) == [2, 4]
        assert doubling.calls == [[1, 2], [1, 2]]

    async def test_batch_is_limited(
        self, batches: Batches[int, int], doubling: Doubling, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(batches_module, "_MAX_BATCH", 2)
        doubling.gate.set()
        assert await asyncio.gather(*(batches.put(number) for number in (1, 2, 3))) == [2, 4, 6]
        assert doubling.calls == [[1, 2], [3]]

    async def test_item_that_cannot_be_handled_fails_alone(
        self, batches: Batches[int, int], doubling: Doubling
    ) -> None:
        doubling.gate.set()
        results = await asyncio.gather(*(batches.put(n) for n in (1, -2, 3)), return_exceptions=True)
        assert (results[0], repr(results[1]), results[2]) == (2, "ValueError(-2)", 6)
        assert await batches.put(4) == 8

    async def test_nothing_is_repeated_without_a_database(
        self, batches: Batches[int, int], doubling: Doubling
    ) -> None:
        doubling.is_lost = True
        doubling.gate.set()
        results = await asyncio.gather(*(batches.put(n) for n in (1, 2)), return_exceptions=True)
        assert [type(result) for result in results] == [DatabaseUnavailable, DatabaseUnavailable]
        assert doubling.calls == [[1, 2]]

    async def test_item_of_a_cancelled_task_is_not_handled(
        self, batches: Batches[int, int], doubling: Doubling
    ) -> None:
        first, cancelled, last = await put_all(batches, doubling, 1, 2, 3)
        cancelled.cancel()
        await asyncio.wait([cancelled])
        doubling.gate.set()
        assert (await first, await last) == (2, 6)
        assert doubling.calls == [[1], [3]]

    async def test_task_that_is_cancelled_meanwhile_stops_no_other(
        self, batches: Batches[int, int], doubling: Doubling
    ) -> None:
        first, last = await put_all(batches, doubling, 1, 2)
        first.cancel()
        await asyncio.wait([first])
        doubling.gate.set()
        assert await last == 4
