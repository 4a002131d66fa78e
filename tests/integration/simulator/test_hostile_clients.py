"""The simulator's TLS port keeps serving despite wrong, slow, greedy or hostile clients."""

import asyncio
import hashlib
import socket
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime, timedelta

import pytest
from cryptography.hazmat.primitives.serialization import Encoding

from carimbo.fiscal.sample_certificate import SampleAuthority, SampleCertificate
from carimbo.simulator.http import ConnectionClosed, Reply, Request, RequestHandler
from carimbo.simulator.program.certificates import CertificateFolder, server_context
from carimbo.simulator.program.http_server import HttpServer, Limits, serve
from carimbo.simulator.trust import CertificateFlaw
from support import CNPJ, TIMEOUT_SECONDS
from unit.simulator.wire import OVER, Wire, get, wire

NOW = datetime.now(UTC)
FLAWS = [flaw for flaw in CertificateFlaw if flaw is not CertificateFlaw.NO_REVOCATION_LIST]
NewContext = Callable[[SampleCertificate | None], ssl.SSLContext]


async def describe(request: Request) -> Reply | ConnectionClosed:
    """Breaks the reply if the path asks for it; otherwise describes the client's certificate and body."""
    if request.path == "/hung-up":
        return ConnectionClosed()
    certificate = hashlib.sha256(request.certificate or b"").hexdigest()
    body = hashlib.sha256(request.body).hexdigest()
    return Reply(200, f"{certificate} {body}".encode(), cut=request.path == "/cut")


def description(issued: SampleCertificate, body: bytes = b"") -> bytes:
    der = issued.certificate.public_bytes(Encoding.DER)
    return f"{hashlib.sha256(der).hexdigest()} {hashlib.sha256(body).hexdigest()}".encode()


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> CertificateFolder:
    return CertificateFolder.open(tmp_path_factory.mktemp("certificates"), NOW)


@pytest.fixture(scope="module")
def company(certificates: CertificateFolder) -> SampleCertificate:
    return certificates.issue(CNPJ, "LOJA MODELO LTDA", NOW)


@pytest.fixture(scope="module")
def context_of(certificates: CertificateFolder, tmp_path_factory: pytest.TempPathFactory) -> NewContext:
    """Creates contexts of clients that trust the simulator and send a certificate without its chain."""
    folder = tmp_path_factory.mktemp("clients")

    def make(issued: SampleCertificate | None) -> ssl.SSLContext:
        context = ssl.create_default_context(cafile=certificates.ca_file)
        context.verify_flags |= ssl.VERIFY_X509_STRICT
        if issued:
            file = folder / f"{issued.certificate.serial_number:x}.pem"
            key_and_leaf = issued.to_pem().rpartition(b"-----BEGIN CERTIFICATE-----")[0]
            file.write_bytes(key_and_leaf)
            context.load_cert_chain(file)
        return context

    return make


@pytest.fixture(scope="module")
def good(context_of: NewContext, company: SampleCertificate) -> ssl.SSLContext:
    return context_of(company)


@asynccontextmanager
async def listening(
    certificates: CertificateFolder, answer: RequestHandler = describe, **limits: float
) -> AsyncIterator[HttpServer]:
    tls = server_context(certificates)
    bounds = Limits(**limits)  # type: ignore[arg-type]
    server = await serve(answer, "127.0.0.1", 0, tls=tls, limits=bounds)
    try:
        yield server
    finally:
        await server.close()


@pytest.fixture(scope="module")
async def server(certificates: CertificateFolder) -> AsyncIterator[HttpServer]:
    async with listening(certificates) as server:
        yield server


@pytest.fixture(autouse=True)
async def still_serves(
    server: HttpServer, good: ssl.SSLContext, company: SampleCertificate
) -> AsyncIterator[None]:
    """Checks after each test that a good client is served."""
    yield
    async with wire(server.port, good) as client:
        assert (await client.ask(get("/"))).body == description(company)


async def refused(server: HttpServer, context: ssl.SSLContext) -> None:
    """Checks that the handshake fails; in TLS 1.3 the client learns of it only afterwards."""
    with pytest.raises(OVER):
        async with asyncio.timeout(TIMEOUT_SECONDS), wire(server.port, context) as client:
            await client.ask(get("/"))


class TestCertificates:
    async def test_a_client_without_a_certificate_is_refused(
        self, server: HttpServer, context_of: NewContext
    ) -> None:
        await refused(server, context_of(None))

    async def test_a_certificate_of_an_unknown_authority_is_refused(
        self, server: HttpServer, context_of: NewContext, authority: SampleAuthority
    ) -> None:
        issued = authority.issue_company(CNPJ, "LOJA", NOW - timedelta(days=1), NOW + timedelta(days=9))
        await refused(server, context_of(issued))

    async def test_a_certificate_of_an_impostor_of_our_authority_is_refused(
        self, server: HttpServer, context_of: NewContext
    ) -> None:
        impostor = SampleAuthority.create(NOW - timedelta(days=1), name="AC CARIMBO SIMULADOR")
        issued = impostor.issue_company(CNPJ, "LOJA", NOW - timedelta(days=1), NOW + timedelta(days=9))
        await refused(server, context_of(issued))

    @pytest.mark.parametrize("flaw", FLAWS)
    async def test_a_flawed_certificate_reaches_the_authority_that_judges_it(
        self,
        server: HttpServer,
        certificates: CertificateFolder,
        context_of: NewContext,
        flaw: CertificateFlaw,
    ) -> None:
        issued = certificates.issue(CNPJ, "LOJA MODELO LTDA", NOW, flaw)
        async with wire(server.port, context_of(issued)) as client:
            assert (await client.ask(get("/"))).body == description(issued)


