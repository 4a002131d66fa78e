"""Files that are made while they are sent, over real connections."""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import suppress
from uuid import UUID, uuid4

import pytest
from starlette.requests import ClientDisconnect
from starlette.types import Receive, Scope, Send

from carimbo.dashboard.rendering import streamed_attachment
from carimbo.main.server import RequestLimits
from carimbo.service.exports.streams import ArchiveStreams
from http_server import serving
from support import LOOPBACK, TIMEOUT_SECONDS

_PIECE = bytes(64 * 1024)


class Archive:
    """An application that sends an endless archive, and the place that the archive holds."""

    def __init__(self) -> None:
        self.streams = ArchiveStreams(limit=1)
        self.is_closed = asyncio.Event()
        self.is_over = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        stream = self.streams.open(UUID(int=1), UUID(int=1), self._pieces())
        response = streamed_attachment(stream, "application/zip", "a.zip", send_seconds=0.05)
        try:
            await response(scope, receive, send)
        except ClientDisconnect:
            self.is_over.set()

    async def _pieces(self) -> AsyncGenerator[bytes, None]:
        try:
            while True:
                yield _PIECE
        finally:
            self.is_closed.set()


async def test_receiver_that_stops_reading_frees_the_place_of_its_archive_and_is_no_error(
    caplog: pytest.LogCaptureFixture,
) -> None:
    archive = Archive()
    limits = RequestLimits(4096, head_seconds=TIMEOUT_SECONDS, body_seconds=TIMEOUT_SECONDS)
    async with serving(archive, limits) as port, asyncio.timeout(TIMEOUT_SECONDS):
        # The reader takes a little, and the rest stays in the buffers of the connection.
        reader, writer = await asyncio.open_connection(LOOPBACK, port, limit=1024)
        writer.write(b"GET /a.zip HTTP/1.1\r\nHost: x\r\n\r\n")
        await archive.is_over.wait()
        assert archive.is_closed.is_set()
        await archive.streams.open(uuid4(), uuid4(), archive._pieces()).aclose()
        received = b""
        with suppress(ConnectionResetError):
            while piece := await reader.read(len(_PIECE)):
                received = (received + piece)[-10:]
        assert not received.endswith(b"\r\n0\r\n\r\n")
        writer.close()
    assert [record for record in caplog.records if record.levelno >= logging.WARNING] == []
