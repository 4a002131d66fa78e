"""The two envelope forms of every answer.

Form A is the default. A caller that sends `X-Envelope: ok` gets form B of the same answer.
"""

from collections.abc import Sequence
from typing import Any, Generic, Literal, TypeVar

from pydantic import Field
from starlette.responses import Response
from starlette.types import Message, Scope, Send

from carimbo.fiscal.body.fields import Record
from carimbo.service import json_values
from carimbo.service.listing import Page

T = TypeVar("T")
ACCEPTED = 202
"""The status of a request that was accepted and is still being processed."""
_VARIANT_HEADER = (b"x-envelope", b"ok")


class Success(Record, Generic[T]):
    """A single record, or the result of an operation."""

    success: Literal[True] = True
    data: T


class PageInfo(Record):
    """The position of a page in its list."""

    page: int
    page_size: int
    total: int


class Listing(Record, Generic[T]):
    """One page of a list, newest first."""

    success: Literal[True] = True
    data: list[T]
    page_info: PageInfo


class ErrorBody(Record):
    """The reason of a refusal."""

    code: str
    message: str = Field(description="Texto em português para pessoas.")
    details: dict[str, Any] | None


class Failure(Record):
    """The answer to a refused request."""

    success: Literal[False] = False
    error: ErrorBody


def success(
    data: Record | Sequence[Record], status: int = 200, headers: dict[str, str] | None = None
) -> Response:
    """Returns a response with one record or a list of them, for handlers whose status or shape varies."""
    body = Success(data=data).model_dump_json()
    return Response(body, status, headers, media_type="application/json")


def listing(page: Page[T]) -> Listing[T]:
    """Wraps a page of records in its envelope."""
    info = PageInfo(page=page.request.page, page_size=page.request.page_size, total=page.total)
    return Listing(data=page.items, page_info=info)


def in_chosen_envelope(scope: Scope, send: Send) -> Send:
    """Returns a `send` that rewrites JSON answers from form A to form B, if the caller asks for it."""
    return _Rewriter(send) if _VARIANT_HEADER in scope["headers"] else send


class _Rewriter:
    """Collects an answer until it is complete, then sends it in form B."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._start: Message = {}
        self._body = b""

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._start = message
            return
        self._body += message.get("body", b"")
        if not message.get("more_body", False):
            await self._send_whole()

    async def _send_whole(self) -> None:
        body = _other_form(self._start, self._body)
        headers = [
            (name, str(len(body)).encode() if name == b"content-length" else value)
            for name, value in self._start["headers"]
        ]
        await self._send({**self._start, "headers": headers})
        await self._send({"type": "http.response.body", "body": body})


def _other_form(start: Message, body: bytes) -> bytes:
    if dict(start["headers"]).get(b"content-type") != b"application/json":
        return body
    answer = json_values.read_exact_json(body.decode())
    if "success" not in answer:
        return body
    succeeded = answer.pop("success")
    rest = answer if succeeded else {**answer["error"], "statusCode": start["status"]}
    return json_values.write_json({"ok": succeeded, **rest}).encode()
