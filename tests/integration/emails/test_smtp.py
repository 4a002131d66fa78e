"""Sessions with mail servers: with TLS, with a password, and with all document_types of errors."""

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
from carimbo.outbound.message import MailSender
from carimbo.outbound.smtp import SmtpMailer
from carimbo.outbound.smtp_options import Security, SmtpOptions
from carimbo.service.delivery.email_message import MailNotSent, MailRefused, MailSent, OutgoingEmail
from carimbo.storage.identifiers import new_id
from smtp_server import SmtpServer, running_smtp_server
from support import LOOPBACK, free_port

PASSWORD = "hidden-password"
ADDRESS = "maria@example.com"
EMAIL = OutgoingEmail(
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
    """Overrides the worker: these tests issue nothing."""


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
async def secure_server(tls: ssl.SSLContext) -> AsyncIterator[SmtpServer]:
    """A mail server that requires TLS and a password."""
    async with running_smtp_server(free_port(), tls=tls, password=PASSWORD) as mail_server:
        yield mail_server


@pytest.fixture
def options(secure_server: SmtpServer, authority_file: Path) -> SmtpOptions:
    return SmtpOptions(
        host=LOOPBACK,
        port=secure_server.port,
        security=Security.STARTTLS,
        username="loja",
        password=PASSWORD,
        ca_file=authority_file,
        seconds=10,
    )


def mailer(options: SmtpOptions) -> SmtpMailer:
    return SmtpMailer(options, MailSender("notas@example.com"), lambda: datetime.now(UTC))


class TestAuthenticatedServer:
    async def test_server_accepts_an_encrypted_and_authenticated_message(
        self, secure_server: SmtpServer, options: SmtpOptions
    ) -> None:
        outcome = await mailer(options).send(EMAIL)
        assert outcome == MailSent(
            message_id=f"<{EMAIL.id}@example.com>", code=250, message="2.0.0 Taken", refusals=()
        )
        (mail,) = secure_server.mails
        assert (mail.was_encrypted, mail.user, mail.recipients) == (True, "loja", [ADDRESS])

    async def test_wrong_password_is_a_temporary_failure(
        self, secure_server: SmtpServer, options: SmtpOptions
    ) -> None:
        outcome = await mailer(replace(options, password="wrong")).send(EMAIL)
        assert isinstance(outcome, MailNotSent)
        assert outcome.code == 535
        assert outcome.message.startswith(
            "O servidor de e-mail não aceitou as credenciais configuradas nesta instalação: 535 "
        )
        assert secure_server.mails == []

    async def test_server_with_an_untrusted_certificate_gets_no_message(
        self, secure_server: SmtpServer, options: SmtpOptions
    ) -> None:
        outcome = await mailer(replace(options, ca_file=None)).send(EMAIL)
        assert isinstance(outcome, MailNotSent)
        assert outcome.message.startswith("O certificado TLS do servidor de e-mail não foi aceito (")
        assert secure_server.mails == []

    async def test_password_is_not_in_the_repr(self, options: SmtpOptions) -> None:
        assert PASSWORD not in repr(mailer(options))


class TestImplicitTls:
    async def test_message_is_sent_to_a_server_with_implicit_tls(
        self, tls: ssl.SSLContext, options: SmtpOptions
    ) -> None:
        mail_server = SmtpServer(free_port())
        loop = asyncio.get_running_loop()
        server = await loop.create_server(mail_server._session, LOOPBACK, mail_server.port, ssl=tls)
        mail_server.is_awake.set()
        plain = replace(options, port=mail_server.port, security=Security.TLS, username=None, password=None)
        assert isinstance(await mailer(plain).send(EMAIL), MailSent)
        server.close()
        assert len(mail_server.mails) == 1


class TestUnsuitableServer:
    async def test_server_without_starttls_gets_no_message(self, options: SmtpOptions) -> None:
        async with running_smtp_server(free_port()) as mail_server:
            outcome = await mailer(replace(options, port=mail_server.port)).send(EMAIL)
        assert isinstance(outcome, MailNotSent)
        assert outcome.message.startswith(
            "O servidor de e-mail não oferece TLS (STARTTLS), que a configuração"
        )
        assert mail_server.mails == []

    async def test_server_without_tls_on_a_tls_port_is_reported(self, options: SmtpOptions) -> None:
        async with running_smtp_server(free_port()) as mail_server:
            outcome = await mailer(replace(options, port=mail_server.port, security=Security.TLS)).send(EMAIL)
        assert isinstance(outcome, MailNotSent)
        assert outcome.message.startswith("A conexão TLS com o servidor de e-mail falhou")

    @pytest.mark.parametrize(
        ("answers", "outcome_type"),
        [
            (("550 no", "551 no"), MailRefused),
            (("550 no", "451 later"), MailNotSent),
            (("451 later", "451 later"), MailNotSent),
        ],
    )
    async def test_refusal_of_all_recipients_is_final_only_if_each_is_final(
        self, options: SmtpOptions, answers: tuple[str, str], outcome_type: type
    ) -> None:
        both = ("a@example.com", "b@example.com")
        email = replace(EMAIL, to=both, recipients=both)
        async with running_smtp_server(free_port()) as mail_server:
            for recipient, answer in zip(email.recipients, answers, strict=True):
                mail_server.answer(recipient, answer)
            outcome = await mailer(open_to(options, mail_server.port)).send(email)
        assert type(outcome) is outcome_type
        assert [(refusal.address, refusal.is_final) for refusal in outcome.refusals] == [
            (address, answer.startswith("5")) for address, answer in zip(both, answers, strict=True)
        ]


class TestRefusedInstallation:
    """Such a refusal is no failure of the message, which can be sent once our settings are corrected."""

    @pytest.mark.parametrize("answer", ["550 5.7.1 not yours", "553 5.1.8 unknown domain", "451 later"])
    async def test_refused_sender_is_a_temporary_failure(self, options: SmtpOptions, answer: str) -> None:
        async with running_smtp_server(free_port()) as mail_server:
            mail_server.objections.append(answer)
            outcome = await mailer(open_to(options, mail_server.port)).send(EMAIL)
        message = f"O servidor de e-mail não aceitou o remetente configurado nesta instalação: {answer}"
        assert outcome == MailNotSent(message=message, code=int(answer[:3]))

    async def test_refused_credentials_are_a_temporary_failure(self, options: SmtpOptions) -> None:
        refused = "O servidor de e-mail não aceitou as credenciais configuradas nesta instalação"
        cases = [
            (code, stage) for code in (530, 534, 535, 538) for stage in ("sender", "recipient", "message")
        ]
        outcomes = []
        async with running_smtp_server(free_port()) as mail_server:
            for code, stage in cases:
                answer = f"{code} 5.7.0 Who are you?"
                mail_server.answer(ADDRESS, *[answer] * (stage == "recipient"))
                mail_server.objections.extend([answer] * (stage == "sender"))
                mail_server.verdicts.extend([answer] * (stage == "message"))
                outcomes.append((stage, await mailer(open_to(options, mail_server.port)).send(EMAIL)))
        assert outcomes == [
            (stage, MailNotSent(message=f"{refused}: {code} 5.7.0 Who are you?", code=code))
            for code, stage in cases
        ]

    async def test_authentication_error_for_a_single_recipient_is_not_final(
        self, options: SmtpOptions
    ) -> None:
        both = ("a@example.com", ADDRESS)
        async with running_smtp_server(free_port()) as mail_server:
            mail_server.answer(ADDRESS, "530 5.7.0 Who are you?")
            outcome = await mailer(open_to(options, mail_server.port)).send(replace(EMAIL, recipients=both))
        assert [(refusal.address, refusal.is_final) for refusal in outcome.refusals] == [(ADDRESS, False)]

    async def test_refusal_of_the_message_size_is_final(self, options: SmtpOptions) -> None:
        """Servers send it in answer to the sender (RFC 1870)."""
        async with running_smtp_server(free_port()) as mail_server:
            mail_server.objections.append("552 5.3.4 too large")
            outcome = await mailer(open_to(options, mail_server.port)).send(EMAIL)
        assert isinstance(outcome, MailRefused)


class TestInvalidServer:
    @pytest.mark.parametrize(
        "greeting",
        [b"", b"SSH-2.0-OpenSSH\r\n", b"554 Go away\r\n", b"220 " + b"x" * 70_000, b"\xff\x00\r\n"],
    )
    async def test_invalid_greeting_is_a_temporary_failure(
        self, options: SmtpOptions, greeting: bytes
    ) -> None:
        async def greet(writer: asyncio.StreamWriter) -> None:
            writer.write(greeting)

        async with other_server(greet) as port:
            outcome = await mailer(open_to(options, port)).send(EMAIL)
        assert isinstance(outcome, MailNotSent)
        assert outcome.code in (None, 554)

    @pytest.mark.parametrize("greeting", [b"", b"220 Hello\r\n"], ids=["dumb", "polite"])
    async def test_hanging_server_times_out_without_a_quit(
        self, options: SmtpOptions, greeting: bytes
    ) -> None:
        """The server hangs until the mailer has closed the connection."""
        left = asyncio.Event()

        async def wait(writer: asyncio.StreamWriter) -> None:
            writer.write(greeting)
            await left.wait()

        async with other_server(wait) as port, asyncio.timeout(60):
            outcome = await mailer(replace(open_to(options, port), seconds=0.1)).send(EMAIL)
            left.set()
        assert outcome == MailNotSent(message="O servidor de e-mail não respondeu em 0,1 s.")


def open_to(options: SmtpOptions, port: int) -> SmtpOptions:
    """Returns the options for a server without TLS and authentication."""
    return replace(options, port=port, security=Security.NONE, username=None, password=None)


@asynccontextmanager
async def other_server(answer: Callable[[asyncio.StreamWriter], object]) -> AsyncIterator[int]:
    """Runs a server that does not speak SMTP."""

    async def serve(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await answer(writer)  # type: ignore[misc]
        writer.close()

    server = await asyncio.start_server(serve, LOOPBACK, free_port())
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
