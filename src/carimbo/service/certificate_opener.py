"""Opens certificate files in a process of their own.

OpenSSL checks an RSA key for a fifth of a second (seconds, for a hostile file) without letting go of the
interpreter, so a thread would stall every other request. A process can also be stopped.
"""

import asyncio
import base64
import json
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID
from weakref import WeakValueDictionary

import structlog

from carimbo.fiscal.certificate import A1Certificate, is_expensive
from carimbo.service import certificate_process
from carimbo.service.certificate_process import Fault
from carimbo.service.errors import Code, Refusal

_log = structlog.get_logger("carimbo.service")
_ORDINARY_AT_ONCE = 2
_EXPENSIVE_AT_ONCE = 1
# An ordinary file takes about one second. A file that takes longer hides its cost (its key may be encrypted
# together with its certificates), and starts again among the expensive ones.
_ORDINARY_SECONDS = 5.0
_CODES = {
    Fault.WRONG_PASSWORD: Code.CERTIFICATE_PASSWORD_INVALID,
    Fault.UNUSABLE: Code.CERTIFICATE_INVALID,
}
_UNOPENABLE = "O arquivo do certificado não pôde ser aberto."
_TOO_SLOW = "O arquivo do certificado demora demais para ser aberto: exporte-o de novo com as opções padrão."


class _TookTooLong(Exception):
    """The process was stopped before it answered."""


@dataclass(frozen=True)
class CertificateOpener:
    """Opens a few files at a time, one of each subscription, and each within a time limit.

    Expensive files have a place of their own, so ordinary files never wait for them.
    """

    patience_seconds: float
    _ordinary: asyncio.Semaphore = field(
        default_factory=lambda: asyncio.Semaphore(_ORDINARY_AT_ONCE), repr=False
    )
    _expensive: asyncio.Semaphore = field(
        default_factory=lambda: asyncio.Semaphore(_EXPENSIVE_AT_ONCE), repr=False
    )
    # Weak: a lock is forgotten with the last upload that uses it.
    _locks: WeakValueDictionary[UUID, asyncio.Lock] = field(default_factory=WeakValueDictionary, repr=False)

    async def open(self, pfx: bytes, password: str, subscription_id: UUID) -> A1Certificate:
        """Open a PFX file, or refuse it with its own code."""
        # In a thread: a hostile file takes a tenth of a second to look through.
        expensive = await asyncio.to_thread(is_expensive, pfx)
        request = json.dumps({"pfx": base64.b64encode(pfx).decode(), "password": password}).encode()
        async with self._locks.setdefault(subscription_id, asyncio.Lock()):
            answer = await self._in_turn(request, expensive)
        if "fault" in answer:
            raise Refusal(_CODES[Fault(answer["fault"])], answer["message"])
        return A1Certificate.from_bundle(base64.b64decode(answer["bundle"]))

    async def _in_turn(self, request: bytes, expensive: bool) -> dict[str, Any]:
        if not expensive:
            async with self._ordinary:
                with suppress(_TookTooLong):
                    return await self._ask(request, min(_ORDINARY_SECONDS, self.patience_seconds))
        async with self._expensive:
            try:
                return await self._ask(request, self.patience_seconds)
            except _TookTooLong:
                raise Refusal(Code.CERTIFICATE_INVALID, _TOO_SLOW) from None

    async def _ask(self, request: bytes, seconds: float) -> dict[str, Any]:
        process = await asyncio.create_subprocess_exec(
            # -P: nothing of the working directory is imported. No environment: it holds the master keys.
            sys.executable, "-P", "-m", certificate_process.__name__,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env={},
            start_new_session=True,
        )  # fmt: skip
        try:
            async with asyncio.timeout(seconds):
                answer, complaint = await process.communicate(request)
        except TimeoutError:
            raise _TookTooLong from None
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        if process.returncode != 0:
            _log.error("certificate_opener_died", returncode=process.returncode, complaint=complaint.decode())
            raise Refusal(Code.CERTIFICATE_INVALID, _UNOPENABLE)
        return dict(json.loads(answer))
