"""Sends e-mails through a mail server, one connection each; every outcome is returned as a value."""

import asyncio
import ssl
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

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
from carimbo.outbound.failure_texts import seconds_text, tls_failure_text
from carimbo.outbound.message import MailSender, compose, compose_text
from carimbo.outbound.smtp_options import Security, SmtpOptions
from carimbo.service.delivery.email_message import (
    MailNotSent,
    MailRefused,
    MailSent,
    OutgoingEmail,
    RefusedRecipient,
    TextEmail,
)

_log = structlog.get_logger("carimbo.mail")
_FIRST_CODE = 200
_ACCEPTED = 250
_FIRST_FINAL = 500
# Authentication failed (RFC 4954): our settings are wrong, not the e-mail.
_AUTHENTICATION_CODES = frozenset({530, 534, 535, 538})
# The e-mail is too large (RFC 1870); the server says so in its answer to the sender's address.
_TOO_LARGE = 552
_QUIT_SECONDS = 2
_UNREACHABLE = "O servidor de e-mail não pôde ser alcançado."
_NO_SMTP = "O servidor de e-mail respondeu algo que não é SMTP."
_SESSION_REFUSED = "O servidor de e-mail não aceitou a conexão: {}"
_BAD_CREDENTIALS = "O servidor de e-mail não aceitou as credenciais configuradas nesta instalação: {}"
_BAD_SENDER = "O servidor de e-mail não aceitou o remetente configurado nesta instalação: {}"
_PERHAPS_NO_TLS = ": talvez ele não fale TLS nesta porta"
_NO_TLS = "O servidor de e-mail não oferece TLS (STARTTLS), que a configuração desta instalação exige."
_UNSUITABLE = "O servidor de e-mail não oferece o que as configurações desta instalação pedem."
_LOST = "A conexão com o servidor de e-mail caiu no meio do envio."


@dataclass(frozen=True)
class SmtpMailer:
    """Sends e-mails through the mail server of the installation."""

    options: SmtpOptions
    sender: MailSender
    clock: Callable[[], datetime]

    async def send(self, email: OutgoingEmail) -> MailSent | MailRefused | MailNotSent:
        """Sends an e-mail. If the answer of the server is lost, the next attempt has the same Message-ID."""
        # In a thread: composing takes milliseconds.
        message = await asyncio.to_thread(compose, email, self.sender, self.clock())
        return await self._deliver(message, email.recipients, self.sender.message_id(email))

    async def send_text(self, email: TextEmail) -> MailSent | MailRefused | MailNotSent:
        """Sends an e-mail of plain text."""
        message = await asyncio.to_thread(compose_text, email, self.sender, self.clock())
        return await self._deliver(message, email.to, self.sender.message_id(email))

    async def _deliver(
        self, message: bytes, recipients: Sequence[str], message_id: str
    ) -> MailSent | MailRefused | MailNotSent:
        client = self._client()
        try:
            async with asyncio.timeout(self.options.seconds):
                outcome = await self._transfer(client, message, recipients, message_id)
            await _quit(client)
        except TimeoutError:
            return MailNotSent(
                message=f"O servidor de e-mail não respondeu em {seconds_text(self.options.seconds)}."
            )
        finally:
            # A server that hangs is not waited for.
            client.close()
        return outcome

    async def _transfer(
        self, client: SMTP, message: bytes, recipients: Sequence[str], message_id: str
    ) -> MailSent | MailRefused | MailNotSent:
        try:
            await client.connect()
        # An error before the server knows the e-mail says nothing about the e-mail.
        except (SMTPException, OSError, ValueError) as error:
            _log.warning("mail_server_unusable", reason=repr(error))
            return MailNotSent(message=_connection_failure_text(error), code=_code(error))
        try:
            refused, accepted = await client.sendmail(self.sender.address, recipients, message)
        except (SMTPException, OSError) as error:
            return _transfer_failure(error)
        return MailSent(
            message_id=message_id,
            code=_ACCEPTED,
            message=one_line(accepted),
            refusals=tuple(
                _refusal(address, answer.code, answer.message) for address, answer in refused.items()
            ),
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
            tls_context=None if options.security is Security.NONE else self._tls_context,
            # The limit of the whole session applies instead.
            timeout=None,
        )

    @cached_property
    def _tls_context(self) -> ssl.SSLContext:
        context = ssl.create_default_context()
        if self.options.ca_file:
            context.load_verify_locations(self.options.ca_file)
        return context


