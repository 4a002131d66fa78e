"""Sessions: how long they last, what ends them, and the confirmation of who uses them."""

import asyncio
from uuid import UUID

import pytest

from carimbo.service.errors import ErrorCode, Refusal
from carimbo.service.people.context import SignInContext
from carimbo.service.people.people import change_membership, invite, remove_membership, set_disabled
from carimbo.service.people.roles import Capability, MemberRole
from carimbo.service.people.sessions import (
    Session,
    SignedIn,
    confirm_identity,
    end_other_sessions,
    end_session,
    find_session,
    list_sessions,
    sign_out,
)
from carimbo.service.people.sign_in import change_name, change_password, sign_in_with_password
from carimbo.storage.database import Database
from integration.people.conftest import (
    OTHER_PASSWORD,
    PASSWORD,
    NewPerson,
    NewSubscription,
    actions_about,
    authors_of,
    new_visitor,
)


async def age(database: Database, session: Session, **columns: str) -> None:
    """Moves times of a session into the past, each by an interval."""
    async with database.connection() as connection:
        for column, interval in columns.items():
            await connection.execute(
                f"update sessions set {column} = {column} - interval '{interval}' where id = $1", session.id
            )


async def again(context: SignInContext, ana: SignedIn) -> SignedIn:
    """Signs the same person in once more."""
    signed_in = await sign_in_with_password(context, ana.session.person.email, PASSWORD, None, new_visitor())
    assert isinstance(signed_in, SignedIn)
    return signed_in


class TestLifetime:
    async def test_session_that_was_not_used_for_12_hours_has_ended(
        self, database: Database, ana: SignedIn
    ) -> None:
        await age(database, ana.session, seen_at="11 hours 59 minutes")
        assert await find_session(database, ana.token)
        await age(database, ana.session, seen_at="12 hours 1 minute")
        assert await find_session(database, ana.token) is None
        assert await list_sessions(database, ana.session.person.id) == []

    async def test_session_ends_after_14_days_however_much_it_is_used(
        self, database: Database, ana: SignedIn
    ) -> None:
        await age(database, ana.session, expires_at="13 days 23 hours")
        assert await find_session(database, ana.token)
        await age(database, ana.session, expires_at="2 hours")
        assert await find_session(database, ana.token) is None

    async def test_use_of_a_session_is_stored_at_most_once_a_minute(
        self, database: Database, ana: SignedIn
    ) -> None:
        await age(database, ana.session, seen_at="50 seconds")
        before = (await list_sessions(database, ana.session.person.id))[0].seen_at
        await find_session(database, ana.token)
        assert (await list_sessions(database, ana.session.person.id))[0].seen_at == before
        await age(database, ana.session, seen_at="20 seconds")
        await find_session(database, ana.token)
        assert (await list_sessions(database, ana.session.person.id))[0].seen_at > before

    async def test_next_sign_in_deletes_the_sessions_that_have_ended(
        self, database: Database, context: SignInContext, ana: SignedIn
    ) -> None:
        await age(database, ana.session, seen_at="13 hours")
        await again(context, ana)
        async with database.connection() as connection:
            assert not await connection.fetchval(
                "select exists (select from sessions where id = $1)", ana.session.id
            )


