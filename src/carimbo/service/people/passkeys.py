"""Passkeys (WebAuthn): adding them to one's account, and signing in or confirming who one is with them.

The caller names the host and the origin of each request. Every answer must prove that the device checked its
user (by finger, face or PIN), so a passkey needs no second factor.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from enum import StrEnum
from typing import Any
from uuid import UUID

import structlog
import webauthn
from webauthn.helpers import base64url_to_bytes, options_to_json_dict
from webauthn.helpers.exceptions import WebAuthnException
from webauthn.helpers.structs import (
    AuthenticatorSelectionCriteria,
    AuthenticatorTransport,
    PublicKeyCredentialDescriptor,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)

from carimbo.service.errors import ErrorCode, Refusal, invalid_field, not_found
from carimbo.service.people.context import AttemptLimit, SignInContext, Visitor, count_attempt
from carimbo.service.people.mail import SecurityChange, send_notice
from carimbo.service.people.people import checked_name
from carimbo.service.people.sessions import (
    Session,
    SignedIn,
    SignInMethod,
    keep_only,
    locked_person,
    renewed_token,
    require_fresh,
    signed_in_with,
    start_session,
)
from carimbo.storage.audit import AuditAction
from carimbo.storage.database import Database, Tenant
from carimbo.storage.identifiers import NIL, new_id
from carimbo.storage.passkeys import Passkey, PasskeyChallenges, Passkeys
from carimbo.storage.people import People, PersonRow

_log = structlog.get_logger("carimbo.people")
_PRODUCT = "Carimbo"
_CHALLENGE_LIFETIME = timedelta(minutes=5)
_MAX_PASSKEYS = 20
_USUAL_NAME = "Chave de acesso"
_NOT_ACCEPTED = "A chave de acesso não foi aceita: tente de novo ou entre com a senha."
_NOT_ADDED = "A chave de acesso não foi aceita: tente de novo."
_EXPIRED = "O pedido expirou ou já foi usado: tente de novo."
_STORED_ALREADY = "Esta chave de acesso já está cadastrada."
_ONLY_WAY_IN = "Esta chave é a única forma de entrar nesta conta: crie antes uma senha."
# What the library raises for an answer that it can't read.
_UNREADABLE = (WebAuthnException, ValueError, KeyError, TypeError, AttributeError, EOFError)
_TRANSPORTS = {transport.value: transport for transport in AuthenticatorTransport}


class _Purpose(StrEnum):
    REGISTER = "register"
    SIGN_IN = "signIn"
    CONFIRM = "confirm"


@dataclass(frozen=True)
class RelyingParty:
    """This installation as a browser sees it: the host of the address, and the origin of the page."""

    id: str
    origin: str


@dataclass(frozen=True)
class PasskeyRequest:
    """The options with which a browser asks for a passkey. Its answer comes back with the id."""

    id: UUID
    options: dict[str, Any]
    """The options as JSON, as `PublicKeyCredential.parse…OptionsFromJSON` reads them."""


async def registration_options(
    context: SignInContext, session: Session, party: RelyingParty
) -> PasskeyRequest:
    """Returns the request for a new passkey; those that the account has already are excluded."""
    require_fresh(context, session)
    person = session.person
    existing = await list_passkeys(context.database, person.id)
    _require_room(len(existing))
    options = webauthn.generate_registration_options(
        rp_id=party.id,
        rp_name=_PRODUCT,
        user_id=person.id.bytes,
        user_name=person.email,
        user_display_name=person.name or person.email,
        authenticator_selection=AuthenticatorSelectionCriteria(
            resident_key=ResidentKeyRequirement.REQUIRED,
            require_resident_key=True,
            user_verification=UserVerificationRequirement.REQUIRED,
        ),
        exclude_credentials=_descriptors(existing),
    )
    request = PasskeyRequest(new_id(), options_to_json_dict(options))
    await _store(context, request, options.challenge, _Purpose.REGISTER, person.id)
    return request


async def register_passkey(
    context: SignInContext,
    session: Session,
    party: RelyingParty,
    request_id: UUID,
    answer: Mapping[str, Any],
    name: str | None,
) -> Passkey:
    """Adds a passkey to the person's own account. `answer` is the credential as JSON."""
    require_fresh(context, session)
    plain_name = checked_name(name) or _USUAL_NAME
    challenge = await _take(context, request_id, _Purpose.REGISTER, session.person.id)
    try:
        verified = webauthn.verify_registration_response(
            credential=dict(answer),
            expected_challenge=challenge,
            expected_rp_id=party.id,
            expected_origin=party.origin,
            require_user_verification=True,
        )
        transports = [name for name in answer["response"].get("transports") or [] if name in _TRANSPORTS]
    except _UNREADABLE as error:
        _log.info("passkey_refused", reason=str(error))
        raise invalid_field("passkey", _NOT_ADDED) from None
    async with context.database.acting_as(session.actor).tenant(NIL) as installation:
        person = await locked_person(installation, session)
        _require_room(person.passkeys)
        passkey = await Passkeys(installation.connection).add(
            new_id(),
            person.id,
            verified.credential_id,
            verified.credential_public_key,
            verified.sign_count,
            plain_name,
            transports,
        )
        if passkey is None:
            raise Refusal(ErrorCode.INVALID_STATE, _STORED_ALREADY)
        await _audit(installation, AuditAction.PASSKEY_ADDED, person, passkey.name)
    send_notice(context, person, SecurityChange.PASSKEY_ADDED)
    return passkey


