"""Signing in by password or by link, and setting passwords."""

from dataclasses import replace
from uuid import UUID

from carimbo.service.errors import ErrorCode, Refusal, invalid_field
from carimbo.service.people.context import (
    AttemptLimit,
    LinkPurpose,
    SignInContext,
    Visitor,
    count_attempt,
    count_attempt_on_account,
)
from carimbo.service.people.identity import (
    CODE_NEEDED,
    CodeNeeded,
    confirmed_person,
    update_hash,
    verified_person,
)
from carimbo.service.people.mail import SecurityChange, send_notice
from carimbo.service.people.passwords import require_good_password
from carimbo.service.people.people import (
    checked_name,
    normalized_email,
)
from carimbo.service.people.second_factor import remove_second_factor
from carimbo.service.people.sessions import (
    Session,
    SignedIn,
    SignInMethod,
    keep_only,
    locked_person,
    require_fresh,
    signed_in_with,
    start_session,
)
from carimbo.service.people.tokens import token_hash
from carimbo.storage.audit import AuditAction
from carimbo.storage.database import Tenant
from carimbo.storage.identifiers import NIL
from carimbo.storage.passkeys import Passkeys
from carimbo.storage.people import People, PersonRow
from carimbo.storage.person_links import PersonLink, PersonLinks
from carimbo.storage.sessions import Sessions
from carimbo.storage.subscriptions import Subscriptions

_UNUSABLE_LINK = "O link expirou, já foi usado ou não é válido: peça outro."
_HAS_ACCOUNT = "Você já tem uma conta: entre nela e abra o convite de novo."
_OTHER_PERSON = "Este convite é para outra pessoa: saia desta conta e abra-o de novo."


async def sign_in_with_password(
    context: SignInContext, email: str, password: str, code: str | None, visitor: Visitor
) -> SignedIn | CodeNeeded:
    """Signs a person in by password, and by code if they have a second factor."""
    address = normalized_email(email)
    await count_attempt_on_account(
        context,
        address,
        visitor,
        on_network=AttemptLimit.ACCOUNT_ON_NETWORK,
        everywhere=AttemptLimit.ACCOUNT,
    )
    verified = await verified_person(context, address, password, code)
    async with context.database.acting_as(verified.person.actor).tenant(NIL) as installation:
        confirmed = await confirmed_person(context, installation, verified, code)
        if isinstance(confirmed, CodeNeeded):
            return CODE_NEEDED
        token = await start_session(installation, confirmed, SignInMethod.PASSWORD, visitor)
    await update_hash(context, verified, password)
    return await signed_in_with(context, token)


async def open_link(context: SignInContext, token: str, purpose: LinkPurpose, visitor: Visitor) -> PersonRow:
    """Returns the person of a link without using it, or refuses a link that does not work."""
    await count_attempt(context, AttemptLimit.ADDRESS, visitor.network)
    return await person_of_link(context, token, purpose)


async def person_of_link(context: SignInContext, token: str, purpose: LinkPurpose) -> PersonRow:
    """Returns the person of a link, or refuses a link that does not work; the attempt was counted already."""
    return (await _require_link(context, token, purpose)).person


async def use_link(
    context: SignInContext,
    token: str,
    purpose: LinkPurpose,
    visitor: Visitor,
    *,
    password: str | None = None,
    name: str | None = None,
) -> SignedIn | CodeNeeded:
    """Uses a link and signs its person in.

    Invitations and resets need the new password. A reset, also by a link of the operator, ends all sessions
    and removes all passkeys: one of them may be a stranger's. It still needs the code of a second factor,
    unless the link removes that: the person then signs in with both.
    """
    await count_attempt(context, AttemptLimit.ADDRESS, visitor.network)
    person = await person_of_link(context, token, purpose)
    password_hash, plain_name = None, checked_name(name)
    if purpose is not LinkPurpose.SIGN_IN:
        password_hash = await _hash_of_new(context, password, person.email)
    async with context.database.acting_as(person.actor).tenant(NIL) as installation:
        link = await _use(installation, token, purpose, person)
        await _take_effect(installation, link, purpose, plain_name, password_hash)
        has_code = link.person.has_totp and not link.removes_second_factor
        needs_code = purpose is LinkPurpose.RESET and has_code
        session_token = None
        if not needs_code:
            session_token = await start_session(installation, link.person, SignInMethod.LINK, visitor)
    if purpose is LinkPurpose.RESET:
        send_notice(context, link.person, SecurityChange.PASSWORD_CHANGED)
    if link.removes_second_factor and link.person.has_totp:
        send_notice(context, link.person, SecurityChange.SECOND_FACTOR_REMOVED)
    return CODE_NEEDED if needs_code else await signed_in_with(context, session_token)


async def _take_effect(
    installation: Tenant,
    link: PersonLink,
    purpose: LinkPurpose,
    name: str | None,
    password_hash: str | None,
) -> None:
    """Applies the purpose of a link, before its person is signed in."""
    if purpose is LinkPurpose.INVITATION:
        if link.person.has_account:
            raise Refusal(ErrorCode.INVALID_STATE, _HAS_ACCOUNT)
        await _join(installation, link)
    if name is not None:
        await People(installation.connection).set_name(link.person.id, name)
    if password_hash is not None:
        await _replace_password(installation, link.person, password_hash)
        await Sessions(installation.connection).end_all(link.person.id)
    if purpose is LinkPurpose.RESET:
        await _remove_passkeys(installation, link.person)
    if link.removes_second_factor:
        await remove_second_factor(installation, link.person)


