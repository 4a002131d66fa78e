"""Conversations with mail servers: encrypted, with a password, and whatever may be wrong with them."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.serialization import Encoding

from carimbo.fiscal.sample_certificate import SampleAuthority
from carimbo.outbound.message import Sender
from carimbo.outbound.smtp import Security, SmtpMailer, SmtpOptions
from carimbo.service.delivery.letter import Letter, NotSent, Refused, Sent
from carimbo.storage.identifiers import new_id
from post_office import PostOffice, post_office
from support import LOOPBACK, free_port

PASSWORD = "hidden-password"
ADDRESS = "maria@example.com"
LETTER = Letter(
    id=new_id(),
    to=(ADDRESS,),
    recipients=(ADDRESS,),
    addressee="Maria da Silva",
    issuer="Loja Modelo Ltda",
    tax_id="11222333000181",
    reply_to=None,
    title="NF-e",
    number=123,
    series=1,
    amount=Decimal("1234.56"),
    issued_on=date(2026, 11, 15),
    access_key="35" * 22,
    is_valid=True,
    attachments=(),
)


@pytest.fixture(scope="module", autouse=True)
def work() -> None:
    """No worker: nobody here issues anything."""


@pytest.fixture(scope="module")
def authority_file(authority: SampleAuthority, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("trust") / "ca.pem"
    file.write_bytes(authority.certificate.public_bytes(Encoding.PEM))
    return file


@pytest.fixture(scope="module")
def tls(authority: SampleAuthority, tmp_path_factory: pytest.TempPathFactory) -> ssl.SSLContext:
    now = datetime.now(UTC)
    issued = authority.issue_server([LOOPBACK], now - timedelta(days=1), now + timedelta(days=90))
    file = tmp_path_factory.mktemp("server") / "server.pem"
    file.write_bytes(issued.to_pem())
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    return context


@pytest.fixture
async def guarded(tls: ssl.SSLContext) -> AsyncIterator[PostOffice]:
    """A mail server that takes nothing unencrypted and nothing from strangers."""
    async with post_office(free_port(), tls=tls, password=PASSWORD) as office:
        yield office


@pytest.fixture
def options(guarded: PostOffice, authority_file: Path) -> SmtpOptions:
    return SmtpOptions(
        host=LOOPBACK,
        port=guarded.port,
        security=Security.STARTTLS,
        username="loja",
        password=PASSWORD,
        ca_file=authority_file,
        seconds=10,
    )


def mailer(options: SmtpOptions) -> SmtpMailer:
    return SmtpMailer(options, Sender("notas@example.com"), lambda: datetime.now(UTC))


class TestGuardedServer:
    async def test_takes_what_comes_encrypted_and_with_the_password(
        self, guarded: PostOffice, options: SmtpOptions
    ) -> None:
        outcome = await mailer(options).send(LETTER)
        assert outcome == Sent(
            message_id=f"<{LETTER.id}@example.com>", code=250, message="2.0.0 Taken", refusals=()
        )
        (mail,) = guarded.taken
        assert (mail.was_encrypted, mail.user, mail.recipients) == (True, "loja", [ADDRESS])

    async def test_that_does_not_know_the_password_may_know_it_another_time(
        self, guarded: PostOffice, options: SmtpOptions
    ) -> None:
        outcome = await mailer(replace(options, password="wrong")).send(LETTER)
        assert isinstance(outcome, NotSent)
        assert outcome.code == 535
        assert outcome.message.startswith(
            "O servidor de e-mail não aceitou as credenciais configuradas nesta instalação: 535 "
        )
        assert guarded.taken == []

    async def test_whose_certificate_nobody_vouches_for_is_told_nothing(
        self, guarded: PostOffice, options: SmtpOptions
    ) -> None:
        outcome = await mailer(replace(options, ca_file=None)).send(LETTER)
        assert isinstance(outcome, NotSent)
        assert outcome.message.startswith("O certificado TLS do servidor de e-mail não foi aceito (")
        assert guarded.taken == []

    async def test_shows_no_password_in_what_is_logged(self, options: SmtpOptions) -> None:
        assert PASSWORD not in repr(mailer(options))


class TestServerFromTheFirstByteOnEncrypted:
    async def test_takes_the_letter(self, tls: ssl.SSLContext, options: SmtpOptions) -> None:
        office = PostOffice(free_port())
        loop = asyncio.get_running_loop()
        server = await loop.create_server(office._session, LOOPBACK, office.port, ssl=tls)
        office.is_awake.set()
        plain = replace(options, port=office.port, security=Security.TLS, username=None, password=None)
        assert isinstance(await mailer(plain).send(LETTER), Sent)
        server.close()
        assert len(office.taken) == 1


class TestUnsuitableServer:
    async def test_without_encryption_is_sent_nothing(self, options: SmtpOptions) -> None:
        async with post_office(free_port()) as office:
            outcome = await mailer(replace(options, port=office.port)).send(LETTER)
        assert isinstance(outcome, NotSent)
        assert outcome.message.startswith(
            "O servidor de e-mail não oferece TLS (STARTTLS), que a configuração"
        )
        assert office.taken == []

    async def test_that_speaks_no_tls_on_its_port_is_told_so(self, options: SmtpOptions) -> None:
        async with post_office(free_port()) as office:
            outcome = await mailer(replace(options, port=office.port, security=Security.TLS)).send(LETTER)
        assert isinstance(outcome, NotSent)
        assert outcome.message.startswith("A conexão TLS com o servidor de e-mail falhou")

    @pytest.mark.parametrize(
        ("answers", "kind"),
        [
            (("550 no", "551 no"), Refused),
            (("550 no", "451 later"), NotSent),
            (("451 later", "451 later"), NotSent),
        ],
    )
    async def test_that_takes_nobody_is_hopeless_only_if_it_is_for_all(
        self, options: SmtpOptions, answers: tuple[str, str], kind: type
    ) -> None:
        both = ("a@example.com", "b@example.com")
        letter = replace(LETTER, to=both, recipients=both)
        async with post_office(free_port()) as office:
            for recipient, answer in zip(letter.recipients, answers, strict=True):
                office.answer(recipient, answer)
            outcome = await mailer(open_to(options, office.port)).send(letter)
        assert type(outcome) is kind
        assert [(one.address, one.is_final) for one in outcome.refusals] == [
            (address, answer.startswith("5")) for address, answer in zip(both, answers, strict=True)
        ]


class TestRefusalThatIsAboutUs:
    """It says nothing of the letter, which may well go once somebody has mended our settings."""

    @pytest.mark.parametrize("answer", ["550 5.7.1 not yours", "553 5.1.8 unknown domain", "451 later"])
    async def test_of_the_sender_leaves_hope(self, options: SmtpOptions, answer: str) -> None:
        async with post_office(free_port()) as office:
            office.objections.append(answer)
            outcome = await mailer(open_to(options, office.port)).send(LETTER)
        message = f"O servidor de e-mail não aceitou o remetente configurado nesta instalação: {answer}"
        assert outcome == NotSent(message=message, code=int(answer[:3]))

    async def test_of_our_credentials_leaves_hope(self, options: SmtpOptions) -> None:
        refused = "O servidor de e-mail não aceitou as credenciais configuradas nesta instalação"
        cases = [
            (code, stage) for code in (530, 534, 535, 538) for stage in ("sender", "recipient", "message")
        ]
        outcomes = []
        async with post_office(free_port()) as office:
            for code, stage in cases:
                answer = f"{code} 5.7.0 Who are you?"
                office.answer(ADDRESS, *[answer] * (stage == "recipient"))
                office.objections.extend([answer] * (stage == "sender"))
                office.verdicts.extend([answer] * (stage == "message"))
                outcomes.append((stage, await mailer(open_to(options, office.port)).send(LETTER)))
        assert outcomes == [
            (stage, NotSent(message=f"{refused}: {code} 5.7.0 Who are you?", code=code))
            for code, stage in cases
        ]

    async def test_of_one_recipient_among_others_is_not_final(self, options: SmtpOptions) -> None:
        both = ("a@example.com", ADDRESS)
        async with post_office(free_port()) as office:
            office.answer(ADDRESS, "530 5.7.0 Who are you?")
            outcome = await mailer(open_to(options, office.port)).send(replace(LETTER, recipients=both))
        assert [(one.address, one.is_final) for one in outcome.refusals] == [(ADDRESS, False)]

    async def test_is_not_that_of_the_size_of_the_letter(self, options: SmtpOptions) -> None:
        """It is told with the sender (RFC 1870)."""
        async with post_office(free_port()) as office:
            office.objections.append("552 5.3.4 too large")
            outcome = await mailer(open_to(options, office.port)).send(LETTER)
        assert isinstance(outcome, Refused)


class TestStrangeServer:
    @pytest.mark.parametrize(
        "greeting",
        [b"", b"SSH-2.0-OpenSSH\r\n", b"554 Go away\r\n", b"220 " + b"x" * 70_000, b"\xff\x00\r\n"],
    )
    async def test_says_nothing_of_the_letter(self, options: SmtpOptions, greeting: bytes) -> None:
        async def greet(writer: asyncio.StreamWriter) -> None:
            writer.write(greeting)

        async with strange_server(greet) as port:
            outcome = await mailer(open_to(options, port)).send(LETTER)
        assert isinstance(outcome, NotSent)
        assert outcome.code in (None, 554)

    @pytest.mark.parametrize("greeting", [b"", b"220 Hello\r\n"], ids=["dumb", "polite"])
    async def test_that_hangs_is_left_in_time_and_without_a_goodbye(
        self, options: SmtpOptions, greeting: bytes
    ) -> None:
        """The server hangs until the mailer has left it."""
        left = asyncio.Event()

        async def wait(writer: asyncio.StreamWriter) -> None:
            writer.write(greeting)
            await left.wait()

        async with strange_server(wait) as port, asyncio.timeout(60):
            outcome = await mailer(replace(open_to(options, port), seconds=0.1)).send(LETTER)
            left.set()
        assert outcome == NotSent(message="O servidor de e-mail não respondeu em 0,1 s.")


def open_to(options: SmtpOptions, port: int) -> SmtpOptions:
    """The options for a server that asks nobody for anything."""
    return replace(options, port=port, security=Security.NONE, username=None, password=None)


@asynccontextmanager
async def strange_server(answer: Callable[[asyncio.StreamWriter], object]) -> AsyncIterator[int]:
    """Something else than a mail server."""

    async def serve(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await answer(writer)  # type: ignore[misc]
        writer.close()

    server = await asyncio.start_server(serve, LOOPBACK, free_port())
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
