"""The people of a subscription: what invitations and changes refuse, and the last owner."""

import asyncio
from uuid import UUID

import pytest

from carimbo.service.errors import ErrorCode, Refusal
from carimbo.service.people.context import SignInContext
from carimbo.service.people.people import (
    change_membership,
    find_person,
    invite,
    list_all_people,
    list_people,
    remove_membership,
    set_disabled,
)
from carimbo.service.people.roles import MemberRole
from carimbo.service.people.sessions import SignedIn
from carimbo.storage.database import Database
from carimbo.storage.identifiers import new_id
from integration.people.conftest import NewPerson, NewSubscription, actions_about, new_email


async def roles_of(database: Database, subscription_id: UUID) -> dict[UUID, MemberRole]:
    return {person.id: person.role for person in await list_people(database, subscription_id)}


async def test_last_owner_can_neither_leave_nor_be_demoted(
    database: Database, context: SignInContext, ana: SignedIn, subscription_id: UUID
) -> None:
    owner_id = ana.session.person.id
    # Neither somebody who has not accepted yet nor another role counts as an owner.
    await invite(
        database, new_email(), subscription_id=subscription_id, role=MemberRole.OWNER, now=context.clock()
    )
    for change in (
        remove_membership(database, subscription_id, owner_id),
        change_membership(database, subscription_id, owner_id, role=MemberRole.ADMIN),
    ):
        with pytest.raises(Refusal) as refused:
            await change
        assert refused.value.code is ErrorCode.INVALID_STATE
    assert (await roles_of(database, subscription_id))[owner_id] is MemberRole.OWNER


async def test_disabled_owner_does_not_count_as_the_other_owner(
    database: Database, new_person: NewPerson, ana: SignedIn, subscription_id: UUID
) -> None:
    other = await new_person(subscription_id)
    await set_disabled(database, other.session.person.id, is_disabled=True)
    with pytest.raises(Refusal):
        await remove_membership(database, subscription_id, ana.session.person.id)


async def test_two_owners_who_remove_each_other_at_once_leave_one(
    database: Database, new_person: NewPerson, ana: SignedIn, subscription_id: UUID
) -> None:
    other = await new_person(subscription_id)
    results = await asyncio.gather(
        remove_membership(database, subscription_id, ana.session.person.id),
        change_membership(database, subscription_id, other.session.person.id, role=MemberRole.VIEWER),
        return_exceptions=True,
    )
    assert sum(isinstance(result, Refusal) for result in results) == 1
    assert list((await roles_of(database, subscription_id)).values()).count(MemberRole.OWNER) == 1


async def test_changes_are_in_the_audit_with_who_made_them(
    database: Database, new_person: NewPerson, ana: SignedIn, subscription_id: UUID
) -> None:
    person = (await new_person(subscription_id, MemberRole.ISSUER)).session.person
    acting = database.acting_as(ana.session.actor)
    changed = await change_membership(acting, subscription_id, person.id, role=MemberRole.ADMIN)
    assert changed.role is MemberRole.ADMIN
    await remove_membership(acting, subscription_id, person.id)
    actions = await actions_about(database, person, subscription_id)
    assert actions == ["person.invited", "person.joined", "membership.changed", "membership.removed"]
    async with database.connection() as connection:
        entry = await connection.fetchrow(
            "select * from audit_entries where subject_id = $1 and action = 'membership.changed'",
            str(person.id),
        )
    assert entry is not None
    assert entry["actor"]["id"] == str(ana.session.person.id)
    assert entry["details"] == {"previousRole": "issuer", "role": "admin", "companies": None}


async def test_members_of_another_subscription_can_not_be_changed(
    database: Database, new_person: NewPerson, new_subscription: NewSubscription, ana: SignedIn
) -> None:
    other_id = await new_subscription()
    stranger = await new_person(other_id)
    await new_person(other_id)
    own_id = ana.session.memberships[0].subscription.id
    for change in (
        remove_membership(database, own_id, stranger.session.person.id),
        change_membership(database, own_id, stranger.session.person.id, role=MemberRole.VIEWER),
    ):
        with pytest.raises(Refusal) as refused:
            await change
        assert refused.value.code is ErrorCode.NOT_FOUND
    assert (await roles_of(database, other_id))[stranger.session.person.id] is MemberRole.OWNER


