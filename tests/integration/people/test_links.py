"""Links of invitations, of resets and of the demo."""

import asyncio
from datetime import timedelta
from uuid import UUID

import pytest

from carimbo.service.errors import ErrorCode, Refusal
from carimbo.service.people.context import LinkPurpose, SignInContext
from carimbo.service.people.identity import CodeNeeded
from carimbo.service.people.new_links import DEMO_EMAIL, create_reset_link, demo_sign_in_link
from carimbo.service.people.people import (
    Invitation,
    invite,
    list_people,
    remove_membership,
    remove_operator,
    set_disabled,
)
from carimbo.service.people.roles import MemberRole
from carimbo.service.people.second_factor import begin_second_factor, enable_second_factor
from carimbo.service.people.sessions import SessionEnded, SignedIn, SignInMethod, find_session, sign_out
from carimbo.service.people.sign_in import join_by_link, open_link, sign_in_with_password, use_link
from carimbo.storage.people import People
from integration.people.codes import code_at
from integration.people.conftest import (
    OTHER_PASSWORD,
    PASSWORD,
    MovedClock,
    NewPerson,
    NewSubscription,
    actions_about,
    new_email,
    new_visitor,
)
from support import BLOCKED_SESSIONS, TIMEOUT_SECONDS, wait_until_true

INVITATION, RESET, SIGN_IN = LinkPurpose.INVITATION, LinkPurpose.RESET, LinkPurpose.SIGN_IN


async def invitation_to(
    context: SignInContext,
    subscription_id: UUID,
    email: str | None = None,
    role: MemberRole = MemberRole.OWNER,
) -> Invitation:
    return await invite(
        context.database,
        email or new_email(),
        subscription_id=subscription_id,
        role=role,
        now=context.clock(),
    )


async def accept(context: SignInContext, token: str, password: str | None = PASSWORD) -> SignedIn:
    signed_in = await use_link(context, token, INVITATION, new_visitor(), password=password)
    assert isinstance(signed_in, SignedIn)
    return signed_in


async def refusal_of_link(
    context: SignInContext, token: str, purpose: LinkPurpose = INVITATION, password: str | None = PASSWORD
) -> Refusal:
    with pytest.raises(Refusal) as refused:
        await use_link(context, token, purpose, new_visitor(), password=password)
    return refused.value


