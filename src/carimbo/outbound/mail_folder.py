"""Puts e-mails into a folder instead of sending them, for those who only want to look."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import structlog

from carimbo.outbound.message import Sender, compose
from carimbo.service.delivery.letter import Letter, NotSent, Sent

_log = structlog.get_logger("carimbo.mail")
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
    """Whole or not at all: somebody may be looking."""
    draft = file.with_suffix(".draft")
    draft.write_bytes(content)
    draft.replace(file)
