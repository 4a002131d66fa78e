"""Signing in by password."""

import hashlib
from dataclasses import replace
from datetime import timedelta
from uuid import UUID

import pytest
from argon2 import PasswordHasher, extract_parameters

from carimbo.service.errors import ErrorCode, Refusal
from carimbo.service.people.context import SignInContext, Visitor
from carimbo.service.people.passwords import Passwords
from carimbo.service.people.people import invite, set_disabled
from carimbo.service.people.roles import MemberRole
from carimbo.service.people.sessions import SignedIn, SignInMethod, confirm_identity, find_session
from carimbo.service.people.sign_in import sign_in_with_password
from carimbo.storage.database import Database
from carimbo.storage.people import People
from integration.people.conftest import (
    OTHER_PASSWORD,
    PASSWORD,
    NewPerson,
    actions_about,
    new_email,
    new_visitor,
)


async def sign_in(context: SignInContext, email: str, password: str = PASSWORD) -> SignedIn:
    signed_in = await sign_in_with_password(context, email, password, None, new_visitor())
    assert isinstance(signed_in, SignedIn)
    return signed_in


async def refusal_of(
    context: SignInContext, email: str, password: str, visitor: Visitor | None = None
) -> Refusal:
    with pytest.raises(Refusal) as refused:
        await sign_in_with_password(context, email, password, None, visitor or new_visitor())
    return refused.value


async def test_right_password_starts_a_session_with_the_memberships_of_the_person(
    context: SignInContext, new_person: NewPerson, subscription_id: UUID
) -> None:
    person = (await new_person(subscription_id, MemberRole.ISSUER)).session.person
    session = (await sign_in(context, f"  {person.email.upper()} ")).session
    assert session.person.id == person.id
    assert session.method is SignInMethod.PASSWORD
    [membership] = session.memberships
    assert (membership.subscription.id, membership.role) == (subscription_id, MemberRole.ISSUER)
    assert membership.subscription.plan.name == "unlimited"
    assert session.actor.name == "Ana Lima"


async def test_every_sign_in_has_another_token_of_which_only_the_hash_is_stored(
    context: SignInContext, ana: SignedIn
) -> None:
    email = ana.session.person.email
    signed_in = await sign_in(context, email)
    assert signed_in.token not in {ana.token, (await sign_in(context, email)).token}
    async with context.database.connection() as connection:
        row = await connection.fetchrow("select * from sessions where id = $1", signed_in.session.id)
    assert row is not None
    assert row["hash"] == hashlib.sha256(signed_in.token.encode()).digest()
    assert signed_in.token not in map(str, row.values())


async def test_sign_in_is_in_the_audit_with_its_person(context: SignInContext, ana: SignedIn) -> None:
    person = ana.session.person
    await sign_in(context, person.email)
    assert (await actions_about(context.database, person))[-1] == "session.started"


async def test_refusals_do_not_show_which_accounts_exist(
    context: SignInContext, new_person: NewPerson, subscription_id: UUID
) -> None:
    person = (await new_person(subscription_id)).session.person
    disabled = (await new_person(subscription_id)).session.person
    await set_disabled(context.database, disabled.id, is_disabled=True)
    invited = await invite(context.database, new_email(), is_operator=True, now=context.clock())
    attempts = {
        "unknown": (new_email(), PASSWORD),
        "no address": ("\0ana", PASSWORD),
        "wrong": (person.email, OTHER_PASSWORD),
        "empty": (person.email, ""),
        "too long": (person.email, PASSWORD * 100),
        "disabled": (disabled.email, PASSWORD),
        "without password": (invited.person.email, ""),
    }
    refusals = {name: await refusal_of(context, *attempt) for name, attempt in attempts.items()}
    assert {(refusal.code, refusal.message, refusal.details is None) for refusal in refusals.values()} == {
        (ErrorCode.INVALID_SIGN_IN, "E-mail ou senha incorretos.", True)
    }


class CountingHasher(PasswordHasher):
    """Counts how often a hash is computed to verify a password."""

    count = 0

    def verify(self, *values: str | bytes) -> bool:  # type: ignore[override]
        self.count += 1
        return super().verify(*values)