class TestInvitations:
    async def test_link_opens_without_being_used_and_gives_access_only_when_used(
        self, context: SignInContext, subscription_id: UUID
    ) -> None:
        invitation = await invitation_to(context, subscription_id)
        for _ in range(2):
            person = await open_link(context, invitation.token, INVITATION, new_visitor())
            assert (person.email, person.has_account) == (invitation.person.email, False)
        [pending] = await list_people(context.database, subscription_id)
        assert pending.is_pending and pending.invitation_expires_at == invitation.expires_at
        session = (await accept(context, invitation.token)).session
        assert session.method is SignInMethod.LINK
        assert [(m.subscription.id, m.role) for m in session.memberships] == [
            (subscription_id, MemberRole.OWNER)
        ]
        [joined] = await list_people(context.database, subscription_id)
        assert not joined.is_pending and joined.invitation_expires_at is None
        actions = await actions_about(context.database, session.person, subscription_id)
        assert actions == ["person.invited", "person.joined"]

    async def test_link_that_is_used_twice_at_once_signs_in_once(
        self, context: SignInContext, subscription_id: UUID
    ) -> None:
        token = (await invitation_to(context, subscription_id)).token
        results = await asyncio.gather(*(accept(context, token) for _ in range(4)), return_exceptions=True)
        refusals = [result for result in results if isinstance(result, Refusal)]
        assert len(refusals) == 3
        assert {refusal.code for refusal in refusals} == {ErrorCode.LINK_INVALID}

    async def test_link_expires_after_a_day(
        self, context: SignInContext, clock: MovedClock, subscription_id: UUID
    ) -> None:
        clock.offset = -timedelta(hours=23, minutes=59)
        in_time = await invitation_to(context, subscription_id)
        clock.offset = -timedelta(hours=24, minutes=1)
        late = await invitation_to(context, subscription_id)
        assert await open_link(context, in_time.token, INVITATION, new_visitor())
        assert (await refusal_of_link(context, late.token)).code is ErrorCode.LINK_INVALID

    async def test_link_works_for_its_own_purpose_only(
        self, context: SignInContext, subscription_id: UUID, ana: SignedIn
    ) -> None:
        token = (await invitation_to(context, subscription_id)).token
        for purpose in (RESET, SIGN_IN):
            assert (await refusal_of_link(context, token, purpose)).code is ErrorCode.LINK_INVALID
        reset = await create_reset_link(context.database, ana.session.person.email, context.clock())
        assert (await refusal_of_link(context, reset.token, SIGN_IN)).code is ErrorCode.LINK_INVALID
        assert (await refusal_of_link(context, "no-such-link")).code is ErrorCode.LINK_INVALID

    async def test_new_invitation_replaces_the_earlier_one(
        self, context: SignInContext, subscription_id: UUID
    ) -> None:
        first = await invitation_to(context, subscription_id)
        second = await invitation_to(context, subscription_id, first.person.email, MemberRole.VIEWER)
        assert (await refusal_of_link(context, first.token)).code is ErrorCode.LINK_INVALID
        [membership] = (await accept(context, second.token)).session.memberships
        assert membership.role is MemberRole.VIEWER

    async def test_withdrawn_invitation_and_disabled_person_are_refused(
        self, context: SignInContext, subscription_id: UUID
    ) -> None:
        withdrawn = await invitation_to(context, subscription_id)
        await remove_membership(context.database, subscription_id, withdrawn.person.id)
        assert (await refusal_of_link(context, withdrawn.token)).code is ErrorCode.LINK_INVALID
        disabled = await invitation_to(context, subscription_id)
        await set_disabled(context.database, disabled.person.id, is_disabled=True)
        assert (await refusal_of_link(context, disabled.token)).code is ErrorCode.LINK_INVALID
        with pytest.raises(Refusal) as refused:
            await invitation_to(context, subscription_id, disabled.person.email)
        assert refused.value.code is ErrorCode.INVALID_STATE

    async def test_links_from_before_a_person_was_disabled_stay_useless_when_enabled_again(
        self, context: SignInContext, subscription_id: UUID, ana: SignedIn
    ) -> None:
        person = ana.session.person
        reset = await create_reset_link(context.database, person.email, context.clock())
        guest = await invitation_to(context, subscription_id)
        for person_id in (person.id, guest.person.id):
            await set_disabled(context.database, person_id, is_disabled=True)
            await set_disabled(context.database, person_id, is_disabled=False)
        assert (await refusal_of_link(context, reset.token, RESET)).code is ErrorCode.LINK_INVALID
        assert (await refusal_of_link(context, guest.token)).code is ErrorCode.LINK_INVALID

    async def test_disabled_person_gets_no_link_for_a_new_password(
        self, context: SignInContext, ana: SignedIn
    ) -> None:
        await set_disabled(context.database, ana.session.person.id, is_disabled=True)
        with pytest.raises(Refusal) as refused:
            await create_reset_link(context.database, ana.session.person.email, context.clock())
        assert refused.value.code is ErrorCode.INVALID_STATE

    async def test_invitation_that_is_withdrawn_while_it_is_accepted_ends_without_a_deadlock(
        self, context: SignInContext, subscription_id: UUID
    ) -> None:
        invitation = await invitation_to(context, subscription_id, role=MemberRole.VIEWER)
        person_id = invitation.person.id
        async with context.database.connection() as watching:
            # As accepting does: first the person, then the membership.
            async with context.database.tenant(subscription_id) as accepting:
                await People(accepting.connection).lock(person_id)
                withdrawal = asyncio.create_task(
                    remove_membership(context.database, subscription_id, person_id)
                )
                await wait_until_true(watching.fetch, f"{BLOCKED_SESSIONS} > 0", TIMEOUT_SECONDS)
                await accepting.memberships.accept(person_id)
            await withdrawal
        assert person_id not in {each.id for each in await list_people(context.database, subscription_id)}

    async def test_refused_password_does_not_use_the_link_up(
        self, context: SignInContext, subscription_id: UUID
    ) -> None:
        token = (await invitation_to(context, subscription_id)).token
        for password in (None, "", "short"):
            refusal = await refusal_of_link(context, token, password=password)
            assert refusal.code is ErrorCode.VALIDATION_ERROR
        await accept(context, token)

    async def test_operator_invitation_makes_an_operator_only_when_it_is_used(
        self, context: SignInContext, subscription_id: UUID
    ) -> None:
        email = new_email()
        operator = await invite(context.database, email, is_operator=True, now=context.clock())
        member = await accept(context, (await invitation_to(context, subscription_id, email)).token)
        assert not member.session.person.is_operator
        assert await join_by_link(context, member.session, operator.token) is None
        session = await find_session(context.database, member.token)
        assert session is not None and session.person.is_operator


