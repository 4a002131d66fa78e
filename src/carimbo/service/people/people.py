"""The people of a subscription and of the installation: inviting them, and changing what they may do.

An invitation gives access only when its link is used. If the person has an account already, they sign in and
accept it there. The link alone never opens an existing account.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from uuid import UUID

from pydantic import TypeAdapter, ValidationError

from carimbo.service.delivery.email_message import PlainEmail
from carimbo.service.errors import ErrorCode, Refusal, invalid_field, not_found
from carimbo.service.exports.authors import end_exports_of
from carimbo.service.people.context import LinkPurpose
from carimbo.service.people.roles import Capability, MemberRole, capabilities_of
from carimbo.service.people.tokens import new_token, token_hash
from carimbo.storage.audit import AuditAction
from carimbo.storage.database import Database, Tenant
from carimbo.storage.identifiers import NIL, new_id
from carimbo.storage.memberships import MembershipRow, subscriptions_of
from carimbo.storage.people import People, PersonRow
from carimbo.storage.person_links import NewPersonLink, PersonLinks
from carimbo.storage.sessions import Sessions
from carimbo.storage.subscriptions import Subscription, Subscriptions

LINK_LIFETIME = timedelta(hours=24)
_MAX_NAME = 100
_EMAIL: TypeAdapter[str] = TypeAdapter(PlainEmail)
_HAS_PEOPLE = "Esta assinatura já tem pessoas: quem é proprietário dela convida as outras."
_LAST_OWNER = (
    "Toda assinatura precisa de um proprietário: dê antes esse papel a outra pessoa, que precisa ter"
    " aceitado."
)


@dataclass(frozen=True)
class Membership:
    """The role of a person in a subscription."""

    subscription: Subscription
    role: MemberRole
    company_ids: frozenset[UUID] | None
    """None means all companies."""

    @property
    def capabilities(self) -> frozenset[Capability]:
        """The capabilities of the person, in the companies that they may see."""
        return capabilities_of(self.role, of_all_companies=self.company_ids is None)

    def may_see(self, company_id: UUID) -> bool:
        """Returns whether the person may see a company."""
        return self.company_ids is None or company_id in self.company_ids


@dataclass(frozen=True)
class Invitation:
    """A new invitation, with the token of its link, which is shown only once."""

    token: str = field(repr=False)
    expires_at: datetime
    person: PersonRow


@dataclass(frozen=True, kw_only=True)
class PersonInSubscription:
    """A person as the other people of a subscription see them."""

    id: UUID
    email: str
    name: str | None
    role: MemberRole
    company_ids: frozenset[UUID] | None
    is_pending: bool
    """Whether the invitation waits to be accepted."""
    invitation_expires_at: datetime | None
    """Until when the link of a waiting invitation works."""
    is_disabled: bool
    created_at: datetime
    last_signed_in_at: datetime | None


def normalized_email(text: str) -> str | None:
    """Returns an e-mail address as it is stored; None if it is not an address."""
    try:
        return _EMAIL.validate_python(text.strip()).lower()
    except ValidationError:
        return None


def require_email(text: str) -> str:
    """Returns an e-mail address as it is stored, or refuses it."""
    email = normalized_email(text)
    if email is None:
        raise invalid_field("email", "E-mail inválido: informe um endereço como nome@example.com.")
    return email


def checked_name(name: str | None) -> str | None:
    """Returns the name of a person without needless blanks, or refuses it; None if it is blank."""
    plain = " ".join((name or "").split())
    if len(plain) > _MAX_NAME or not plain.isprintable():
        raise invalid_field("name", f"O nome tem até {_MAX_NAME} caracteres, que se possam imprimir.")
    return plain or None


async def invite(
    database: Database,
    email: str,
    name: str | None = None,
    *,
    subscription_id: UUID | None = None,
    role: MemberRole | None = None,
    company_ids: Iterable[UUID] | None = None,
    is_operator: bool = False,
    now: datetime,
) -> Invitation:
    """Invites a person to a subscription, or as operator, and returns the token of the link.

    A new invitation to the same subscription replaces the earlier one. `now` is the machine's time.
    """
    if subscription_id is None and not is_operator:
        raise invalid_field("subscriptionId", "Informe a assinatura, ou convide como operador.")
    address, plain_name = require_email(email), checked_name(name)
    token, expires_at = new_token(), now + LINK_LIFETIME
    async with database.tenant(subscription_id or NIL) as tenant:
        if subscription_id is not None:
            await _require_subscription(tenant)
        person = await People(tenant.connection).get_or_add(new_id(), address, plain_name)
        require_enabled(person)
        details: dict[str, object] = {"operator": True} if is_operator else {}
        if subscription_id is not None:
            details |= await _put_invited(tenant, person, role, company_ids)
        link = NewPersonLink(
            hash=token_hash(token),
            purpose=LinkPurpose.INVITATION,
            person_id=person.id,
            expires_at=expires_at,
            subscription_id=subscription_id,
            grants_operator=is_operator,
        )
        await PersonLinks(tenant.connection).add(link)
        await tenant.audit.add(
            AuditAction.PERSON_INVITED, subject_id=person.id, subject_name=person.email, details=details
        )
    return Invitation(token, expires_at, person)


async def invite_first_owner(
    database: Database, subscription_id: UUID, email: str, name: str | None, now: datetime
) -> Invitation:
    """Invites the owner of a subscription that has no people yet; after that, owners invite.

    `now` is the machine's time.
    """
    async with database.tenant(subscription_id) as tenant:
        memberships = await tenant.memberships.lock_all()
    if any(row.accepted_at is not None for row in memberships):
        raise Refusal(ErrorCode.INVALID_STATE, _HAS_PEOPLE)
    return await invite(
        database, email, name, subscription_id=subscription_id, role=MemberRole.OWNER, now=now
    )


def require_enabled(person: PersonRow) -> None:
    """Raises Refusal if the person is disabled."""
    if person.disabled_at is not None:
        raise Refusal(ErrorCode.INVALID_STATE, "Esta pessoa está desativada nesta instalação.")


async def _put_invited(
    tenant: Tenant, person: PersonRow, role: MemberRole | None, company_ids: Iterable[UUID] | None
) -> dict[str, object]:
    """Stores the membership that the invitation is for, and returns what the audit says of it."""
    if role is None:
        raise invalid_field("role", "Informe o papel da pessoa.")
    companies = await _checked_companies(tenant, role, company_ids)
    if not await tenant.memberships.put_invited(person.id, role, companies):
        raise Refusal(ErrorCode.DUPLICATE_RESOURCE, "Esta pessoa já faz parte da assinatura.", field="email")
    await PersonLinks(tenant.connection).delete_invitations(person.id, tenant.subscription_id)
    return _details(role, companies)


async def list_people(database: Database, subscription_id: UUID) -> list[PersonInSubscription]:
    """Returns the people of a subscription, with those whose invitation waits, by e-mail address."""
    async with database.snapshot(subscription_id) as tenant:
        return [_as_seen(row) for row in await tenant.memberships.all()]


async def change_membership(
    database: Database,
    subscription_id: UUID,
    person_id: UUID,
    *,
    role: MemberRole,
    company_ids: Iterable[UUID] | None = None,
) -> PersonInSubscription:
    """Replaces the role and the companies of a person; None means all companies. Effective at once."""
    async with database.tenant(subscription_id) as tenant:
        current = await _lock_membership(tenant, person_id, stays_owner=role is MemberRole.OWNER)
        companies = await _checked_companies(tenant, role, company_ids)
        await tenant.memberships.write(person_id, role, companies)
        capabilities = capabilities_of(role, of_all_companies=companies is None)
        await end_exports_of(tenant, person_id, companies if Capability.EXPORT in capabilities else ())
        await _end_imports_of(
            tenant, person_id, companies if Capability.CHANGE_CATALOG in capabilities else ()
        )
        await tenant.audit.add(
            AuditAction.MEMBERSHIP_CHANGED,
            subject_id=person_id,
            subject_name=current.email,
            details={"previousRole": current.role, **_details(role, companies)},
        )
        changed = await tenant.memberships.get(person_id)
    if changed is None:
        raise LookupError("a locked membership is gone")
    return _as_seen(changed)


async def remove_membership(database: Database, subscription_id: UUID, person_id: UUID) -> None:
    """Removes a person from a subscription, or withdraws the invitation. Effective at once."""
    async with database.tenant(subscription_id) as tenant:
        # Accepting an invitation locks the person before the membership too.
        await People(tenant.connection).lock(person_id)
        current = await _lock_membership(tenant, person_id, stays_owner=False)
        await tenant.memberships.delete(person_id)
        await end_exports_of(tenant, person_id, ())
        await _end_imports_of(tenant, person_id, ())
        is_pending = current.accepted_at is None
        await tenant.audit.add(
            AuditAction.INVITATION_WITHDRAWN if is_pending else AuditAction.MEMBERSHIP_REMOVED,
            subject_id=person_id,
            subject_name=current.email,
            details={"role": current.role},
        )


async def list_all_people(database: Database) -> list[PersonRow]:
    """Returns everybody of the installation, by e-mail address."""
    async with database.connection() as connection:
        return await People(connection).all()


async def find_person(database: Database, email: str) -> PersonRow:
    """Returns the person with an e-mail address, or refuses."""
    async with database.connection() as connection:
        existing = await People(connection).find(require_email(email))
    if existing is None:
        raise not_found("Não há uma pessoa com este e-mail.")
    return existing.person


async def set_disabled(database: Database, person_id: UUID, *, is_disabled: bool) -> None:
    """Disables a person, with their sessions and links, at once; or enables them again."""
    async with database.tenant(NIL) as installation:
        people = People(installation.connection)
        locked = await people.lock(person_id)
        if locked is None:
            raise unknown_person()
        await people.set_disabled(person_id, is_disabled=is_disabled)
        if is_disabled:
            await Sessions(installation.connection).end_all(person_id)
            await PersonLinks(installation.connection).delete_all(person_id)
            for subscription_id in await subscriptions_of(installation.connection, person_id):
                tenant = replace(installation, subscription_id=subscription_id)
                await end_exports_of(tenant, person_id, ())
                await _end_imports_of(tenant, person_id, ())
        await installation.audit.add(
            AuditAction.PERSON_CHANGED,
            subject_id=person_id,
            subject_name=locked.person.email,
            details={"disabled": is_disabled},
        )


async def _end_imports_of(tenant: Tenant, person_id: UUID, kept: Collection[UUID] | None) -> None:
    """Cancels the imports of a person, but for those of the companies `kept`; None means all companies."""
    if kept is not None:
        await tenant.imports.cancel_of_author(person_id, kept)


async def remove_operator(database: Database, person_id: UUID) -> None:
    """Makes an operator an ordinary person at once, and deletes open invitations as operator."""
    async with database.tenant(NIL) as installation:
        people = People(installation.connection)
        locked = await people.lock(person_id)
        if locked is None:
            raise unknown_person()
        was_invited = await PersonLinks(installation.connection).delete_operator_invitations(person_id)
        if not locked.person.is_operator and not was_invited:
            raise Refusal(ErrorCode.INVALID_STATE, "Esta pessoa não opera a instalação.")
        await people.remove_operator(person_id)
        await installation.audit.add(
            AuditAction.PERSON_CHANGED,
            subject_id=person_id,
            subject_name=locked.person.email,
            details={"operator": False},
        )


def unknown_person() -> Refusal:
    """Returns the refusal of an id that no person has."""
    return not_found("Pessoa não encontrada.")


async def _require_subscription(tenant: Tenant) -> None:
    if await Subscriptions(tenant.connection).get(tenant.subscription_id) is None:
        raise not_found("Assinatura não encontrada.")


async def _checked_companies(
    tenant: Tenant, role: MemberRole, company_ids: Iterable[UUID] | None
) -> frozenset[UUID] | None:
    """Returns the companies of a membership, or refuses those that the subscription does not have."""
    if company_ids is None:
        return None
    if role is MemberRole.OWNER:
        raise invalid_field("companyIds", "Proprietários têm acesso a todas as empresas.")
    companies = frozenset(company_ids)
    if not companies:
        raise invalid_field("companyIds", "Escolha ao menos uma empresa, ou todas.")
    for company_id in sorted(companies):
        if await tenant.companies.get(company_id) is None:
            raise invalid_field("companyIds", f"A assinatura não tem a empresa {company_id}.")
    return companies


async def _lock_membership(tenant: Tenant, person_id: UUID, *, stays_owner: bool) -> MembershipRow:
    """Returns a membership after locking all of the subscription; keeps the last owner."""
    memberships = {row.person_id: row for row in await tenant.memberships.lock_all()}
    current = memberships.get(person_id)
    if current is None:
        raise unknown_person()
    owners = {
        row.person_id
        for row in memberships.values()
        if row.role == MemberRole.OWNER and row.accepted_at is not None and not row.is_disabled
    }
    if owners == {person_id} and not stays_owner:
        raise Refusal(ErrorCode.INVALID_STATE, _LAST_OWNER)
    return current


def _details(role: MemberRole, companies: frozenset[UUID] | None) -> dict[str, object]:
    return {"role": role.value, "companies": None if companies is None else sorted(map(str, companies))}


def _as_seen(row: MembershipRow) -> PersonInSubscription:
    return PersonInSubscription(
        id=row.person_id,
        email=row.email,
        name=row.name,
        role=MemberRole(row.role),
        company_ids=None if row.company_ids is None else frozenset(row.company_ids),
        is_pending=row.accepted_at is None,
        invitation_expires_at=row.invitation_expires_at if row.accepted_at is None else None,
        is_disabled=row.is_disabled,
        created_at=row.created_at,
        last_signed_in_at=row.last_signed_in_at,
    )
