"""Proves who somebody is by password and code, for signing in and for confirming it later."""

from dataclasses import dataclass, field
from typing import Final

from carimbo.service.errors import ErrorCode, Refusal, invalid_field
from carimbo.service.people.context import AttemptLimit, SignInContext, count_attempt, forget_attempts
from carimbo.service.people.totp import TOTP_SECRET, matching_step
from carimbo.storage.database import Tenant
from carimbo.storage.identifiers import NIL
from carimbo.storage.people import People, PersonRow


@dataclass(frozen=True)
class CodeNeeded:
    """The password is right; the code of the second factor is missing."""


CODE_NEEDED: Final = CodeNeeded()


@dataclass(frozen=True)
class VerifiedPerson:
    """A person whose password was verified, with the hash that it had then."""

    person: PersonRow
    password_hash: str = field(repr=False)


async def verified_person(
    context: SignInContext, email: str | None, password: str, code: str | None
) -> VerifiedPerson:
    """Returns the person of a normalized e-mail address and a password; counts the attempt of a code.

    The refusal and its time are the same for an unknown account, a wrong password and a disabled person.
    The caller has counted the attempt of the password.
    """
    async with context.database.connection() as connection:
        existing = await People(connection).find(email) if email else None
    stored = existing.password_hash if existing is not None else None
    is_right = await context.passwords.verify(stored, password)
    if existing is None or stored is None or not is_right or existing.person.disabled_at is not None:
        raise Refusal(ErrorCode.INVALID_SIGN_IN)
    if code and existing.person.has_totp:
        # Counted before the transaction, which ends with a wrong code; a right one deletes the count.
        await count_attempt(context, AttemptLimit.CODE, str(existing.person.id))
    return VerifiedPerson(existing.person, stored)


async def confirmed_person(
    context: SignInContext, installation: Tenant, verified: VerifiedPerson, code: str | None
) -> PersonRow | CodeNeeded:
    """Returns the person after checking the code of their second factor, if they have one.

    Locks the person: a password that was replaced meanwhile is no longer right.
    """
    locked = await People(installation.connection).lock(verified.person.id)
    if locked is None or locked.password_hash != verified.password_hash:
        raise Refusal(ErrorCode.INVALID_SIGN_IN)
    if not locked.person.has_totp:
        return locked.person
    if not code:
        return CODE_NEEDED
    await _require_code(context, installation, locked.person, code)
    return locked.person


async def _require_code(context: SignInContext, installation: Tenant, person: PersonRow, code: str) -> None:
    """Refuses a wrong code, and one that was used."""
    secret = await installation.secrets.get(person.id, TOTP_SECRET)
    step = secret and matching_step(secret.decode(), code, context.clock())
    if not step or not await People(installation.connection).use_totp_step(person.id, step):
        raise wrong_code()
    await forget_attempts(installation, AttemptLimit.CODE, str(person.id))


def wrong_code() -> Refusal:
    """Returns the refusal of a code."""
    return invalid_field("code", "Código incorreto ou já usado: espere o próximo do aplicativo.")


async def update_hash(context: SignInContext, verified: VerifiedPerson, password: str) -> None:
    """Stores a new hash of a password that was just verified, if today's parameters are others."""
    if not context.passwords.is_outdated(verified.password_hash):
        return
    try:
        password_hash = await context.passwords.hash(password)
    except Refusal:
        # Too many wait for a slot: the next sign-in renews the hash.
        return
    async with context.database.tenant(NIL) as installation:
        people = People(installation.connection)
        locked = await people.lock(verified.person.id)
        if locked is not None and locked.password_hash == verified.password_hash:
            await people.set_password(verified.person.id, password_hash)
