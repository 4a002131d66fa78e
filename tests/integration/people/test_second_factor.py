"""The second factor: enabling, the codes at sign-in, disabling."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta

import pytest

from carimbo.service.errors import ErrorCode, Refusal
from carimbo.service.people.context import SignInContext
from carimbo.service.people.identity import CodeNeeded
from carimbo.service.people.second_factor import (
    begin_second_factor,
    disable_second_factor,
    enable_second_factor,
)
from carimbo.service.people.sessions import SignedIn, confirm_identity, find_session, signed_in_with
from carimbo.service.people.sign_in import sign_in_with_password
from integration.people.codes import STEP, code_at
from integration.people.conftest import PASSWORD, MovedClock, actions_about, new_visitor


@dataclass(frozen=True)
class Enabled:
    """The session that enabled a second factor, with its new token, and the secret."""

    signed_in: SignedIn
    secret: str


@pytest.fixture
async def enabled(context: SignInContext, clock: MovedClock, ana: SignedIn) -> Enabled:
    """Enables the second factor of Ana, with a code of some steps ago."""
    clock.offset = -10 * STEP
    begun = await begin_second_factor(context, ana.session)
    token = await enable_second_factor(context, ana.session, code_at(begun.secret, clock()))
    clock.offset = timedelta()
    return Enabled(await signed_in_with(context, token), begun.secret)


@pytest.fixture
def secret(enabled: Enabled) -> str:
    return enabled.secret


async def sign_in(context: SignInContext, ana: SignedIn, code: str | None) -> SignedIn | CodeNeeded:
    return await sign_in_with_password(context, ana.session.person.email, PASSWORD, code, new_visitor())


async def refused_code(context: SignInContext, ana: SignedIn, code: str) -> None:
    with pytest.raises(Refusal) as refused:
        await sign_in(context, ana, code)
    assert refused.value.code is ErrorCode.VALIDATION_ERROR
    assert refused.value.details is not None
    assert [field["field"] for field in refused.value.details["fields"]] == ["code"]


async def test_password_alone_asks_for_the_code_and_starts_no_session(
    context: SignInContext, ana: SignedIn, secret: str
) -> None:
    assert await sign_in(context, ana, None) == CodeNeeded()
    assert await sign_in(context, ana, "") == CodeNeeded()
    signed_in = await sign_in(context, ana, code_at(secret, context.clock()))
    assert isinstance(signed_in, SignedIn) and signed_in.session.person.has_totp


async def test_code_of_the_neighbouring_step_is_accepted_and_older_ones_are_not(
    context: SignInContext, clock: MovedClock, ana: SignedIn, secret: str
) -> None:
    clock.stop()
    await refused_code(context, ana, code_at(secret, clock() - 2 * STEP))
    await refused_code(context, ana, code_at(secret, clock() + 2 * STEP))
    await refused_code(context, ana, "000000x")
    # With blanks, as apps show it.
    code = code_at(secret, clock() - STEP)
    assert isinstance(await sign_in(context, ana, f"{code[:3]} {code[3:]}"), SignedIn)


async def test_code_works_once_and_ends_the_earlier_ones(
    context: SignInContext, clock: MovedClock, ana: SignedIn, secret: str
) -> None:
    clock.stop()
    earlier, code = code_at(secret, clock() - STEP), code_at(secret, clock())
    await sign_in(context, ana, code)
    await refused_code(context, ana, code)
    await refused_code(context, ana, earlier)


async def test_same_code_at_the_same_time_signs_in_once(
    context: SignInContext, ana: SignedIn, secret: str
) -> None:
    code = code_at(secret, context.clock())
    results = await asyncio.gather(*(sign_in(context, ana, code) for _ in range(4)), return_exceptions=True)
    assert sum(isinstance(result, SignedIn) for result in results) == 1


async def test_sixth_wrong_code_waits_for_minutes_even_if_the_next_is_right(
    context: SignInContext, ana: SignedIn, secret: str
) -> None:
    for _ in range(5):
        await refused_code(context, ana, "000000x")
    with pytest.raises(Refusal) as refused:
        await sign_in(context, ana, code_at(secret, context.clock()))
    assert refused.value.code is ErrorCode.RATE_LIMIT_EXCEEDED
    assert refused.value.details is not None and 800 < refused.value.details["retryAfter"] <= 900
    # The password alone is no attempt of a code.
    assert await sign_in(context, ana, None) == CodeNeeded()


async def test_right_code_forgets_the_wrong_ones(context: SignInContext, ana: SignedIn, secret: str) -> None:
    for _ in range(4):
        await refused_code(context, ana, "000000x")
    assert isinstance(await sign_in(context, ana, code_at(secret, context.clock())), SignedIn)
    for _ in range(5):
        await refused_code(context, ana, "000000x")


async def test_enabling_it_ends_the_other_sessions_and_copies_of_the_cookie(
    context: SignInContext, ana: SignedIn
) -> None:
    other = await sign_in(context, ana, None)
    assert isinstance(other, SignedIn)
    begun = await begin_second_factor(context, ana.session)
    code = code_at(begun.secret, context.clock())
    token = await enable_second_factor(context, ana.session, code)
    assert await find_session(context.database, other.token) is None
    assert await find_session(context.database, ana.token) is None
    session = await find_session(context.database, token)
    assert session is not None and session.id == ana.session.id


async def test_code_that_enabled_it_does_not_sign_in(context: SignInContext, ana: SignedIn) -> None:
    begun = await begin_second_factor(context, ana.session)
    code = code_at(begun.secret, context.clock())
    await enable_second_factor(context, ana.session, code)
    await refused_code(context, ana, code)


async def test_it_protects_only_after_a_right_code(context: SignInContext, ana: SignedIn) -> None:
    with pytest.raises(Refusal) as not_begun:
        await enable_second_factor(context, ana.session, "123456")
    assert not_begun.value.code is ErrorCode.INVALID_STATE
    begun = await begin_second_factor(context, ana.session)
    assert begun.secret in begun.uri and "Carimbo" in begun.uri
    with pytest.raises(Refusal) as wrong:
        await enable_second_factor(context, ana.session, code_at(begun.secret, context.clock() - 5 * STEP))
    assert wrong.value.code is ErrorCode.VALIDATION_ERROR
    assert isinstance(await sign_in(context, ana, None), SignedIn)


async def test_enabled_secret_can_not_be_replaced(context: SignInContext, enabled: Enabled) -> None:
    ana, secret = enabled.signed_in, enabled.secret
    code = code_at(secret, context.clock())
    for change in (
        begin_second_factor(context, ana.session),
        enable_second_factor(context, ana.session, code),
    ):
        with pytest.raises(Refusal) as refused:
            await change
        assert refused.value.code is ErrorCode.INVALID_STATE
    assert isinstance(await sign_in(context, ana, code_at(secret, context.clock())), SignedIn)


async def test_disabling_forgets_the_secret(context: SignInContext, enabled: Enabled) -> None:
    ana = enabled.signed_in
    await disable_second_factor(context, ana.session)
    assert isinstance(await sign_in(context, ana, None), SignedIn)
    async with context.database.connection() as connection:
        owner = ana.session.person.id
        assert not await connection.fetchval("select count(*) from secrets where owner_id = $1", owner)
    actions = await actions_about(context.database, ana.session.person)
    assert [action for action in actions if action.startswith("secondFactor")] == [
        "secondFactor.enabled",
        "secondFactor.disabled",
    ]


async def test_secret_is_stored_sealed(context: SignInContext, ana: SignedIn, secret: str) -> None:
    async with context.database.connection() as connection:
        owner = ana.session.person.id
        sealed = await connection.fetchval("select sealed from secrets where owner_id = $1", owner)
    assert secret.encode() not in sealed


async def test_confirmation_needs_the_code_as_well(context: SignInContext, enabled: Enabled) -> None:
    ana = enabled.signed_in
    assert await confirm_identity(context, ana.session, PASSWORD, None, new_visitor()) == CodeNeeded()
    assert await find_session(context.database, ana.token)
    code = code_at(enabled.secret, context.clock())
    confirmed = await confirm_identity(context, ana.session, PASSWORD, code, new_visitor())
    assert isinstance(confirmed, SignedIn)


@pytest.mark.parametrize("change", [begin_second_factor, disable_second_factor])
async def test_changes_need_a_fresh_session(
    context: SignInContext, clock: MovedClock, ana: SignedIn, change: Callable[..., object]
) -> None:
    stale = replace(ana.session, authenticated_at=ana.session.authenticated_at - timedelta(minutes=11))
    with pytest.raises(Refusal) as refused:
        await change(context, stale)  # type: ignore[misc]
    assert refused.value.code is ErrorCode.CONFIRMATION_REQUIRED
