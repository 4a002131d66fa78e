"""Changes of an account by a request whose session ended while it was on the way."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from carimbo.service.errors import Refusal
from carimbo.service.people.context import LinkPurpose, SignInContext
from carimbo.service.people.new_links import create_reset_link
from carimbo.service.people.passkeys import (
    RelyingParty,
    list_passkeys,
    register_passkey,
    registration_options,
    remove_passkey,
)
from carimbo.service.people.second_factor import (
    begin_second_factor,
    disable_second_factor,
    enable_second_factor,
)
from carimbo.service.people.sessions import (
    SessionEnded,
    SignedIn,
    confirm_identity,
    end_other_sessions,
    find_session,
)
from carimbo.service.people.sign_in import (
    change_name,
    change_password,
    sign_in_with_password,
    use_link,
)
from carimbo.storage.people import People
from carimbo.storage.sessions import Sessions
from integration.people.authenticator import SoftwareAuthenticator
from integration.people.codes import code_at
from integration.people.conftest import OTHER_PASSWORD, PASSWORD, new_visitor
from support import BLOCKED_SESSIONS, TIMEOUT_SECONDS, wait_until_true

PARTY = RelyingParty("emissor.example", "https://emissor.example")
Change = Callable[[], Awaitable[Any]]
Prepare = Callable[[SignInContext, SignedIn], Awaitable[Change]]


async def new_password(context: SignInContext, thief: SignedIn) -> Change:
    return lambda: change_password(context, thief.session, "a senha que o ladrão escolheu")


async def new_passkey(context: SignInContext, thief: SignedIn) -> Change:
    request = await registration_options(context, thief.session, PARTY)
    answer = SoftwareAuthenticator().register(request.options)
    return lambda: register_passkey(context, thief.session, PARTY, request.id, answer, None)


async def removed_passkey(context: SignInContext, thief: SignedIn) -> Change:
    await (await new_passkey(context, thief))()
    [passkey] = await list_passkeys(context.database, thief.session.person.id)
    return lambda: remove_passkey(context, thief.session, passkey.id)


async def begun_factor(context: SignInContext, thief: SignedIn) -> Change:
    return lambda: begin_second_factor(context, thief.session)


async def enabled_factor(context: SignInContext, thief: SignedIn) -> Change:
    begun = await begin_second_factor(context, thief.session)
    code = code_at(begun.secret, context.clock())
    return lambda: enable_second_factor(context, thief.session, code)


async def disabled_factor(context: SignInContext, thief: SignedIn) -> Change:
    return lambda: disable_second_factor(context, thief.session)


async def ended_others(context: SignInContext, thief: SignedIn) -> Change:
    return lambda: end_other_sessions(context.database, thief.session)


async def new_name(context: SignInContext, thief: SignedIn) -> Change:
    return lambda: change_name(context, thief.session, "Ladrão")


CHANGES: list[Prepare] = [
    new_password,
    new_passkey,
    removed_passkey,
    begun_factor,
    enabled_factor,
    disabled_factor,
    ended_others,
    new_name,
]


@pytest.mark.parametrize("prepare", CHANGES)
async def test_form_that_was_held_open_changes_nothing_after_a_reset(
    context: SignInContext, ana: SignedIn, prepare: Prepare
) -> None:
    change = await prepare(context, ana)
    email = ana.session.person.email
    reset = await create_reset_link(context.database, email, context.clock())
    owner = await use_link(context, reset.token, LinkPurpose.RESET, new_visitor(), password=OTHER_PASSWORD)
    assert isinstance(owner, SignedIn)
    with pytest.raises(SessionEnded):
        await change()
    assert await find_session(context.database, owner.token)
    assert isinstance(
        await sign_in_with_password(context, email, OTHER_PASSWORD, None, new_visitor()), SignedIn
    )


async def test_copied_cookie_takes_no_session_over_by_a_confirmation(
    context: SignInContext, ana: SignedIn
) -> None:
    token = await end_other_sessions(context.database, ana.session)
    with pytest.raises(Refusal):
        await confirm_identity(context, ana.session, PASSWORD, None, new_visitor())
    assert await find_session(context.database, token)


async def test_change_that_waits_for_a_reset_finds_its_session_ended(
    context: SignInContext, ana: SignedIn
) -> None:
    person_id = ana.session.person.id
    async with context.database.connection() as watching:
        async with context.database.transaction() as connection:
            await People(connection).lock(person_id)
            change = asyncio.create_task(change_password(context, ana.session, OTHER_PASSWORD))
            await wait_until_true(watching.fetch, f"{BLOCKED_SESSIONS} > 0", TIMEOUT_SECONDS)
            await Sessions(connection).end_all(person_id)
        with pytest.raises(SessionEnded):
            await change
    with pytest.raises(Refusal):
        await sign_in_with_password(context, ana.session.person.email, OTHER_PASSWORD, None, new_visitor())


async def test_request_with_a_token_that_was_replaced_changes_nothing(
    context: SignInContext, ana: SignedIn
) -> None:
    await end_other_sessions(context.database, ana.session)
    with pytest.raises(SessionEnded):
        await change_password(context, ana.session, OTHER_PASSWORD)
    assert isinstance(
        await sign_in_with_password(context, ana.session.person.email, PASSWORD, None, new_visitor()),
        SignedIn,
    )