class TestFormerOperators:
    async def test_removed_operator_is_an_ordinary_person_at_once(
        self, context: SignInContext, new_person: NewPerson
    ) -> None:
        operator = await new_person()
        assert operator.session.person.is_operator
        await remove_operator(context.database, operator.session.person.id)
        session = await find_session(context.database, operator.token)
        assert session is not None and not session.person.is_operator
        assert (await actions_about(context.database, session.person))[-1] == "person.changed"
        with pytest.raises(Refusal) as refused:
            await remove_operator(context.database, operator.session.person.id)
        assert refused.value.code is ErrorCode.INVALID_STATE

    async def test_open_invitation_as_operator_ends_and_that_of_a_subscription_stays(
        self, context: SignInContext, subscription_id: UUID
    ) -> None:
        email = new_email()
        as_operator = await invite(context.database, email, is_operator=True, now=context.clock())
        as_member = await invitation_to(context, subscription_id, email)
        await remove_operator(context.database, as_operator.person.id)
        assert (await refusal_of_link(context, as_operator.token)).code is ErrorCode.LINK_INVALID
        await accept(context, as_member.token)


class TestInvitationsOfExistingAccounts:
    """A person who invites another may hold the link: it must not open the account."""

    async def test_invitation_of_an_existing_account_does_not_sign_in(
        self, context: SignInContext, new_subscription: NewSubscription, ana: SignedIn
    ) -> None:
        invitation = await invitation_to(context, await new_subscription(), ana.session.person.email)
        refusal = await refusal_of_link(context, invitation.token, password=OTHER_PASSWORD)
        assert refusal.code is ErrorCode.INVALID_STATE
        assert "entre nela" in refusal.message
        email = ana.session.person.email
        with pytest.raises(Refusal):
            await sign_in_with_password(context, email, OTHER_PASSWORD, None, new_visitor())

    async def test_its_owner_accepts_it_with_a_session_and_only_once(
        self, context: SignInContext, new_subscription: NewSubscription, ana: SignedIn
    ) -> None:
        subscription_id = await new_subscription()
        invitation = await invitation_to(context, subscription_id, ana.session.person.email)
        pending = await find_session(context.database, ana.token)
        assert pending is not None and pending.membership_in(subscription_id) is None
        assert await join_by_link(context, ana.session, invitation.token) == subscription_id
        session = await find_session(context.database, ana.token)
        assert session is not None and session.membership_in(subscription_id) is not None
        with pytest.raises(Refusal) as refused:
            await join_by_link(context, ana.session, invitation.token)
        assert refused.value.code is ErrorCode.LINK_INVALID

    async def test_session_that_ended_accepts_nothing(
        self, context: SignInContext, new_subscription: NewSubscription, ana: SignedIn
    ) -> None:
        invitation = await invitation_to(context, await new_subscription(), ana.session.person.email)
        await sign_out(context.database, ana.session)
        with pytest.raises(SessionEnded):
            await join_by_link(context, ana.session, invitation.token)

    async def test_another_account_can_not_accept_it(
        self,
        context: SignInContext,
        new_subscription: NewSubscription,
        new_person: NewPerson,
        ana: SignedIn,
    ) -> None:
        invitation = await invitation_to(context, await new_subscription(), ana.session.person.email)
        stranger = await new_person()
        with pytest.raises(Refusal) as refused:
            await join_by_link(context, stranger.session, invitation.token)
        assert refused.value.code is ErrorCode.LINK_INVALID

    async def test_link_of_one_subscription_does_not_open_another_that_invited_the_same_person(
        self, context: SignInContext, new_subscription: NewSubscription
    ) -> None:
        first, second, email = await new_subscription(), await new_subscription(), new_email()
        link_of_first = (await invitation_to(context, first, email)).token
        link_of_second = (await invitation_to(context, second, email)).token
        session = (await accept(context, link_of_first)).session
        assert [membership.subscription.id for membership in session.memberships] == [first]
        assert (await refusal_of_link(context, link_of_second)).code is ErrorCode.INVALID_STATE

    async def test_two_invitations_accepted_at_once_open_one_account(
        self, context: SignInContext, new_subscription: NewSubscription
    ) -> None:
        email = new_email()
        tokens = [(await invitation_to(context, await new_subscription(), email)).token for _ in range(2)]
        results = await asyncio.gather(
            *(accept(context, token, f"{PASSWORD} {token}") for token in tokens), return_exceptions=True
        )
        [refusal] = [result for result in results if isinstance(result, Refusal)]
        assert refusal.code is ErrorCode.INVALID_STATE


