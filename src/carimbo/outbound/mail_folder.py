"""Writes e-mails to a folder instead of sending them, for trying things out."""

import asyncio
import os
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import structlog

from carimbo.outbound.message import MailSender, compose, compose_text
from carimbo.service.delivery.email_message import MailNotSent, MailSent, OutgoingEmail, TextEmail

_log = structlog.get_logger("carimbo.mail")
_OWNER_ONLY = 0o600
_NOT_WRITTEN = "A pasta dos e-mails não pôde ser escrita."


@dataclass(frozen=True)
class MailFolder:
    """Writes each message to an `.eml` file, which mail programs open."""

    folder: Path
    sender: MailSender
    clock: Callable[[], datetime]

    async def send(self, email: OutgoingEmail) -> MailSent | MailNotSent:
        """Writes an e-mail; writing the same one again replaces the file."""
        message = await asyncio.to_thread(compose, email, self.sender, self.clock())
        file = self.folder / f"{email.title}-{email.number}-{email.id}.eml"
        return await self._store(file, message, self.sender.message_id(email))

    async def send_text(self, email: TextEmail) -> MailSent | MailNotSent:
        """Writes an e-mail of plain text."""
        message = await asyncio.to_thread(compose_text, email, self.sender, self.clock())
        return await self._store(self.folder / f"{email.id}.eml", message, self.sender.message_id(email))

    async def _store(self, file: Path, message: bytes, message_id: str) -> MailSent | MailNotSent:
        try:
            await asyncio.to_thread(_write, file, message)
        except OSError as error:
            _log.warning("mail_not_written", file=str(file), exc_info=error)
            return MailNotSent(message=_NOT_WRITTEN)
        return MailSent(message_id=message_id, message=f"Gravado em {file.name}.")


def _write(file: Path, content: bytes) -> None:
    """Writes the file atomically, with mode 0600."""
    draft = file.with_suffix(".draft")
    # A draft that an interrupted write left behind would keep its own mode.
    draft.unlink(missing_ok=True)
    with open(draft, "xb", opener=_open_for_owner) as opened:
        opened.write(content)
    draft.replace(file)


def _open_for_owner(path: str, flags: int) -> int:
    return os.open(path, flags, _OWNER_ONLY)
