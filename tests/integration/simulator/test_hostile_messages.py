"""The authorities of a running simulator keep serving despite harmful messages."""

import asyncio
import gzip
import ssl
from base64 import b64encode
from collections.abc import AsyncIterator, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from carimbo.fiscal.layouts.soap import envelope
from carimbo.fiscal.outcome import Available
from carimbo.fiscal.sample_certificate import SampleCertificate
from carimbo.simulator.program import http_connection
from carimbo.simulator.program.run import Simulator
from nfe_dialect import read_status, status_query
from unit.simulator.wire import OVER, Answer, get, post, wire

WSDL = "http://www.portalfiscal.inf.br/nfe/wsdl"
LOTS, STATUS = "/sp/nfe/NFeAutorizacao4", "/sp/nfe/NFeStatusServico4"
LAUGHS = "".join(f'<!ENTITY l{level + 1} "{f"&l{level};" * 10}">' for level in range(10))
BOMB = f'<!DOCTYPE lolz [<!ENTITY l0 "lol">{LAUGHS}]><lolz>&l10;</lolz>'.encode()
MEGABYTE = b"x" * 1_000_000


class Recorder:
    """Replaces the logger and keeps what would be logged with a traceback."""

    def __init__(self) -> None:
        self.failures: list[str] = []

    def exception(self, event: str, **_: Any) -> None:
        self.failures.append(event)


@pytest.fixture(scope="module")
def tls(simulator: Simulator, company_of_simulator: SampleCertificate, pfx_file: Path) -> ssl.SSLContext:
    """The TLS context of a client with a certificate that the simulator trusts."""
    context = ssl.create_default_context(cafile=simulator.certificates.ca_file)
    file = pfx_file.with_suffix(".pem")
    file.write_bytes(company_of_simulator.to_pem())
    context.load_cert_chain(file)
    return context


@pytest.fixture
def port(simulator: Simulator) -> int:
    return int(simulator.url.rpartition(":")[2])


@pytest.fixture(autouse=True)
async def still_serves(
    port: int, tls: ssl.SSLContext, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[None]:
    """Checks after each test that the service is up and logged no exception."""
    log = Recorder()
    monkeypatch.setattr(http_connection, "_log", log)
    yield
    question = envelope(f"{WSDL}/NFeStatusServico4", status_query("2", "35"), "nfeDadosMsg")
    condition = read_status((await ask(port, tls, question, STATUS)).body)
    assert isinstance(condition, Available), condition
    assert (condition.code, log.failures) == ("107", [])


async def ask(port: int, tls: ssl.SSLContext, body: bytes, path: str = LOTS) -> Answer:
    async with wire(port, tls) as client:
        return await client.ask(post(path, body))


def sent(message: bytes) -> bytes:
    """Wraps a message for authorization."""
    return envelope(f"{WSDL}/NFeAutorizacao4", message, "nfeDadosMsg")


def zipped(content: bytes) -> bytes:
    return envelope(f"{WSDL}/NFeAutorizacao4", b64encode(gzip.compress(content)), "nfeDadosMsgZip")


def nested(depth: int) -> bytes:
    return b"<a>" * depth + b"</a>" * depth


def unreadable() -> dict[str, tuple[bytes, str]]:
    """Returns messages that cannot be read, with the beginning of the answer to each."""
    return {
        "bomb": (BOMB, "O XML tem uma declaração DOCTYPE, que não é aceita."),
        "bomb in an envelope": (sent(BOMB), "O XML tem uma declaração DOCTYPE, que não é aceita."),
        "deep": (nested(100), "O XML tem mais de 64 níveis."),
        "deep in an envelope": (sent(nested(100)), "O XML tem mais de 64 níveis."),
        "a million levels": (sent(nested(1_000_000)), "O XML está mal formado ou cortado"),
        "a million levels without an end": (sent(b"<a>" * 1_000_000), "O XML está mal formado ou cortado"),
        "no UTF-8": (sent(b"<a>\xff\xfe\xc3\x28</a>"), "O XML está mal formado ou cortado"),
        "half a surrogate pair": (sent(b"<a>\xed\xa0\x80</a>"), "O XML está mal formado ou cortado"),
        "NUL": (sent(b"<a>\0</a>"), "O XML não está codificado em UTF-8."),
        "unknown entity": (sent(b"<a>&lol;</a>"), "O XML está mal formado ou cortado"),
        "nothing": (b"", "O XML está vazio."),
    }


class TestMessages:
    async def test_unreadable_messages_are_answered_with_the_reason(
        self, port: int, tls: ssl.SSLContext
    ) -> None:
        wrong = {}
        for name, (body, reason) in unreadable().items():
            answer = await ask(port, tls, body)
            text = etree.fromstring(answer.body).findtext(".//{*}Fault/{*}Reason/{*}Text") or ""
            if answer.status != 500 or not text.startswith(reason):
                wrong[name] = answer
        assert wrong == {}

    async def test_harmful_compressed_messages_are_refused(self, port: int, tls: ssl.SSLContext) -> None:
        codes = {}
        for name, content in {"bomb": BOMB, "deep": nested(100), "50 megabytes": b" " * 50_000_000}.items():
            answer = await ask(port, tls, zipped(content))
            codes[name] = answer.status, etree.fromstring(answer.body).findtext(".//{*}cStat")
        assert codes == {"bomb": (200, "243"), "deep": (200, "243"), "50 megabytes": (200, "214")}

    @pytest.mark.parametrize("declaration", ["ENTITY secret", "ENTITY % secret"])
    async def test_external_entities_do_not_read_files(
        self, port: int, tls: ssl.SSLContext, tmp_path: Path, declaration: str
    ) -> None:
        (tmp_path / "secret").write_text("segredo")
        dtd = f'<!DOCTYPE a [<!{declaration} SYSTEM "file://{tmp_path}/secret">]><a>&secret;</a>'
        answer = await ask(port, tls, sent(dtd.encode()))
        assert (answer.status, b"segredo" in answer.body) == (500, False)

    async def test_external_dtds_are_not_fetched(self, port: int, tls: ssl.SSLContext) -> None:
        calls = []

        async def called(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            calls.append(writer.get_extra_info("peername"))
            writer.close()

        async with await asyncio.start_server(called, "127.0.0.1", 0) as server:
            address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/a.dtd"
            answer = await ask(port, tls, f'<!DOCTYPE a SYSTEM "{address}"><a/>'.encode())
        assert (answer.status, calls) == (500, [])


class TestSizes:
    async def test_50_megabytes_are_refused_by_their_length(self, port: int, tls: ssl.SSLContext) -> None:
        head = get(LOTS, "Content-Length: 50000000", method="POST")
        assert await status_while_sending(port, tls, [head, *[MEGABYTE] * 50]) == 413

    async def test_50_megabytes_in_chunks_are_refused(self, port: int, tls: ssl.SSLContext) -> None:
        head = get(LOTS, "Transfer-Encoding: chunked", method="POST")
        chunk = f"{len(MEGABYTE):x}\r\n".encode() + MEGABYTE + b"\r\n"
        assert await status_while_sending(port, tls, [head, *[chunk] * 50]) == 413


async def status_while_sending(port: int, tls: ssl.SSLContext, parts: Iterable[bytes]) -> int:
    """Sends without reading, as simple clients do; the answer must arrive nevertheless."""
    async with wire(port, tls) as client:
        answering = asyncio.create_task(client.answer())
        with suppress(*OVER):
            await client.send(*parts)
        return (await answering).status