class TestAccess:
    async def test_disabled_person_has_no_session_any_more_even_when_enabled_again(
        self, database: Database, ana: SignedIn
    ) -> None:
        person = ana.session.person
        await set_disabled(database, person.id, is_disabled=True)
        assert await find_session(database, ana.token) is None
        await set_disabled(database, person.id, is_disabled=False)
        assert await find_session(database, ana.token) is None

    async def test_disabled_person_is_refused_even_if_a_session_was_started_meanwhile(
        self, database: Database, ana: SignedIn
    ) -> None:
        async with database.connection() as connection:
            await connection.execute(
                "update people set disabled_at = now() where id = $1", ana.session.person.id
            )
        assert await find_session(database, ana.token) is None

    async def test_change_of_role_takes_effect_at_the_next_request(
        self, database: Database, new_person: NewPerson, subscription_id: UUID
    ) -> None:
        await new_person(subscription_id)
        issuer = await new_person(subscription_id, MemberRole.ISSUER)
        await change_membership(database, subscription_id, issuer.session.person.id, role=MemberRole.VIEWER)
        session = await find_session(database, issuer.token)
        assert session is not None
        membership = session.membership_in(subscription_id)
        assert membership is not None
        assert Capability.ISSUE_DOCUMENTS not in membership.capabilities

    async def test_removed_person_keeps_the_other_subscriptions(
        self,
        context: SignInContext,
        new_person: NewPerson,
        new_subscription: NewSubscription,
        ana: SignedIn,
        subscription_id: UUID,
    ) -> None:
        from carimbo.service.people.sign_in import join_by_link

        second = await new_subscription()
        await new_person(second)
        person = ana.session.person
        invitation = await invite(
            context.database, person.email, subscription_id=second, role=MemberRole.ADMIN, now=context.clock()
        )
        await join_by_link(context, ana.session, invitation.token)
        await remove_membership(context.database, second, person.id)
        session = await find_session(context.database, ana.token)
        assert session is not None
        assert [membership.subscription.id for membership in session.memberships] == [subscription_id]
        assert session.membership_in(second) is None

    async def test_person_of_some_companies_may_see_only_those(
        self, database: Database, new_person: NewPerson, ana: SignedIn, subscription_id: UUID
    ) -> None:
        from carimbo.storage.identifiers import new_id

        company_id = new_id()
        async with database.connection() as connection:
            await connection.execute(
                "insert into companies (subscription_id, id, tax_id, legal_name)"
                " values ($1, $2, '11222333000181', 'Loja')",
                subscription_id,
                company_id,
            )
        viewer = await new_person(subscription_id, MemberRole.VIEWER, [company_id])
        [membership] = viewer.session.memberships
        assert membership.may_see(company_id)
        assert not membership.may_see(new_id())
        assert ana.session.memberships[0].may_see(new_id())


class TestConfirmation:
    async def test_confirmation_makes_a_session_fresh_and_replaces_its_token(
        self, context: SignInContext, database: Database, ana: SignedIn
    ) -> None:
        await age(database, ana.session, authenticated_at="11 minutes")
        session = await find_session(database, ana.token)
        assert session is not None and not session.is_fresh(context.clock())
        confirmed = await confirm_identity(context, session, PASSWORD, None, new_visitor())
        assert isinstance(confirmed, SignedIn)
        assert confirmed.session.is_fresh(context.clock())
        assert (confirmed.session.id, confirmed.session.form_token) == (session.id, session.form_token)
        assert await find_session(database, ana.token) is None

    async def test_wrong_password_confirms_nothing(
        self, context: SignInContext, database: Database, ana: SignedIn
    ) -> None:
        with pytest.raises(Refusal) as refused:
            await confirm_identity(context, ana.session, OTHER_PASSWORD, None, new_visitor())
        assert refused.value.code is ErrorCode.INVALID_SIGN_IN
        assert await find_session(database, ana.token)

    async def test_sixth_confirmation_of_a_session_waits_wherever_it_comes_from(
        self, context: SignInContext, ana: SignedIn
    ) -> None:
        codes = []
        for _ in range(6):
            with pytest.raises(Refusal) as refused:
                await confirm_identity(context, ana.session, OTHER_PASSWORD, None, new_visitor())
            codes.append(refused.value.code)
        assert codes == [ErrorCode.INVALID_SIGN_IN] * 5 + [ErrorCode.RATE_LIMIT_EXCEEDED]

    async def test_session_that_ended_meanwhile_is_not_renewed(
        self, context: SignInContext, database: Database, ana: SignedIn
    ) -> None:
        await sign_out(database, ana.session)
        with pytest.raises(Refusal) as refused:
            await confirm_identity(context, ana.session, PASSWORD, None, new_visitor())
        assert refused.value.code is ErrorCode.INVALID_SIGN_IN

    async def test_password_is_only_changed_by_a_fresh_session(
        self, context: SignInContext, database: Database, ana: SignedIn
    ) -> None:
        await age(database, ana.session, authenticated_at="11 minutes")
        session = await find_session(database, ana.token)
        assert session is not None
        with pytest.raises(Refusal) as refused:
            await change_password(context, session, OTHER_PASSWORD)
        assert refused.value.code is ErrorCode.CONFIRMATION_REQUIRED

    async def test_changes_of_the_password_are_limited(self, context: SignInContext, ana: SignedIn) -> None:
        codes = []
        for _ in range(21):
            with pytest.raises(Refusal) as refused:
                await change_password(context, ana.session, "short")
            codes.append(refused.value.code)
        assert codes == [ErrorCode.VALIDATION_ERROR] * 20 + [ErrorCode.RATE_LIMIT_EXCEEDED]


