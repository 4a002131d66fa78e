"""A client that writes HTTP byte by byte, to say what no library would say."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

from support import PATIENCE

OVER = (EOFError, ConnectionError, ssl.SSLError)


@dataclass(frozen=True)
class Answer:
    """One HTTP answer."""

    status: int
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True)
class Wire:
    """One connection, from the client's side."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def send(self, *parts: bytes) -> None:
        for part in parts:
            self.writer.write(part)
            await self.writer.drain()

    async def answer(self, *, has_body: bool = True) -> Answer:
        async with asyncio.timeout(PATIENCE):
            head = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            headers = dict(line.lower().split(": ", 1) for line in head[1:] if line)
            length = int(headers.get("content-length", 0)) if has_body else 0
            return Answer(int(head[0].split()[1]), headers, await self.reader.readexactly(length))

    async def ask(self, *parts: bytes) -> Answer:
        await self.send(*parts)
        return await self.answer()

    async def rest(self) -> bytes:
        """What still comes until the other side ends the connection, politely or not."""
        async with asyncio.timeout(PATIENCE):
            came = b""
            with suppress(*OVER):
                while part := await self.reader.read(65536):
                    came += part
            return came


@asynccontextmanager
async def wire(port: int, tls: ssl.SSLContext | None = None) -> AsyncIterator[Wire]:
    """Connect, with TLS if there is a context."""
    name = "localhost" if tls else None
    reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=tls, server_hostname=name)
    try:
        yield Wire(reader, writer)
    finally:
        writer.transport.abort()
        with suppress(*OVER):
            await writer.wait_closed()


def get(path: str, *headers: str, version: str = "1.1", method: str = "GET") -> bytes:
    return "\r\n".join((f"{method} {path} HTTP/{version}", "Host: localhost", *headers, "", "")).encode()


def post(path: str, body: bytes, *headers: str) -> bytes:
    return get(path, f"Content-Length: {len(body)}", *headers, method="POST") + body