class TestResets:
    async def test_reset_replaces_the_password_and_ends_all_sessions(
        self, context: SignInContext, ana: SignedIn
    ) -> None:
        email = ana.session.person.email
        first, second = [await create_reset_link(context.database, email, context.clock()) for _ in range(2)]
        signed_in = await use_link(context, first.token, RESET, new_visitor(), password=OTHER_PASSWORD)
        assert isinstance(signed_in, SignedIn)
        assert await find_session(context.database, ana.token) is None
        assert (await refusal_of_link(context, second.token, RESET)).code is ErrorCode.LINK_INVALID
        with pytest.raises(Refusal):
            await sign_in_with_password(context, email, PASSWORD, None, new_visitor())
        await sign_in_with_password(context, email, OTHER_PASSWORD, None, new_visitor())

    async def test_reset_alone_does_not_pass_the_second_factor(
        self, context: SignInContext, ana: SignedIn
    ) -> None:
        begun = await begin_second_factor(context, ana.session)
        await enable_second_factor(context, ana.session, code_at(begun.secret, context.clock()))
        email = ana.session.person.email
        reset = await create_reset_link(context.database, email, context.clock())
        result = await use_link(context, reset.token, RESET, new_visitor(), password=OTHER_PASSWORD)
        assert result == CodeNeeded()
        assert await find_session(context.database, ana.token) is None
        needs_code = await sign_in_with_password(context, email, OTHER_PASSWORD, None, new_visitor())
        assert needs_code == CodeNeeded()

    async def test_second_factor_protects_until_the_link_that_removes_it_is_used(
        self, context: SignInContext, ana: SignedIn
    ) -> None:
        begun = await begin_second_factor(context, ana.session)
        await enable_second_factor(context, ana.session, code_at(begun.secret, context.clock()))
        email = ana.session.person.email
        reset = await create_reset_link(context.database, email, context.clock(), removes_second_factor=True)
        unused = await sign_in_with_password(context, email, PASSWORD, None, new_visitor())
        assert unused == CodeNeeded()
        assert isinstance(
            await use_link(context, reset.token, RESET, new_visitor(), password=OTHER_PASSWORD), SignedIn
        )
        actions = await actions_about(context.database, ana.session.person)
        assert "secondFactor.disabled" in actions

    async def test_reset_of_an_unknown_person_is_refused(self, context: SignInContext) -> None:
        with pytest.raises(Refusal) as refused:
            await create_reset_link(context.database, new_email(), context.clock())
        assert refused.value.code is ErrorCode.NOT_FOUND


async def test_demo_link_signs_the_operator_and_owner_in_as_often_as_it_is_opened(
    context: SignInContext, new_subscription: NewSubscription
) -> None:
    subscription_id = await new_subscription()
    tokens = [await demo_sign_in_link(context.database, subscription_id, context.clock()) for _ in range(2)]
    for token in (*tokens, *tokens):
        signed_in = await use_link(context, token, SIGN_IN, new_visitor())
        assert isinstance(signed_in, SignedIn)
        person = signed_in.session.person
        assert (person.email, person.name, person.is_operator) == (
            DEMO_EMAIL,
            "Pessoa da demonstração",
            True,
        )
        membership = signed_in.session.membership_in(subscription_id)
        assert membership is not None and membership.role is MemberRole.OWNER
    assert [person.email for person in await list_people(context.database, subscription_id)] == [DEMO_EMAIL]