async def test_unknown_account_costs_a_hash_as_well(context: SignInContext) -> None:
    hasher = CountingHasher(time_cost=1, memory_cost=8, parallelism=1)
    context = replace(context, passwords=Passwords(hasher))
    for email in (new_email(), "no address"):
        hasher.count = 0
        await refusal_of(context, email, PASSWORD)
        assert hasher.count == 1


async def test_password_with_decomposed_accents_is_the_same(
    context: SignInContext, new_person: NewPerson, database: Database
) -> None:
    person = (await new_person()).session.person
    async with database.connection() as connection:
        composed = await context.passwords.hash("coração de leão ao sol")
        await People(connection).set_password(person.id, composed)
    await sign_in(context, person.email, "corac\u0327a\u0303o de lea\u0303o ao sol")


async def test_hash_is_renewed_when_its_parameters_have_changed(
    context: SignInContext, ana: SignedIn, database: Database
) -> None:
    person = ana.session.person
    stronger = replace(
        context, passwords=Passwords(PasswordHasher(time_cost=2, memory_cost=8, parallelism=1))
    )
    await sign_in(stronger, person.email)
    async with database.connection() as connection:
        stored = await People(connection).get(person.id)
    assert stored is not None and stored.password_hash is not None
    assert extract_parameters(stored.password_hash).time_cost == 2
    await sign_in(stronger, person.email)


async def test_sixth_attempt_on_an_account_waits_even_with_the_right_password(
    context: SignInContext, ana: SignedIn
) -> None:
    for email in (ana.session.person.email, new_email()):
        visitor = new_visitor()
        for _ in range(5):
            refusal = await refusal_of(context, email, OTHER_PASSWORD, visitor)
            assert refusal.code is ErrorCode.INVALID_SIGN_IN
        throttled = await refusal_of(context, email, PASSWORD, visitor)
        assert throttled.code is ErrorCode.RATE_LIMIT_EXCEEDED
        assert throttled.details is not None and 1 <= throttled.details["retryAfter"] <= 30


async def test_stranger_with_wrong_passwords_does_not_lock_an_account_for_its_person(
    context: SignInContext, ana: SignedIn
) -> None:
    email, stranger = ana.session.person.email, new_visitor()
    codes = [(await refusal_of(context, email, OTHER_PASSWORD, stranger)).code for _ in range(25)]
    assert ErrorCode.RATE_LIMIT_EXCEEDED in codes
    await sign_in(context, email)


async def test_account_is_limited_over_all_networks(context: SignInContext, ana: SignedIn) -> None:
    email = ana.session.person.email
    codes = [(await refusal_of(context, email, OTHER_PASSWORD)).code for _ in range(21)]
    assert set(codes[:20]) == {ErrorCode.INVALID_SIGN_IN}
    assert codes[20] is ErrorCode.RATE_LIMIT_EXCEEDED
    # A person who is signed in can still confirm who they are.
    assert isinstance(await confirm_identity(context, ana.session, PASSWORD, None, new_visitor()), SignedIn)


async def test_thirty_first_attempt_from_an_address_waits_whatever_the_accounts(
    context: SignInContext,
) -> None:
    visitor = new_visitor()
    codes = [(await refusal_of(context, new_email(), PASSWORD, visitor)).code for _ in range(31)]
    # An attempt is admitted again after two seconds, which a slow machine may need for all of these.
    assert ErrorCode.RATE_LIMIT_EXCEEDED in codes
    assert ErrorCode.RATE_LIMIT_EXCEEDED not in codes[:30]


async def test_old_rate_limits_are_deleted(database: Database, context: SignInContext) -> None:
    from carimbo.storage.rate_limits import Rate, admit, delete_old_rate_limits

    key = UUID(int=UUID(new_email()[:32]).int)
    async with database.connection() as connection:
        await admit(connection, key, Rate(1, timedelta(hours=2)))
        await delete_old_rate_limits(connection)
        assert await admit(connection, key, Rate(1, timedelta(hours=2))) is not None
        await connection.execute(
            "update rate_limits set arrival_at = now() - interval '2 hours' where subscription_id = $1", key
        )
        await delete_old_rate_limits(connection)
        assert not await connection.fetchval(
            "select count(*) from rate_limits where subscription_id = $1", key
        )


async def test_token_of_another_form_is_no_session(context: SignInContext, ana: SignedIn) -> None:
    for token in ("", "x", ana.token[:-1], ana.token + "=", "\ud800" * 43, "é" * 43):
        assert await find_session(context.database, token) is None