def _require_room(passkeys: int) -> None:
    if passkeys >= _MAX_PASSKEYS:
        raise Refusal(ErrorCode.INVALID_STATE, f"Uma conta tem até {_MAX_PASSKEYS} chaves de acesso.")


async def sign_in_options(context: SignInContext, party: RelyingParty, visitor: Visitor) -> PasskeyRequest:
    """Returns the request for signing in with any passkey of this installation."""
    await count_attempt(context, AttemptLimit.PASSKEY_CHALLENGE, visitor.network)
    return await _ask(context, party, _Purpose.SIGN_IN, None, [])


async def sign_in_with_passkey(
    context: SignInContext, party: RelyingParty, request_id: UUID, answer: Mapping[str, Any], visitor: Visitor
) -> SignedIn:
    """Signs in the person of a passkey."""
    await count_attempt(context, AttemptLimit.ADDRESS, visitor.network)
    challenge = await _take(context, request_id, _Purpose.SIGN_IN, None)
    verified = await _verified_passkey(context, party, challenge, answer)
    async with context.database.tenant(NIL) as installation:
        person = await _use(installation, verified)
        acting = replace(installation, actor=person.actor)
        token = await start_session(acting, person, SignInMethod.PASSKEY, visitor)
    return await signed_in_with(context, token)


async def confirmation_options(
    context: SignInContext, session: Session, party: RelyingParty
) -> PasskeyRequest:
    """Returns the request for confirming with a passkey of the account who uses a session."""
    passkeys = await list_passkeys(context.database, session.person.id)
    return await _ask(context, party, _Purpose.CONFIRM, session.person.id, passkeys)


async def confirm_with_passkey(
    context: SignInContext,
    session: Session,
    party: RelyingParty,
    request_id: UUID,
    answer: Mapping[str, Any],
) -> SignedIn:
    """Confirms with a passkey who uses a session; it gets a new token."""
    challenge = await _take(context, request_id, _Purpose.CONFIRM, session.person.id)
    verified = await _verified_passkey(context, party, challenge, answer)
    if verified.person_id != session.person.id:
        raise Refusal(ErrorCode.INVALID_SIGN_IN, _NOT_ACCEPTED)
    async with context.database.acting_as(session.actor).tenant(NIL) as installation:
        await _use(installation, verified)
        token = await renewed_token(installation, session)
    return await signed_in_with(context, token)


async def list_passkeys(database: Database, person_id: UUID) -> list[Passkey]:
    """Returns the passkeys of a person, oldest first."""
    async with database.connection() as connection:
        return await Passkeys(connection).all(person_id)


async def remove_passkey(context: SignInContext, session: Session, passkey_id: UUID) -> str:
    """Removes a passkey from the person's own account, unless it is the only way to sign in.

    Ends their other sessions: somebody who lost a device may have signed in on it. Returns the new token of
    this session.
    """
    require_fresh(context, session)
    async with context.database.acting_as(session.actor).tenant(NIL) as installation:
        person = await locked_person(installation, session)
        name = await Passkeys(installation.connection).delete(person.id, passkey_id)
        if name is None:
            raise not_found("Chave de acesso não encontrada.")
        if not person.has_password and person.passkeys == 1:
            raise Refusal(ErrorCode.INVALID_STATE, _ONLY_WAY_IN)
        token, _ = await keep_only(installation, session)
        await _audit(installation, AuditAction.PASSKEY_REMOVED, person, name)
    send_notice(context, person, SecurityChange.PASSKEY_REMOVED)
    return token