class TestRefusedInvitations:
    async def invited_with(
        self, context: SignInContext, subscription_id: UUID | None, email: str | None = None, **values: object
    ) -> Refusal:
        with pytest.raises(Refusal) as refused:
            await invite(
                context.database,
                email or new_email(),
                subscription_id=subscription_id,
                now=context.clock(),
                **values,  # type: ignore[arg-type]
            )
        return refused.value

    async def test_member_is_not_invited_again(
        self, context: SignInContext, ana: SignedIn, subscription_id: UUID
    ) -> None:
        email = ana.session.person.email
        refusal = await self.invited_with(context, subscription_id, email, role=MemberRole.VIEWER)
        assert refusal.code is ErrorCode.DUPLICATE_RESOURCE
        assert (await roles_of(context.database, subscription_id))[ana.session.person.id] is MemberRole.OWNER

    async def test_invitation_needs_a_subscription_with_a_role_or_the_operator(
        self, context: SignInContext, subscription_id: UUID
    ) -> None:
        assert (await self.invited_with(context, None)).code is ErrorCode.VALIDATION_ERROR
        assert (await self.invited_with(context, subscription_id)).code is ErrorCode.VALIDATION_ERROR
        unknown = await self.invited_with(context, new_id(), role=MemberRole.OWNER)
        assert unknown.code is ErrorCode.NOT_FOUND

    @pytest.mark.parametrize("email", ["", "ana", "ana@", "a na@example.com", "aná@example.com", "\0@a.br"])
    async def test_address_must_be_an_address(self, context: SignInContext, email: str) -> None:
        with pytest.raises(Refusal) as refused:
            await invite(context.database, email, is_operator=True, now=context.clock())
        assert refused.value.code is ErrorCode.VALIDATION_ERROR

    async def test_companies_must_belong_to_the_subscription_and_owners_have_all(
        self, context: SignInContext, subscription_id: UUID
    ) -> None:
        for role, company_ids in (
            (MemberRole.VIEWER, [new_id()]),
            (MemberRole.VIEWER, []),
            (MemberRole.OWNER, [new_id()]),
        ):
            refusal = await self.invited_with(context, subscription_id, role=role, company_ids=company_ids)
            assert refusal.code is ErrorCode.VALIDATION_ERROR
        assert await list_people(context.database, subscription_id) == []


async def test_invited_account_of_another_subscription_shows_only_its_address(
    context: SignInContext, new_subscription: NewSubscription, ana: SignedIn
) -> None:
    subscription_id, email = await new_subscription(), ana.session.person.email
    await invite(
        context.database, email, subscription_id=subscription_id, role=MemberRole.VIEWER, now=context.clock()
    )
    [pending] = await list_people(context.database, subscription_id)
    assert (pending.email, pending.name, pending.last_signed_in_at) == (email, None, None)


async def test_name_that_another_subscription_gave_is_not_shown_before_the_person_accepts(
    context: SignInContext, new_subscription: NewSubscription
) -> None:
    email, first, second = new_email(), await new_subscription(), await new_subscription()
    for subscription_id, name in ((first, "Ana Lima"), (second, None)):
        await invite(
            context.database,
            email,
            name,
            subscription_id=subscription_id,
            role=MemberRole.VIEWER,
            now=context.clock(),
        )
    [pending] = await list_people(context.database, second)
    assert (pending.email, pending.name) == (email, None)


async def test_operator_finds_everybody(database: Database, ana: SignedIn) -> None:
    assert ana.session.person.id in {person.id for person in await list_all_people(database)}
    assert (await find_person(database, ana.session.person.email.upper())).id == ana.session.person.id
    with pytest.raises(Refusal) as refused:
        await set_disabled(database, new_id(), is_disabled=True)
    assert refused.value.code is ErrorCode.NOT_FOUND
