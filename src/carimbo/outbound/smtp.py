"""Hands e-mails to a mail server, a connection each; whatever it does comes back as a value."""

import asyncio
import ssl
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from functools import cached_property
from pathlib import Path

import structlog
from aiosmtplib import (
    SMTP,
    SMTPAuthenticationError,
    SMTPException,
    SMTPRecipientsRefused,
    SMTPResponseException,
    SMTPSenderRefused,
)

from carimbo.fiscal.outcome import one_line
from carimbo.outbound.message import Sender, compose
from carimbo.outbound.sentences import of_seconds, of_tls
from carimbo.service.delivery.letter import Letter, NotSent, Refused, RefusedRecipient, Sent

_log = structlog.get_logger("carimbo.mail")
_FIRST_CODE = 200
_ACCEPTED = 250
_FIRST_FINAL = 500
# Who we are, or how we say it (RFC 4954): mended in our settings, whatever the letter is.
_ABOUT_US = frozenset({530, 534, 535, 538})
# Of the sender's commands, the one that tells the size of the letter (RFC 1870).
_TOO_LARGE = 552
_GOODBYE_SECONDS = 2
_UNREACHABLE = "O servidor de e-mail não pôde ser alcançado."
_NO_SMTP = "O servidor de e-mail respondeu algo que não é SMTP."
_TURNED_AWAY = "O servidor de e-mail não aceitou a conexão: {}"
_NOT_LET_IN = "O servidor de e-mail não aceitou as credenciais configuradas nesta instalação: {}"
_BAD_SENDER = "O servidor de e-mail não aceitou o remetente configurado nesta instalação: {}"
_PERHAPS_NO_TLS = ": talvez ele não fale TLS nesta porta"
_NO_TLS = "O servidor de e-mail não oferece TLS (STARTTLS), que a configuração desta instalação exige."
_UNSUITABLE = "O servidor de e-mail não oferece o que as configurações desta instalação pedem."
_LOST = "A conexão com o servidor de e-mail caiu no meio do envio."


class Security(StrEnum):
    """How a conversation with a mail server is kept from others."""

    STARTTLS = "starttls"
    TLS = "tls"
    NONE = "none"


@dataclass(frozen=True, kw_only=True)
class SmtpOptions:
    """Where the mail server is, and how it is spoken to."""

    host: str
    port: int
    security: Security
    username: str | None
    password: str | None = field(repr=False)
    ca_file: Path | None
    seconds: float
    """How long a whole conversation may take."""


@dataclass(frozen=True)
class SmtpMailer:
    """Sends through the mail server of the installation."""

    options: SmtpOptions
    sender: Sender
    clock: Callable[[], datetime]

    async def send(self, letter: Letter) -> Sent | Refused | NotSent:
        """Hand a letter over; what is lost after the server took it is sent again under the same id."""
        # Milliseconds of writing, in which others go on.
        message = await asyncio.to_thread(compose, letter, self.sender, self.clock())
        client = self._client()
        try:
            async with asyncio.timeout(self.options.seconds):
                outcome = await self._converse(client, letter, message)
            await _take_leave(client)
        except TimeoutError:
            return NotSent(
                message=f"O servidor de e-mail não respondeu em {of_seconds(self.options.seconds)}."
            )
        finally:
            # Whoever hangs is not waited for any longer.
            client.close()
        return outcome

    async def _converse(self, client: SMTP, letter: Letter, message: bytes) -> Sent | Refused | NotSent:
        try:
            await client.connect()
        # What is wrong before the letter is named says nothing of the letter.
        except (SMTPException, OSError, ValueError) as error:
            _log.warning("mail_server_unusable", reason=repr(error))
            return NotSent(message=_before_the_letter(error), code=_code(error))
        try:
            refused, answer = await client.sendmail(self.sender.address, letter.recipients, message)
        except (SMTPException, OSError) as error:
            return _after_refusal(error)
        return Sent(
            message_id=self.sender.message_id(letter),
            code=_ACCEPTED,
            message=one_line(answer),
            refusals=tuple(_refusal(to, one.code, one.message) for to, one in refused.items()),
        )

    def _client(self) -> SMTP:
        options = self.options
        return SMTP(
            hostname=options.host,
            port=options.port,
            username=options.username,
            password=options.password,
            use_tls=options.security is Security.TLS,
            start_tls=options.security is Security.STARTTLS,
            tls_context=None if options.security is Security.NONE else self._trust,
            # There is one clock, that of the whole conversation.
            timeout=None,
        )

    @cached_property
    def _trust(self) -> ssl.SSLContext:
        context = ssl.create_default_context()
        if self.options.ca_file:
            context.load_verify_locations(self.options.ca_file)
        return context


