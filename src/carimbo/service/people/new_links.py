"""New links for people: of resets, of invitations and of the demonstration."""

from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from carimbo.service.people.context import (
    AttemptLimit,
    LinkPurpose,
    SignInContext,
    Visitor,
    count_attempt_on_account,
    link_address,
)
from carimbo.service.people.mail import send_text
from carimbo.service.people.people import (
    LINK_LIFETIME,
    Invitation,
    find_person,
    normalized_email,
    require_enabled,
    unknown_person,
)
from carimbo.service.people.roles import MemberRole
from carimbo.service.people.tokens import new_token, token_hash
from carimbo.storage.audit import AuditAction
from carimbo.storage.database import Database, Tenant
from carimbo.storage.identifiers import NIL, new_id
from carimbo.storage.people import People, PersonRow
from carimbo.storage.person_links import NewPersonLink, PersonLinks

DEMO_EMAIL = "demo@carimbo.local"
_DEMO_NAME = "Pessoa da demonstração"
_RESET_SUBJECT = "Carimbo: criar uma nova senha"
_RESET_TEXT = """Alguém pediu uma nova senha para esta conta do Carimbo. Se foi você, abra este endereço:

{address}

Ele vale por 24 horas e uma única vez. Se não foi você, não precisa fazer nada: sua senha continua a mesma.
"""
_INVITATION_SUBJECT = "Convite para o Carimbo"
_INVITATION_TEXT = """Você recebeu um convite para usar o Carimbo, o emissor de documentos fiscais.
Para aceitá-lo, abra este endereço:

{address}

O endereço vale por 24 horas e uma única vez. Se você não esperava este convite, não precisa fazer nada.
"""


async def ask_for_reset(context: SignInContext, email: str, visitor: Visitor) -> None:
    """Sends a link for a new password by e-mail, if there is such an account and e-mail is configured.

    It works in the background, so that neither answer nor time show whether the account exists.
    """
    address = normalized_email(email)
    await count_attempt_on_account(
        context,
        address,
        visitor,
        on_network=AttemptLimit.RESET_ON_NETWORK,
        everywhere=AttemptLimit.RESET,
    )
    if address is not None and context.sends_email:
        context.background.start(_send_reset(context, address), "password_reset")


async def _send_reset(context: SignInContext, address: str) -> None:
    async with context.database.tenant(NIL) as installation:
        people = People(installation.connection)
        existing = await people.find(address)
        locked = existing and await people.lock(existing.person.id)
        if not locked or locked.person.disabled_at is not None:
            return
        token = await _add_reset(installation, locked.person, context.clock())
        await installation.audit.add(
            AuditAction.PUBLIC_RESET_REQUESTED, subject_id=locked.person.id, subject_name=locked.person.email
        )
    link = link_address(context.link_base, LinkPurpose.RESET, token)
    await send_text(context, address, _RESET_SUBJECT, _RESET_TEXT.format(address=link))


@dataclass(frozen=True)
class ResetLink:
    """A new link for a new password, with its token, which is shown only once."""

    token: str = field(repr=False)
    expires_at: datetime


async def create_reset_link(
    database: Database, email: str, now: datetime, *, removes_second_factor: bool = False
) -> ResetLink:
    """Returns a link for a new password, for the operator; its use may also remove the second factor.

    Until then the second factor protects the account. `now` is the machine's time.
    """
    person = await find_person(database, email)
    async with database.tenant(NIL) as installation:
        locked = await People(installation.connection).lock(person.id)
        if locked is None:
            raise unknown_person()
        require_enabled(locked.person)
        token = await _add_reset(
            installation, locked.person, now, removes_second_factor=removes_second_factor
        )
        await installation.audit.add(
            AuditAction.PASSWORD_RESET_REQUESTED,
            subject_id=person.id,
            subject_name=person.email,
            details={"removesSecondFactor": True} if removes_second_factor else None,
        )
    return ResetLink(token, now + LINK_LIFETIME)


async def _add_reset(
    installation: Tenant, person: PersonRow, now: datetime, *, removes_second_factor: bool = False
) -> str:
    token = new_token()
    link = NewPersonLink(
        hash=token_hash(token),
        purpose=LinkPurpose.RESET,
        person_id=person.id,
        expires_at=now + LINK_LIFETIME,
        removes_second_factor=removes_second_factor,
    )
    await PersonLinks(installation.connection).add(link)
    return token


def send_invitation(context: SignInContext, invitation: Invitation) -> None:
    """Sends the link of an invitation by e-mail in the background, if e-mail is configured."""
    address = link_address(context.link_base, LinkPurpose.INVITATION, invitation.token)
    text = _INVITATION_TEXT.format(address=address)
    if context.sends_email:
        work = send_text(context, invitation.person.email, _INVITATION_SUBJECT, text)
        context.background.start(work, "invitation")


async def demo_sign_in_link(database: Database, subscription_id: UUID, now: datetime) -> str:
    """Returns the token of a link that signs in the owner of the demo as often as it is opened, for a day.

    `now` is the machine's time, also if the demo moves the clock of its documents.
    """
    token = new_token()
    async with database.tenant(subscription_id) as tenant:
        people = People(tenant.connection)
        person = await people.get_or_add(new_id(), DEMO_EMAIL, _DEMO_NAME)
        await people.make_operator(person.id)
        await tenant.memberships.put_invited(person.id, MemberRole.OWNER, None)
        await tenant.memberships.accept(person.id)
        link = NewPersonLink(
            hash=token_hash(token),
            purpose=LinkPurpose.SIGN_IN,
            person_id=person.id,
            expires_at=now + LINK_LIFETIME,
            is_reusable=True,
        )
        await PersonLinks(tenant.connection).add(link)
    return token