async def _ask(
    context: SignInContext,
    party: RelyingParty,
    purpose: _Purpose,
    person_id: UUID | None,
    passkeys: list[Passkey],
) -> PasskeyRequest:
    options = webauthn.generate_authentication_options(
        rp_id=party.id,
        allow_credentials=_descriptors(passkeys) or None,
        user_verification=UserVerificationRequirement.REQUIRED,
    )
    request = PasskeyRequest(new_id(), options_to_json_dict(options))
    await _store(context, request, options.challenge, purpose, person_id)
    return request


async def _store(
    context: SignInContext,
    request: PasskeyRequest,
    challenge: bytes,
    purpose: _Purpose,
    person_id: UUID | None,
) -> None:
    async with context.database.transaction() as connection:
        await PasskeyChallenges(connection).add(
            request.id, challenge, purpose, person_id, _CHALLENGE_LIFETIME
        )


async def _take(context: SignInContext, request_id: UUID, purpose: _Purpose, person_id: UUID | None) -> bytes:
    """Returns the challenge of a request, which can't be answered again whatever follows."""
    async with context.database.connection() as connection:
        challenge = await PasskeyChallenges(connection).take(request_id, purpose, person_id)
    if challenge is None:
        raise Refusal(ErrorCode.INVALID_STATE, _EXPIRED)
    return challenge


@dataclass(frozen=True)
class _VerifiedPasskey:
    """A passkey that signed a challenge; its use is not stored yet."""

    person_id: UUID
    credential_id: bytes = field(repr=False)
    sign_count: int


async def _verified_passkey(
    context: SignInContext, party: RelyingParty, challenge: bytes, answer: Mapping[str, Any]
) -> _VerifiedPasskey:
    """Returns the passkey that signed a challenge, or refuses the answer."""
    try:
        credential_id = base64url_to_bytes(answer["rawId"])
    except _UNREADABLE as error:
        raise _refused(error) from None
    async with context.database.connection() as connection:
        passkey = await Passkeys(connection).find(credential_id)
    if passkey is None:
        raise Refusal(ErrorCode.INVALID_SIGN_IN, _NOT_ACCEPTED)
    try:
        verified = webauthn.verify_authentication_response(
            credential=dict(answer),
            expected_challenge=challenge,
            expected_rp_id=party.id,
            expected_origin=party.origin,
            credential_public_key=passkey.public_key,
            credential_current_sign_count=passkey.sign_count,
            require_user_verification=True,
        )
        handle = answer["response"].get("userHandle")
        is_of_person = handle is None or base64url_to_bytes(handle) == passkey.person_id.bytes
    except _UNREADABLE as error:
        raise _refused(error) from None
    if not is_of_person:
        raise Refusal(ErrorCode.INVALID_SIGN_IN, _NOT_ACCEPTED)
    return _VerifiedPasskey(passkey.person_id, credential_id, verified.new_sign_count)


async def _use(installation: Tenant, verified: _VerifiedPasskey) -> PersonRow:
    """Stores the use of a passkey and returns its person, who stays locked.

    Refuses a passkey that a reset removed meanwhile, because the reset locks the person as well.
    """
    owner = await People(installation.connection).lock(verified.person_id)
    is_used = await Passkeys(installation.connection).use(verified.credential_id, verified.sign_count)
    if owner is None or owner.person.disabled_at is not None or not is_used:
        raise Refusal(ErrorCode.INVALID_SIGN_IN, _NOT_ACCEPTED)
    return owner.person


def _refused(error: Exception) -> Refusal:
    _log.info("passkey_refused", reason=str(error))
    return Refusal(ErrorCode.INVALID_SIGN_IN, _NOT_ACCEPTED)


def _descriptors(passkeys: list[Passkey]) -> list[PublicKeyCredentialDescriptor]:
    return [
        PublicKeyCredentialDescriptor(
            id=passkey.credential_id, transports=[_TRANSPORTS[name] for name in passkey.transports]
        )
        for passkey in passkeys
    ]


async def _audit(installation: Tenant, action: AuditAction, person: PersonRow, passkey_name: str) -> None:
    await installation.audit.add(
        action, subject_id=person.id, subject_name=person.email, details={"passkey": passkey_name}
    )