async def join_by_link(context: SignInContext, session: Session, token: str) -> UUID | None:
    """Accepts an invitation with the account that is signed in; returns its subscription, if it has one."""
    person = (await _own_invitation(context, session, token)).person
    async with context.database.acting_as(session.actor).tenant(NIL) as installation:
        await locked_person(installation, session)
        link = await _use(installation, token, LinkPurpose.INVITATION, person)
        await _join(installation, link)
    return link.subscription_id


async def invited_to(context: SignInContext, session: Session, token: str) -> str | None:
    """Returns the name of the subscription that an invitation is for; None if it makes an operator.

    Refuses an invitation of somebody else, and one that does not work.
    """
    link = await _own_invitation(context, session, token)
    if link.subscription_id is None:
        return None
    async with context.database.connection() as connection:
        subscription = await Subscriptions(connection).get(link.subscription_id)
    return subscription.name if subscription else None


async def _own_invitation(context: SignInContext, session: Session, token: str) -> PersonLink:
    link = await _require_link(context, token, LinkPurpose.INVITATION)
    if link.person.id != session.person.id:
        raise Refusal(ErrorCode.LINK_INVALID, _OTHER_PERSON)
    return link


async def _require_link(context: SignInContext, token: str, purpose: LinkPurpose) -> PersonLink:
    async with context.database.connection() as connection:
        link = await PersonLinks(connection).find(token_hash(token), purpose)
    if link is None:
        raise Refusal(ErrorCode.LINK_INVALID, _UNUSABLE_LINK)
    return link


async def _use(installation: Tenant, token: str, purpose: LinkPurpose, person: PersonRow) -> PersonLink:
    """Marks a link as used and returns it with its person, who stays locked; refuses a used one."""
    await People(installation.connection).lock(person.id)
    link = await PersonLinks(installation.connection).use(token_hash(token), purpose)
    if link is None:
        raise Refusal(ErrorCode.LINK_INVALID, _UNUSABLE_LINK)
    return link


async def _join(installation: Tenant, link: PersonLink) -> None:
    """Makes a person a member or an operator, as the invitation says."""
    person, tenant = link.person, installation
    if link.grants_operator:
        await People(installation.connection).make_operator(person.id)
    if link.subscription_id is not None:
        tenant = replace(installation, subscription_id=link.subscription_id)
        if not await tenant.memberships.accept(person.id):
            raise Refusal(ErrorCode.LINK_INVALID, _UNUSABLE_LINK)
    await tenant.audit.add(
        AuditAction.PERSON_JOINED,
        subject_id=person.id,
        subject_name=person.email,
        details={"operator": True} if link.grants_operator else None,
    )


async def change_password(context: SignInContext, session: Session, password: str) -> str:
    """Replaces the password of the person's own account, and ends their other sessions.

    Returns the new token of this session.
    """
    require_fresh(context, session)
    await count_attempt(context, AttemptLimit.ACCOUNT, str(session.person.id))
    password_hash = await _hash_of_new(context, password, session.person.email)
    async with context.database.acting_as(session.actor).tenant(NIL) as installation:
        person = await locked_person(installation, session)
        token, _ = await keep_only(installation, session)
        await _replace_password(installation, person, password_hash)
    send_notice(context, person, SecurityChange.PASSWORD_CHANGED)
    return token


async def _hash_of_new(context: SignInContext, password: str | None, email: str) -> str:
    """Returns the hash of a new password, or refuses one that is easy to guess."""
    if not password:
        raise invalid_field("password", "Escolha uma senha.")
    require_good_password(password, email)
    return await context.passwords.hash(password)


async def _replace_password(installation: Tenant, person: PersonRow, password_hash: str) -> None:
    """Stores a new password, and deletes the person's links for a reset."""
    await People(installation.connection).set_password(person.id, password_hash)
    await PersonLinks(installation.connection).delete_resets(person.id)
    await installation.audit.add(
        AuditAction.PASSWORD_CHANGED, subject_id=person.id, subject_name=person.email
    )


async def _remove_passkeys(installation: Tenant, person: PersonRow) -> None:
    for name in await Passkeys(installation.connection).delete_all(person.id):
        await installation.audit.add(
            AuditAction.PASSKEY_REMOVED,
            subject_id=person.id,
            subject_name=person.email,
            details={"passkey": name},
        )


async def change_name(context: SignInContext, session: Session, name: str) -> None:
    """Changes the name of the person's own account."""
    plain = checked_name(name)
    async with context.database.acting_as(session.actor).tenant(NIL) as installation:
        person = await locked_person(installation, session)
        await People(installation.connection).set_name(person.id, plain)
        await installation.audit.add(
            AuditAction.PERSON_CHANGED,
            subject_id=person.id,
            subject_name=person.email,
            details={"fields": ["name"]},
        )
