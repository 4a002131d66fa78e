"""The limits on the size and the time of a request body."""

import asyncio
from typing import Any

import pytest
from starlette.types import Message, Receive

from carimbo.api.errors import refusal_response
from carimbo.api.middleware import LimitedReceive
from carimbo.service.errors import ErrorCode, Refusal

SECONDS = 0.1
PART: Message = {"type": "http.request", "body": b"x", "more_body": True}
LAST: Message = {"type": "http.request", "body": b"x", "more_body": False}


async def read_body(receive: Receive) -> None:
    while (await receive())["more_body"]:
        pass


def arriving(*messages: Message, pause: float) -> Any:
    """Returns a `receive` that waits before each message."""
    left = iter(messages)

    async def receive() -> Message:
        await asyncio.sleep(pause)
        return next(left)

    return receive


class TestTime:
    async def test_a_body_that_arrives_bit_by_bit_is_refused_when_its_time_is_over(self) -> None:
        receive = arriving(*[PART] * 100, pause=SECONDS / 10)
        with pytest.raises(Refusal) as refused:
            await read_body(LimitedReceive(receive, limit=1000, seconds=SECONDS))
        assert refused.value.code is ErrorCode.REQUEST_TIMEOUT
        response = refusal_response(refused.value)
        assert (response.status_code, response.headers["Connection"]) == (408, "close")

    async def test_an_answer_may_take_longer_than_the_limit_of_the_body(self) -> None:
        gone: Message = {"type": "http.disconnect"}
        receive = arriving(LAST, gone, pause=SECONDS * 0.7)
        limited = LimitedReceive(receive, limit=1000, seconds=SECONDS)
        await read_body(limited)
        assert await limited() == gone
