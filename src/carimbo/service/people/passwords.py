"""Passwords: which ones are accepted, and their hashes."""

import asyncio
import unicodedata
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cached_property

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from zxcvbn import zxcvbn

from carimbo.service.errors import ErrorCode, Refusal, invalid_field

MIN_LENGTH = 12
MAX_LENGTH = 128
_MAX_RAW_LENGTH = 4 * MAX_LENGTH
"""A longer text is not normalized: the time for combining marks grows with the square of their number."""
_PRODUCT = "carimbo"
_SHORTEST_PART = 3
"""A shorter part of an e-mail address is in too many passwords to be refused."""
_MIN_SCORE = 3
"""Of 4, as zxcvbn judges: about a hundred million guesses."""
_JUDGED_LENGTH = 40
"""So many characters are judged, because the time grows with their number."""
_MAX_AT_ONCE = 2
"""Hashes computed at the same time; each takes 64 MiB of memory."""
_MAX_WAITING = 20
"""Hashes that may wait; more would only time out."""


def require_good_password(password: str, email: str) -> None:
    """Refuses a new password that is easy to guess, with the reason."""
    plain = _normalized(password) if len(password) <= _MAX_RAW_LENGTH else ""
    if not MIN_LENGTH <= len(plain) <= MAX_LENGTH:
        raise _bad_password(f"A senha precisa ter de {MIN_LENGTH} a {MAX_LENGTH} caracteres.")
    guess = plain.lower()
    name_part = email.partition("@")[0].lower()
    if _PRODUCT in guess or (len(name_part) >= _SHORTEST_PART and name_part in guess):
        raise _bad_password("A senha não pode conter o começo do seu e-mail nem a palavra carimbo.")
    if zxcvbn(plain[:_JUDGED_LENGTH])["score"] < _MIN_SCORE:
        raise _bad_password("Esta senha é fácil de adivinhar: junte algumas palavras que não combinam.")


def _bad_password(reason: str) -> Exception:
    return invalid_field("password", reason)


class Passwords:
    """Computes and verifies argon2id hashes in threads, a few at the same time."""

    def __init__(self, hasher: PasswordHasher | None = None) -> None:
        self._hasher = hasher or PasswordHasher()
        self._slots = asyncio.Semaphore(_MAX_AT_ONCE)
        self._waiting = 0

    async def hash(self, password: str) -> str:
        """Returns the hash of a password, with a salt of its own."""
        async with self._slot():
            return await asyncio.to_thread(self._hasher.hash, _octets(password))

    async def verify(self, password_hash: str | None, password: str) -> bool:
        """Returns whether a password has this hash.

        Without a hash it takes as long and returns False, so that time does not show which accounts exist.
        """
        async with self._slot():
            return await asyncio.to_thread(self._verify, password_hash, password)

    def is_outdated(self, password_hash: str) -> bool:
        """Returns whether a hash was made with other parameters than today's."""
        return self._hasher.check_needs_rehash(password_hash)

    @asynccontextmanager
    async def _slot(self) -> AsyncIterator[None]:
        """Waits for a slot, or refuses at once if too many wait already."""
        if self._waiting >= _MAX_WAITING:
            raise Refusal(ErrorCode.SERVICE_UNAVAILABLE)
        self._waiting += 1
        try:
            await self._slots.acquire()
        finally:
            self._waiting -= 1
        try:
            yield
        finally:
            self._slots.release()

    def _verify(self, password_hash: str | None, password: str) -> bool:
        if len(password) > _MAX_RAW_LENGTH:
            # No such password was ever accepted. A long one is hashed as well, to take the same time.
            password, password_hash = password[:MAX_LENGTH], None
        try:
            is_right = self._hasher.verify(password_hash or self._unused_hash, _octets(password))
        except (VerificationError, InvalidHashError):
            return False
        return is_right and password_hash is not None

    @cached_property
    def _unused_hash(self) -> str:
        return self._hasher.hash("the hash of no account")


def _octets(password: str) -> bytes:
    # A form may contain half a surrogate pair, which UTF-8 can't encode.
    return _normalized(password).encode("utf-8", "surrogatepass")


def _normalized(password: str) -> str:
    """Returns a password with one code for each accented letter: keyboards of systems differ in this."""
    return unicodedata.normalize("NFC", password)
