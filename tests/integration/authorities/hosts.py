"""Test servers that fail in the ways of the network and the authorities."""

import asyncio
import re
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from itertools import chain, repeat
from pathlib import Path

from cryptography.hazmat.primitives.serialization import Encoding

from carimbo.fiscal.sample_certificate import SampleAuthority, SampleCertificate
from support import LOOPBACK, TIMEOUT_SECONDS

_LENGTH = re.compile(rb"content-length: *([0-9]+)", re.IGNORECASE)

Answerer = Callable[[asyncio.StreamWriter], Awaitable[object]]
"""Called after a server has read a request."""


@dataclass(frozen=True)
class Seen:
    """A request as it arrived."""

    connection: int
    certificate: bytes | None
    was_resumed: bool
    version: str | None
    head: str
    body: bytes


@dataclass
class Host:
    """A running server, and the requests that it received."""

    address: str = ""
    connections: int = 0
    seen: list[Seen] = field(default_factory=list)
    left: asyncio.Event = field(default_factory=asyncio.Event)

    async def until_left(self) -> None:
        """Waits until a client has closed a connection, for less time than it may keep one."""
        async with asyncio.timeout(TIMEOUT_SECONDS):
            await self.left.wait()


def server_context(
    certificate: SampleCertificate,
    clients: SampleAuthority,
    folder: Path,
    version: ssl.TLSVersion = ssl.TLSVersion.TLSv1_2,
) -> ssl.SSLContext:
    """Returns the TLS context of a server that asks for a client certificate of this authority."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = context.maximum_version = version
    file = folder / "server.pem"
    file.write_bytes(certificate.to_pem())
    context.load_cert_chain(file)
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_verify_locations(cadata=clients.certificate.public_bytes(Encoding.PEM).decode())
    return context


@asynccontextmanager
async def host(answer: Answerer, context: ssl.SSLContext | None) -> AsyncIterator[Host]:
    """Serves requests for the length of a block, one after the other on each connection."""
    running = Host()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        running.connections += 1
        number = running.connections
        while request := await _request(reader):
            running.seen.append(_seen(number, writer, *request))
            await answer(writer)
        running.left.set()

    async with _listening(serve, context) as port:
        running.address = f"https://{LOOPBACK}:{port}/sp/nfe/NFeStatusServico4"
        yield running


@asynccontextmanager
async def bare_host(
    behave: Callable[[asyncio.StreamReader], Awaitable[object]], says: bytes = b""
) -> AsyncIterator[str]:
    """Runs a server without TLS that sends bytes, runs a function and hangs up; yields its address."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(says)
        await behave(reader)

    async with _listening(serve, None) as port:
        yield f"https://{LOOPBACK}:{port}/"


@asynccontextmanager
async def alerting_host(context: ssl.SSLContext) -> AsyncIterator[str]:
    """Runs a server for one connection that sends a TLS alert when a handshake fails, unlike asyncio's."""
    with socket.create_server((LOOPBACK, 0)) as listener:
        listener.settimeout(TIMEOUT_SECONDS)
        meeting = asyncio.create_task(asyncio.to_thread(_accept_connection, listener, context))
        yield f"https://{LOOPBACK}:{listener.getsockname()[1]}/"
        await meeting


def _accept_connection(listener: socket.socket, context: ssl.SSLContext) -> None:
    connection, _ = listener.accept()
    with connection, context.wrap_socket(connection.dup(), True, do_handshake_on_connect=False) as wrapped:
        connection.settimeout(TIMEOUT_SECONDS)
        with suppress(ssl.SSLError):
            wrapped.do_handshake()
        # Closing before everything was read would discard the alert.
        while connection.recv(65_536):
            pass


@asynccontextmanager
async def _listening(
    serve: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]],
    context: ssl.SSLContext | None,
) -> AsyncIterator[int]:
    tasks: set[asyncio.Task[None]] = set()

    async def meet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        tasks.add(task)
        try:
            with suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
                await serve(reader, writer)
        finally:
            writer.transport.abort()
            with suppress(OSError):
                await writer.wait_closed()

    server = await asyncio.start_server(meet, LOOPBACK, 0, ssl=context)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await server.wait_closed()


async def _request(reader: asyncio.StreamReader) -> tuple[bytes, bytes] | None:
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    length = _LENGTH.search(head)
    return head, await reader.readexactly(int(length[1])) if length else b""


def _seen(connection: int, writer: asyncio.StreamWriter, head: bytes, body: bytes) -> Seen:
    tls: ssl.SSLObject | None = writer.get_extra_info("ssl_object")
    assert tls
    return Seen(
        connection, tls.getpeercert(True), bool(tls.session_reused), tls.version(), head.decode(), body
    )


def responding(
    body: bytes, status: str = "200 OK", *, length: int | None = None, headers: str = "", hold: bool = False
) -> Answerer:
    """Answers with these bytes, perhaps with a wrong length; then closes unless `hold` is set."""

    async def answer(writer: asyncio.StreamWriter) -> None:
        declared = len(body) if length is None else length
        writer.write(f"HTTP/1.1 {status}\r\nContent-Length: {declared}\r\n{headers}\r\n".encode() + body)
        await writer.drain()
        if not hold and (declared != len(body) or "close" in headers):
            writer.close()

    return answer


def dripping(body: bytes, pause: float) -> Answerer:
    """Answers byte by byte."""

    async def answer(writer: asyncio.StreamWriter) -> None:
        writer.write(f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\n\r\n".encode())
        for byte in body:
            writer.write(bytes([byte]))
            await writer.drain()
            await asyncio.sleep(pause)

    return answer


def raw(text: bytes) -> Answerer:
    """Answers with exactly these bytes, then hangs up."""

    async def answer(writer: asyncio.StreamWriter) -> None:
        writer.write(text)
        await writer.drain()
        writer.close()

    return answer


def in_turn(*answers: Answerer) -> Answerer:
    """Answers each request with the next answerer, and all further ones with the last."""
    turns = chain(answers, repeat(answers[-1]))

    async def answer(writer: asyncio.StreamWriter) -> None:
        await next(turns)(writer)

    return answer


async def one_byte(reader: asyncio.StreamReader) -> None:
    """Waits for the first byte."""
    await reader.read(1)


async def silence(_: object) -> None:
    """Never answers."""
    await asyncio.Event().wait()


async def hang_up(writer: asyncio.StreamWriter) -> None:
    """Aborts the connection without an answer."""
    writer.transport.abort()