class TestTls:
    async def test_the_tls_version_is_1_2(self, server: HttpServer, good: ssl.SSLContext) -> None:
        async with wire(server.port, good) as client:
            assert client.writer.get_extra_info("ssl_object").version() == "TLSv1.2"

    async def test_a_client_that_wants_another_version_is_refused(
        self, server: HttpServer, context_of: NewContext, company: SampleCertificate
    ) -> None:
        context = context_of(company)
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        await refused(server, context)

    async def test_a_resumed_session_keeps_the_client_certificate(
        self, server: HttpServer, good: ssl.SSLContext, company: SampleCertificate
    ) -> None:
        session, was_reused, _ = await asyncio.to_thread(one_call, server.port, good, None)
        assert not was_reused
        _, is_reused, answer = await asyncio.to_thread(one_call, server.port, good, session)
        assert is_reused and answer.endswith(description(company))

    async def test_a_handshake_times_out(self, certificates: CertificateFolder) -> None:
        async with listening(certificates, handshake_seconds=0.1) as server, wire(server.port) as client:
            assert await client.rest() == b""


def one_call(
    port: int, context: ssl.SSLContext, session: ssl.SSLSession | None
) -> tuple[ssl.SSLSession | None, bool | None, bytes]:
    with (
        socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT_SECONDS) as plain,
        context.wrap_socket(plain, server_hostname="localhost", session=session) as tls,
    ):
        tls.sendall(get("/", "Connection: close"))
        answer = b"".join(iter(lambda: tls.recv(65536), b""))
        return tls.session, tls.session_reused, answer


class TestNoTls:
    async def test_bytes_that_are_not_a_handshake_are_not_answered(
        self, certificates: CertificateFolder
    ) -> None:
        sent = {
            "plain HTTP": get("/"),
            "zeros": b"\x00" * 1000,
            "garbage": b"\xff\xfe garbage \r\n" * 500,
            "half a hello": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc",
        }
        answers = {}
        async with listening(certificates, handshake_seconds=0.2) as server:
            for name, octets in sent.items():
                async with wire(server.port) as client:
                    await client.send(octets)
                    answers[name] = await client.rest()
        assert [name for name, answer in answers.items() if b"HTTP/" in answer] == []

    async def test_garbage_after_a_good_handshake_is_400(
        self, server: HttpServer, good: ssl.SSLContext
    ) -> None:
        async with wire(server.port, good) as client:
            assert (await client.ask(b"\x00\xff" * 500)).status == 400


class TestBodies:
    async def test_a_chunked_body_after_100_continue_is_read(
        self, server: HttpServer, good: ssl.SSLContext, company: SampleCertificate
    ) -> None:
        head = get("/", "Transfer-Encoding: chunked", "Expect: 100-continue", method="POST")
        async with wire(server.port, good) as client:
            assert (await client.ask(head)).status == 100
            assert (await client.ask(b"4\r\n<a/>\r\n0\r\n\r\n")).body == description(company, b"<a/>")
            assert (await client.ask(get("/"))).body == description(company)


class TestBrokenReplies:
    async def test_a_cut_reply_has_only_half_of_its_body(
        self, server: HttpServer, good: ssl.SSLContext, company: SampleCertificate
    ) -> None:
        whole = description(company)
        async with wire(server.port, good) as client:
            await client.send(get("/cut"))
            answer = await client.answer(has_body=False)
            assert int(answer.headers["content-length"]) == len(whole)
            assert await client.rest() == whole[: len(whole) // 2]

    async def test_a_closed_connection_has_no_reply(self, server: HttpServer, good: ssl.SSLContext) -> None:
        async with wire(server.port, good) as client:
            await client.send(get("/hung-up"))
            assert await client.rest() == b""


class TestManyClients:
    async def test_idle_connections_do_not_keep_another_client_waiting(
        self, server: HttpServer, good: ssl.SSLContext, company: SampleCertificate
    ) -> None:
        async with AsyncExitStack() as crowd:
            for _ in range(100):
                await crowd.enter_async_context(wire(server.port))
            for _ in range(20):
                await crowd.enter_async_context(wire(server.port, good))
            async with wire(server.port, good) as client:
                assert (await client.ask(get("/"))).body == description(company)

    async def test_clients_with_slow_headers_time_out_and_do_not_delay_others(
        self, certificates: CertificateFolder, good: ssl.SSLContext
    ) -> None:
        async with listening(certificates, request_seconds=1) as server, AsyncExitStack() as crowd:
            slow = [await crowd.enter_async_context(wire(server.port, good)) for _ in range(20)]
            dripping = [asyncio.create_task(drip(client)) for client in slow]
            async with wire(server.port, good) as client:
                assert (await client.ask(get("/"))).status == 200
            assert {(await client.answer()).status for client in slow} == {408}
            for task in dripping:
                task.cancel()
            await asyncio.gather(*dripping, return_exceptions=True)

    async def test_the_server_closes_with_clients_in_every_state(
        self, certificates: CertificateFolder, good: ssl.SSLContext
    ) -> None:
        async def never(_: Request) -> Reply:
            await asyncio.Event().wait()
            return Reply(200)

        async with AsyncExitStack() as crowd:
            server = await crowd.enter_async_context(listening(certificates, never))
            clients = [await crowd.enter_async_context(wire(server.port, tls)) for tls in (None, good, good)]
            await clients[2].send(get("/"))
            await server.close()
            assert [await client.rest() for client in clients] == [b"", b"", b""]


async def drip(client: Wire) -> None:
    await client.send(b"GET / HTTP/1.1\r\n")
    while True:
        await client.send(b"X: y\r\n")
        await asyncio.sleep(0.05)
