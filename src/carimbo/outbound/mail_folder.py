"""Puts e-mails into a folder instead of sending them, for those who only want to look."""

import asyncio
import os
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import structlog

from carimbo.outbound.message import Sender, compose
from carimbo.service.delivery.letter import Letter, NotSent, Sent

_log = structlog.get_logger("carimbo.mail")
_OWNER_ONLY = 0o600
_NOT_WRITTEN = "A pasta dos e-mails não pôde ser escrita."


@dataclass(frozen=True)
class MailFolder:
    """Keeps each message in a file of its own, which mail programs open."""

    folder: Path
    sender: Sender
    clock: Callable[[], datetime]

    async def send(self, letter: Letter) -> Sent | NotSent:
        """Write a letter; the same one again takes the place of the first."""
        message = await asyncio.to_thread(compose, letter, self.sender, self.clock())
        file = self.folder / f"{letter.title}-{letter.number}-{letter.id}.eml"
        try:
            await asyncio.to_thread(_write, file, message)
        except OSError as error:
            _log.warning("mail_not_written", file=str(file), exc_info=error)
            return NotSent(message=_NOT_WRITTEN)
        return Sent(message_id=self.sender.message_id(letter), message=f"Gravado em {file.name}.")


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
