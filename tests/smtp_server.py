"""A mail server for tests: it keeps the messages, and refuses or delays them as configured."""

import asyncio
import ssl
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any

from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session

from support import LOOPBACK

_TAKEN = "250 2.0.0 Taken"


@dataclass(frozen=True)
class Mail:
    """A message as it arrived, with its recipients."""

    recipients: list[str]
    content: bytes
    was_encrypted: bool
    user: str | None

    @property
    def message(self) -> EmailMessage:
        parsed = message_from_bytes(self.content, policy=policy.default)
        assert isinstance(parsed, EmailMessage)
        return parsed

    @property
    def text(self) -> str:
        return self._body("plain")

    @property
    def html(self) -> str:
        return self._body("html")

    @property
    def files(self) -> dict[str, tuple[str, bytes]]:
        """The attachments by their names."""
        return {
            str(part.get_filename()): (part.get_content_type(), part.get_payload(decode=True))  # type: ignore[misc]
            for part in self.message.iter_attachments()
        }

    def _body(self, kind: str) -> str:
        body = self.message.get_body((kind,))
        assert body is not None
        return str(body.get_content())


@dataclass
class SmtpServer:
    """The messages that a mail server accepted, and its configured replies."""

    port: int
    tls: ssl.SSLContext | None = None
    password: str | None = None
    """The password of users; without it no login is needed."""
    mails: list[Mail] = field(default_factory=list)
    rcpt_commands: int = 0
    """The number of RCPT commands."""
    objections: deque[str] = field(default_factory=deque)
    """Replies to the next MAIL commands."""
    answers: dict[str, deque[str]] = field(default_factory=dict)
    """Replies to the next RCPT commands of a recipient; after these it is accepted."""
    verdicts: deque[str] = field(default_factory=deque)
    """Replies to the next DATA commands."""
    is_awake: asyncio.Event = field(default_factory=asyncio.Event)
    _server: asyncio.Server | None = None

    def answer(self, recipient: str, *answers: str) -> None:
        self.answers[recipient] = deque(answers)

    def sent_to(self, recipient: str) -> list[Mail]:
        return [mail for mail in self.mails if recipient in mail.recipients]

    async def open(self) -> None:
        self.is_awake.set()
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(self._session, LOOPBACK, self.port)

    async def close(self) -> None:
        if self._server:
            self._server.close()
            self._server = None

    async def handle_MAIL(  # noqa: N802 - the name of the command
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if self.objections:
            return self.objections.popleft()
        envelope.mail_from = address
        envelope.mail_options.extend(options)
        return "250 2.1.0 Ok"

    async def handle_RCPT(  # noqa: N802 - the name of the command
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        self.rcpt_commands += 1
        await self.is_awake.wait()
        answers = self.answers.get(address)
        if answers:
            return answers.popleft()
        envelope.rcpt_tos.append(address)
        return "250 2.1.5 Ok"

    async def handle_DATA(  # noqa: N802 - the name of the command
        self, server: SMTP, session: Session, envelope: Envelope
    ) -> str:
        if self.verdicts:
            return self.verdicts.popleft()
        content = envelope.content
        assert isinstance(content, bytes)
        user = session.auth_data.login.decode() if session.auth_data else None
        self.mails.append(Mail(list(envelope.rcpt_tos), content, session.ssl is not None, user))
        return _TAKEN

    def _session(self) -> SMTP:
        return SMTP(
            self,
            hostname="post.example.com",
            enable_SMTPUTF8=False,
            tls_context=self.tls,
            require_starttls=self.tls is not None,
            authenticator=self._authenticate if self.password else None,
            auth_required=self.password is not None,
        )

    def _authenticate(self, *details: Any) -> AuthResult:
        given = details[-1]
        assert isinstance(given, LoginPassword)
        is_known = given.password.decode() == self.password
        return AuthResult(success=is_known, handled=False, auth_data=given)


@asynccontextmanager
async def running_smtp_server(port: int, **how: Any) -> AsyncIterator[SmtpServer]:
    """Runs a mail server until the block ends."""
    mail_server = SmtpServer(port, **how)
    await mail_server.open()
    try:
        yield mail_server
    finally:
        mail_server.is_awake.set()
        await mail_server.close()
