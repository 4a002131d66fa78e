"""The cache of drawings."""

import asyncio
import threading
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from carimbo.service.printouts import PdfCache
from support import TIMEOUT_SECONDS

MEGABYTE = 1024 * 1024


@dataclass
class Pen:
    """Draws when it is allowed to, and records the threads that it drew in."""

    drawing: bytes = b"drawn"
    threads: list[str] = field(default_factory=list)
    begun: threading.Event = field(default_factory=threading.Event)
    allowed: threading.Event = field(default_factory=threading.Event)

    def draw(self) -> bytes:
        self.threads.append(threading.current_thread().name)
        self.begun.set()
        assert self.allowed.wait(TIMEOUT_SECONDS)
        return self.drawing

    async def until_begun(self) -> None:
        assert await asyncio.to_thread(self.begun.wait, TIMEOUT_SECONDS)


@pytest.fixture
def pen() -> Pen:
    return Pen()


@pytest.fixture
def free_pen(pen: Pen) -> Pen:
    pen.allowed.set()
    return pen


def giving(drawing: bytes) -> Callable[[], bytes]:
    return lambda: drawing


class TestDrawn:
    async def test_drawing_is_made_in_another_thread(self, free_pen: Pen) -> None:
        assert await PdfCache(MEGABYTE).drawn("a", free_pen.draw) == b"drawn"
        assert free_pen.threads != [threading.current_thread().name]

    async def test_repeated_requests_draw_once(self, free_pen: Pen) -> None:
        drawings = PdfCache(MEGABYTE)
        assert [await drawings.drawn("a", free_pen.draw) for _ in range(3)] == [b"drawn"] * 3
        assert len(free_pen.threads) == 1

    async def test_concurrent_requests_draw_once(self, pen: Pen) -> None:
        drawings = PdfCache(MEGABYTE)
        waiting = [asyncio.create_task(drawings.drawn("a", pen.draw)) for _ in range(5)]
        await pen.until_begun()
        assert drawings.get("a") is None
        pen.allowed.set()
        assert await asyncio.gather(*waiting) == [b"drawn"] * 5
        assert len(pen.threads) == 1

    async def test_different_keys_have_separate_printouts(self) -> None:
        drawings = PdfCache(MEGABYTE)
        assert await drawings.drawn("a", giving(b"1")) == b"1"
        assert await drawings.drawn("b", giving(b"2")) == b"2"
        assert (drawings.get("a"), drawings.get("b"), drawings.get("c")) == (b"1", b"2", None)

    async def test_cancelling_the_first_request_does_not_cancel_the_others(self, pen: Pen) -> None:
        drawings = PdfCache(MEGABYTE)
        first, second = (asyncio.create_task(drawings.drawn("a", pen.draw)) for _ in range(2))
        await pen.until_begun()
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        pen.allowed.set()
        assert await second == b"drawn"
        assert len(pen.threads) == 1

    async def test_drawing_is_kept_though_all_requests_were_cancelled(self, pen: Pen) -> None:
        drawings = PdfCache(MEGABYTE)
        only = asyncio.create_task(drawings.drawn("a", pen.draw))
        await pen.until_begun()
        only.cancel()
        await asyncio.wait({only})
        pen.allowed.set()
        assert await drawings.drawn("a", giving(b"another")) == b"drawn"


class TestFailure:
    async def test_failure_is_raised_to_all_waiting_requests_and_not_kept(self, pen: Pen) -> None:
        def fail() -> bytes:
            pen.draw()
            raise ValueError("no ink")

        drawings = PdfCache(MEGABYTE)
        waiting = [asyncio.create_task(drawings.drawn("a", fail)) for _ in range(3)]
        await pen.until_begun()
        pen.allowed.set()
        errors = await asyncio.gather(*waiting, return_exceptions=True)
        assert [str(error) for error in errors] == ["no ink"] * 3
        assert len(pen.threads) == 1
        assert await drawings.drawn("a", giving(b"now")) == b"now"


class TestSize:
    async def test_full_cache_drops_the_least_recently_used_drawing_first(self) -> None:
        drawings = PdfCache(30)
        for key in "abc":
            await drawings.drawn(key, giving(key.encode() * 10))
        assert drawings.get("a") == b"a" * 10
        await drawings.drawn("d", giving(b"d" * 10))
        assert [key for key in "abcd" if drawings.get(key)] == ["a", "c", "d"]

    async def test_size_counts_bytes_and_not_drawings(self) -> None:
        drawings = PdfCache(30)
        for key in "abc":
            await drawings.drawn(key, giving(b"x"))
        await drawings.drawn("large", giving(b"x" * 29))
        assert [key for key in ("a", "b", "c", "large") if drawings.get(key)] == ["c", "large"]

    async def test_dropped_drawings_free_their_size(self) -> None:
        drawings = PdfCache(30)
        for number in range(20):
            await drawings.drawn(str(number), giving(b"x" * 10))
        assert [number for number in range(20) if drawings.get(str(number))] == [17, 18, 19]

    async def test_drawing_larger_than_the_cache_drops_no_others(self) -> None:
        drawings = PdfCache(9)
        await drawings.drawn("a", giving(b"x"))
        assert await drawings.drawn("large", giving(b"x" * 10)) == b"x" * 10
        assert (drawings.get("a"), drawings.get("large")) == (b"x", None)

    async def test_cache_of_size_zero_keeps_nothing(self, free_pen: Pen) -> None:
        drawings = PdfCache(0)
        assert [await drawings.drawn("a", free_pen.draw) for _ in range(2)] == [b"drawn"] * 2
        assert len(free_pen.threads) == 2
