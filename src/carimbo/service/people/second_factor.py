"""Enabling and disabling the second factor of one's own account."""

from dataclasses import dataclass, field

from carimbo.service.errors import ErrorCode, Refusal
from carimbo.service.people.context import SignInContext
from carimbo.service.people.identity import wrong_code
from carimbo.service.people.mail import SecurityChange, send_notice
from carimbo.service.people.sessions import Session, keep_only, locked_person, require_fresh
from carimbo.service.people.totp import TOTP_SECRET, matching_step, new_totp_secret, totp_uri
from carimbo.storage.audit import AuditAction
from carimbo.storage.database import Tenant
from carimbo.storage.identifiers import NIL
from carimbo.storage.people import People, PersonRow

_ENABLED_ALREADY = "O segundo fator já está ligado: desligue-o antes, para trocar de aparelho."
_NOT_BEGUN = "Comece de novo: leia outra vez o código QR."


@dataclass(frozen=True)
class SecondFactorStart:
    """The data for an authenticator app; shown only once."""

    secret: str = field(repr=False)
    uri: str = field(repr=False)
    """The content of the QR code."""


async def begin_second_factor(context: SignInContext, session: Session) -> SecondFactorStart:
    """Returns a new secret for an authenticator app. It protects the account once a code enables it."""
    require_fresh(context, session)
    secret = new_totp_secret()
    async with context.database.acting_as(session.actor).tenant(NIL) as installation:
        if (await locked_person(installation, session)).has_totp:
            raise Refusal(ErrorCode.INVALID_STATE, _ENABLED_ALREADY)
        await installation.secrets.put(session.person.id, TOTP_SECRET, secret.encode())
    return SecondFactorStart(secret, totp_uri(secret, session.person.email))


async def begun_second_factor(context: SignInContext, session: Session) -> SecondFactorStart:
    """Returns the secret that was begun, for another attempt with its code."""
    require_fresh(context, session)
    async with context.database.acting_as(session.actor).tenant(NIL) as installation:
        person = await locked_person(installation, session)
        secret = None if person.has_totp else await installation.secrets.get(person.id, TOTP_SECRET)
    if secret is None:
        raise Refusal(ErrorCode.INVALID_STATE, _NOT_BEGUN)
    return SecondFactorStart(secret.decode(), totp_uri(secret.decode(), person.email))


async def enable_second_factor(context: SignInContext, session: Session, code: str) -> str:
    """Enables the second factor and ends the person's other sessions, if the code is one of the new secret.

    That code can't be used again. Returns the new token of this session.
    """
    require_fresh(context, session)
    async with context.database.acting_as(session.actor).tenant(NIL) as installation:
        person = await locked_person(installation, session)
        if person.has_totp:
            raise Refusal(ErrorCode.INVALID_STATE, _ENABLED_ALREADY)
        secret = await installation.secrets.get(person.id, TOTP_SECRET)
        if secret is None:
            raise Refusal(ErrorCode.INVALID_STATE, _NOT_BEGUN)
        step = matching_step(secret.decode(), code, context.clock())
        if step is None:
            raise wrong_code()
        await People(installation.connection).set_totp(person.id, step)
        token, _ = await keep_only(installation, session)
        await installation.audit.add(
            AuditAction.SECOND_FACTOR_ENABLED, subject_id=person.id, subject_name=person.email
        )
    send_notice(context, person, SecurityChange.SECOND_FACTOR_ADDED)
    return token


async def disable_second_factor(context: SignInContext, session: Session) -> None:
    """Disables the second factor of the person's own account."""
    require_fresh(context, session)
    async with context.database.acting_as(session.actor).tenant(NIL) as installation:
        person = await locked_person(installation, session)
        await remove_second_factor(installation, person)
    if person.has_totp:
        send_notice(context, person, SecurityChange.SECOND_FACTOR_REMOVED)


async def remove_second_factor(installation: Tenant, person: PersonRow) -> None:
    """Disables the second factor of a person, and forgets its secret."""
    await installation.secrets.delete(person.id, TOTP_SECRET)
    if person.has_totp:
        await People(installation.connection).set_totp(person.id, None)
        await installation.audit.add(
            AuditAction.SECOND_FACTOR_DISABLED, subject_id=person.id, subject_name=person.email
        )