class TestEnds:
    async def test_person_sees_and_ends_each_session(
        self, context: SignInContext, database: Database, ana: SignedIn
    ) -> None:
        person_id = ana.session.person.id
        other = await again(context, ana)
        listed = await list_sessions(database, person_id)
        assert {session.id for session in listed} == {ana.session.id, other.session.id}
        assert {session.user_agent for session in listed} == {"Navegador/1.0"}
        await end_session(database, person_id, other.session.id)
        assert await find_session(database, other.token) is None
        with pytest.raises(Refusal) as refused:
            await end_session(database, person_id, other.session.id)
        assert refused.value.code is ErrorCode.NOT_FOUND

    async def test_session_of_another_person_can_not_be_ended(
        self, database: Database, new_person: NewPerson, ana: SignedIn
    ) -> None:
        stranger = await new_person()
        with pytest.raises(Refusal):
            await end_session(database, stranger.session.person.id, ana.session.id)
        assert await find_session(database, ana.token)

    async def test_ending_the_others_keeps_this_session_and_ends_copies_of_its_cookie(
        self, context: SignInContext, database: Database, new_person: NewPerson, ana: SignedIn
    ) -> None:
        others = [await again(context, ana) for _ in range(2)]
        stranger = await new_person()
        await age(database, ana.session, authenticated_at="11 minutes")
        token = await end_other_sessions(database, ana.session)
        ended = [ana.token, *(other.token for other in others)]
        assert [await find_session(database, former) for former in ended] == [None, None, None]
        session = await find_session(database, token)
        assert session is not None and session.id == ana.session.id
        assert not session.is_fresh(context.clock())
        assert await find_session(database, stranger.token)

    async def test_signing_out_twice_ends_the_session_once(self, database: Database, ana: SignedIn) -> None:
        await asyncio.gather(sign_out(database, ana.session), sign_out(database, ana.session))
        assert await find_session(database, ana.token) is None
        actions = await actions_about(database, ana.session.person)
        assert actions.count("session.ended") == 1

    async def test_author_of_its_end_is_the_person_of_the_session(
        self, database: Database, ana: SignedIn
    ) -> None:
        await sign_out(database, ana.session)
        [author] = await authors_of(database, "session.ended", ana.session.person)
        assert author == ana.session.actor.as_json()

    async def test_new_password_ends_the_other_sessions_and_replaces_the_old_one(
        self, context: SignInContext, database: Database, ana: SignedIn
    ) -> None:
        other = await again(context, ana)
        token = await change_password(context, ana.session, OTHER_PASSWORD)
        assert await find_session(database, other.token) is None
        assert await find_session(database, ana.token) is None
        session = await find_session(database, token)
        assert session is not None and session.id == ana.session.id
        with pytest.raises(Refusal):
            await again(context, ana)
        email = ana.session.person.email
        assert isinstance(
            await sign_in_with_password(context, email, OTHER_PASSWORD, None, new_visitor()), SignedIn
        )


async def test_actor_without_a_name_does_not_show_the_e_mail_address(
    context: SignInContext, database: Database, ana: SignedIn
) -> None:
    await change_name(context, ana.session, " ")
    session = await find_session(database, ana.token)
    assert session is not None
    assert f"{session.actor.name}@example.com" == session.person.email


async def test_changed_name_is_the_name_in_the_audit(
    context: SignInContext, database: Database, ana: SignedIn
) -> None:
    await change_name(context, ana.session, "  Ana   Souza ")
    session = await find_session(database, ana.token)
    assert session is not None and session.actor.name == "Ana Souza"
    for name in ("x" * 101, "Ana\u202eSouza"):
        with pytest.raises(Refusal) as refused:
            await change_name(context, ana.session, name)
        assert refused.value.code is ErrorCode.VALIDATION_ERROR
