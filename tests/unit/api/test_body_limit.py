"""The limits on the size and the time of a request body."""

import asyncio
from typing import Any

import pytest
from starlette.types import Message, Receive, Scope, Send

from carimbo.api.errors import refusal_response
from carimbo.api.middleware import BodyLimit
from carimbo.service.errors import ErrorCode, Refusal

SECONDS = 0.1
SCOPE = {"type": "http", "headers": []}
PART: Message = {"type": "http.request", "body": b"x", "more_body": True}
LAST: Message = {"type": "http.request", "body": b"x", "more_body": False}


async def read_body(_: Scope, receive: Receive, __: Send) -> None:
    while (await receive())["more_body"]:
        pass


async def read_disconnection(scope: Scope, receive: Receive, send: Send) -> None:
    await read_body(scope, receive, send)
    await receive()


async def ignore(_: Message) -> None:
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
        limited = BodyLimit(read_body, limit=1000, seconds=SECONDS)
        with pytest.raises(Refusal) as refused:
            await limited(SCOPE, arriving(*[PART] * 100, pause=SECONDS / 10), ignore)
        assert refused.value.code is ErrorCode.REQUEST_TIMEOUT
        response = refusal_response(refused.value)
        assert (response.status_code, response.headers["Connection"]) == (408, "close")

    async def test_an_answer_may_take_longer_than_the_limit_of_the_body(self) -> None:
        gone: Message = {"type": "http.disconnect"}
        limited = BodyLimit(read_disconnection, limit=1000, seconds=SECONDS)
        await limited(SCOPE, arriving(LAST, gone, pause=SECONDS * 0.7), ignore)