async def _take_leave(client: SMTP) -> None:
    """Say goodbye, if there is still somebody: what it answers changes nothing."""
    if client.is_connected:
        with suppress(SMTPException, OSError, TimeoutError):
            async with asyncio.timeout(_GOODBYE_SECONDS):
                await client.quit()


def _before_the_letter(error: Exception) -> str:
    cause = error.__cause__ or error
    if isinstance(cause, ssl.SSLError):
        return of_tls(cause, "servidor de e-mail", _PERHAPS_NO_TLS)
    match error:
        case SMTPResponseException():
            return _turned_away(error)
        case OSError():
            return _UNREACHABLE
    return _NO_TLS if "STARTTLS extension" in str(error) else _UNSUITABLE


def _turned_away(error: SMTPResponseException) -> str:
    if error.code < _FIRST_CODE:
        return _NO_SMTP
    is_about_us = error.code in _ABOUT_US or isinstance(error, SMTPAuthenticationError)
    return (_NOT_LET_IN if is_about_us else _TURNED_AWAY).format(_told(error))


def _after_refusal(error: Exception) -> Refused | NotSent:
    match error:
        case SMTPRecipientsRefused():
            return _nobody_taken(error)
        case SMTPResponseException() if error.code < _FIRST_CODE or error.code in _ABOUT_US:
            return NotSent(message=_turned_away(error), code=_code(error))
        case SMTPSenderRefused() if error.code != _TOO_LARGE:
            return NotSent(message=_BAD_SENDER.format(_told(error)), code=error.code)
        case SMTPResponseException():
            kind = Refused if error.code >= _FIRST_FINAL else NotSent
            message = f"O servidor de e-mail recusou a mensagem: {_told(error)}"
            return kind(message=message, code=error.code)
    _log.warning("mail_server_lost", reason=repr(error))
    return NotSent(message=_LOST)


def _nobody_taken(error: SMTPRecipientsRefused) -> Refused | NotSent:
    """As long as one of the recipients may be taken another time, there is hope."""
    for one in error.recipients:
        if one.code in _ABOUT_US:
            return NotSent(message=_turned_away(one), code=one.code)
    refusals = tuple(_refusal(one.recipient, one.code, one.message) for one in error.recipients)
    told = "; ".join(f"{one.recipient}: {_told(one)}" for one in error.recipients)
    kind = Refused if all(one.is_final for one in refusals) else NotSent
    return kind(
        message=f"O servidor de e-mail recusou o destinatário {told}",
        code=_code(min(error.recipients, key=lambda one: one.code)),
        refusals=refusals,
    )


def _refusal(address: str, code: int, message: str) -> RefusedRecipient:
    is_final = code >= _FIRST_FINAL and code not in _ABOUT_US
    return RefusedRecipient(address, code if code >= _FIRST_CODE else None, one_line(message), is_final)


def _code(error: Exception) -> int | None:
    """What the server said, unless it is no code at all."""
    code: int | None = getattr(error, "code", None)
    return code if code is not None and code >= _FIRST_CODE else None


def _told(error: SMTPResponseException) -> str:
    return f"{error.code} {one_line(error.message)}"
