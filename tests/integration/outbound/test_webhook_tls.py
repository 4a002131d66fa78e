"""Calls with TLS: the host name is checked although an IP address is dialled."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from carimbo.outbound.guard import WebhookGuard
from carimbo.outbound.target import AllowedHosts
from carimbo.outbound.webhook_client import HttpWebhookClient
from carimbo.service.ports import WebhookAnswer, WebhookCall
from integration.outbound.conftest import NewTls
from receiver import Reply, receiving
from support import LOOPBACK

NAME = "hooks.example.com"
NOT_ACCEPTED = "O certificado TLS do servidor não foi aceito ("


async def resolve(host: str, port: int) -> list[str]:
    return [LOOPBACK]


@asynccontextmanager
async def client_of(ca_file: Path | None) -> AsyncIterator[HttpWebhookClient]:
    guard = WebhookGuard(AllowedHosts.parse(NAME), resolve)
    async with HttpWebhookClient(guard, 5, lambda: datetime.now(UTC), ca_file) as client:
        yield client


async def answer_of(url: str, ca_file: Path | None) -> WebhookAnswer:
    async with client_of(ca_file) as client:
        return await client.post(call_to(url))


def call_to(url: str) -> WebhookCall:
    return WebhookCall(f"https://{NAME}:{url.rpartition(':')[2]}/", (), b"{}")


@asynccontextmanager
async def bare_server(answer: bytes) -> AsyncIterator[str]:
    """Runs a server without TLS that sends this answer to the first bytes and closes."""

    async def meet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(10_000)
        writer.write(answer)
        writer.close()

    async with await asyncio.start_server(meet, LOOPBACK, 0) as server:
        yield f"http://{LOOPBACK}:{server.sockets[0].getsockname()[1]}"


def error_of(answer: WebhookAnswer) -> str:
    assert answer.status is None
    assert answer.error
    return answer.error


class TestName:
    async def test_the_host_name_is_sent_and_checked(self, tls_for: NewTls, ca_file: Path) -> None:
        names: list[str | None] = []
        context = tls_for(NAME)
        context.sni_callback = lambda _, name, __: names.append(name)
        async with receiving(context) as receiver:
            assert await answer_of(receiver.url, ca_file) == WebhookAnswer(200, "")
            assert receiver.calls[0].headers["host"].startswith(f"{NAME}:")
        assert names == [NAME]

    async def test_the_host_name_must_match_the_certificate(self, tls_for: NewTls, ca_file: Path) -> None:
        async with receiving(tls_for("other.example.com")) as receiver:
            error = error_of(await answer_of(receiver.url, ca_file))
            assert receiver.calls == []
        assert error.startswith(f"{NOT_ACCEPTED}Hostname mismatch")


class TestCertificate:
    async def test_the_certificate_must_be_of_a_trusted_authority(self, tls_for: NewTls) -> None:
        async with receiving(tls_for(NAME)) as receiver:
            error = error_of(await answer_of(receiver.url, None))
            assert receiver.calls == []
        assert error.startswith(f"{NOT_ACCEPTED}self-signed certificate in certificate chain")

    async def test_the_certificate_must_not_have_expired(self, tls_for: NewTls, ca_file: Path) -> None:
        async with receiving(tls_for(NAME, timedelta(days=-1))) as receiver:
            assert (
                error_of(await answer_of(receiver.url, ca_file)) == f"{NOT_ACCEPTED}certificate has expired)."
            )


class TestConnection:
    async def test_a_tls_connection_is_kept_and_reopened(self, tls_for: NewTls, ca_file: Path) -> None:
        async with receiving(tls_for(NAME)) as receiver, client_of(ca_file) as client:
            receiver.replies.extend([Reply(), Reply(), Reply(drops=True)])
            for _ in range(3):
                assert (await client.post(call_to(receiver.url))).status == 200
            assert (len(receiver.calls), receiver.connections) == (4, 2)

    async def test_a_server_without_tls_is_reported(self, ca_file: Path) -> None:
        async with bare_server(b"HTTP/1.1 400 Bad Request\r\n\r\n") as url:
            error = error_of(await answer_of(url, ca_file))
        assert error == "A conexão TLS com o servidor falhou (WRONG_VERSION_NUMBER)."

    async def test_a_server_that_closes_during_the_handshake_is_reported(self, ca_file: Path) -> None:
        async with bare_server(b"") as url:
            error = error_of(await answer_of(url, ca_file))
        assert error.startswith("A conexão TLS com o servidor falhou (")

    async def test_a_server_that_requires_a_client_certificate_is_reported(
        self, tls_for: NewTls, ca_file: Path
    ) -> None:
        context = tls_for(NAME)
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(ca_file)
        async with receiving(context) as receiver:
            error = error_of(await answer_of(receiver.url, ca_file))
            assert receiver.calls == []
        assert error.startswith(("A conexão TLS com o servidor falhou (", "O servidor encerrou a conexão"))
