"""The archives that a process sends at once."""

import gc
from collections.abc import AsyncGenerator
from uuid import UUID, uuid4

import pytest

from carimbo.service.errors import ErrorCode, Refusal
from carimbo.service.exports.streams import ArchiveStreams


async def two_pieces() -> AsyncGenerator[bytes, None]:
    yield b"1"
    yield b"2"


async def failing() -> AsyncGenerator[bytes, None]:
    yield b"1"
    raise LookupError


def require_full(streams: ArchiveStreams, export_id: UUID | None = None) -> None:
    with pytest.raises(Refusal) as refused:
        streams.open(uuid4(), export_id or uuid4(), two_pieces())
    assert refused.value.code is ErrorCode.RATE_LIMIT_EXCEEDED
    assert refused.value.details is not None
    assert refused.value.details["retryAfter"] > 0


async def test_export_has_one_stream_at_a_time() -> None:
    streams, export_id = ArchiveStreams(), uuid4()
    running = streams.open(uuid4(), export_id, two_pieces())
    require_full(streams, export_id)
    other = streams.open(uuid4(), uuid4(), two_pieces())
    assert [piece async for piece in running] == [b"1", b"2"]

    second = streams.open(uuid4(), export_id, two_pieces())
    await running.aclose()
    require_full(streams, export_id)
    await second.aclose()
    await other.aclose()


async def test_place_is_free_after_a_failure_and_after_a_stream_that_never_started() -> None:
    streams = ArchiveStreams(limit=1)
    running = streams.open(uuid4(), uuid4(), failing())
    await anext(running)
    require_full(streams)
    with pytest.raises(LookupError):
        await anext(running)
    unstarted = streams.open(uuid4(), uuid4(), two_pieces())
    await unstarted.aclose()
    dropped = streams.open(uuid4(), uuid4(), two_pieces())
    require_full(streams)
    del dropped
    gc.collect()
    await streams.open(uuid4(), uuid4(), two_pieces()).aclose()


async def test_subscription_with_two_archives_leaves_the_other_places_to_others() -> None:
    streams, subscription_id = ArchiveStreams(), uuid4()
    first, second = (streams.open(subscription_id, uuid4(), two_pieces()) for _ in range(2))
    with pytest.raises(Refusal):
        streams.open(subscription_id, uuid4(), two_pieces())
    await streams.open(uuid4(), uuid4(), two_pieces()).aclose()
    await first.aclose()
    await streams.open(subscription_id, uuid4(), two_pieces()).aclose()
    await second.aclose()