async def _quit(client: SMTP) -> None:
    """Ends the session properly if it is still open; a failure does not matter any more."""
    if client.is_connected:
        with suppress(SMTPException, OSError, TimeoutError):
            async with asyncio.timeout(_QUIT_SECONDS):
                await client.quit()


def _connection_failure_text(error: Exception) -> str:
    cause = error.__cause__ or error
    if isinstance(cause, ssl.SSLError):
        return tls_failure_text(cause, "servidor de e-mail", _PERHAPS_NO_TLS)
    match error:
        case SMTPResponseException():
            return _refused_session_text(error)
        case OSError():
            return _UNREACHABLE
    return _NO_TLS if "STARTTLS extension" in str(error) else _UNSUITABLE


def _refused_session_text(error: SMTPResponseException) -> str:
    if error.code < _FIRST_CODE:
        return _NO_SMTP
    is_authentication = error.code in _AUTHENTICATION_CODES or isinstance(error, SMTPAuthenticationError)
    return (_BAD_CREDENTIALS if is_authentication else _SESSION_REFUSED).format(_server_text(error))


def _transfer_failure(error: Exception) -> MailRefused | MailNotSent:
    match error:
        case SMTPRecipientsRefused():
            return _no_recipient_accepted(error)
        case SMTPResponseException() if error.code < _FIRST_CODE or error.code in _AUTHENTICATION_CODES:
            return MailNotSent(message=_refused_session_text(error), code=_code(error))
        case SMTPSenderRefused() if error.code != _TOO_LARGE:
            return MailNotSent(message=_BAD_SENDER.format(_server_text(error)), code=error.code)
        case SMTPResponseException():
            outcome = MailRefused if error.code >= _FIRST_FINAL else MailNotSent
            message = f"O servidor de e-mail recusou a mensagem: {_server_text(error)}"
            return outcome(message=message, code=error.code)
    _log.warning("mail_server_lost", reason=repr(error))
    return MailNotSent(message=_LOST)


def _no_recipient_accepted(error: SMTPRecipientsRefused) -> MailRefused | MailNotSent:
    """Returns a final refusal only if no recipient may be accepted at a later attempt."""
    for answer in error.recipients:
        if answer.code in _AUTHENTICATION_CODES:
            return MailNotSent(message=_refused_session_text(answer), code=answer.code)
    refusals = tuple(_refusal(answer.recipient, answer.code, answer.message) for answer in error.recipients)
    texts = "; ".join(f"{answer.recipient}: {_server_text(answer)}" for answer in error.recipients)
    outcome = MailRefused if all(refusal.is_final for refusal in refusals) else MailNotSent
    return outcome(
        message=f"O servidor de e-mail recusou o destinatário {texts}",
        code=_code(min(error.recipients, key=lambda answer: answer.code)),
        refusals=refusals,
    )


def _refusal(address: str, code: int, message: str) -> RefusedRecipient:
    is_final = code >= _FIRST_FINAL and code not in _AUTHENTICATION_CODES
    return RefusedRecipient(address, code if code >= _FIRST_CODE else None, one_line(message), is_final)


def _code(error: Exception) -> int | None:
    """Returns the SMTP code of an error; None if it has none."""
    code: int | None = getattr(error, "code", None)
    return code if code is not None and code >= _FIRST_CODE else None


def _server_text(error: SMTPResponseException) -> str:
    return f"{error.code} {one_line(error.message)}"
