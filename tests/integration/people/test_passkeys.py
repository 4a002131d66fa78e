"""Passkeys: adding them, signing in and confirming with them, and every answer that is refused."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from carimbo.service.errors import ErrorCode, Refusal
from carimbo.service.people.context import LinkPurpose, SignInContext
from carimbo.service.people.new_links import create_reset_link
from carimbo.service.people.passkeys import (
    RelyingParty,
    confirm_with_passkey,
    confirmation_options,
    list_passkeys,
    register_passkey,
    registration_options,
    remove_passkey,
    sign_in_options,
    sign_in_with_passkey,
)
from carimbo.service.people.people import set_disabled
from carimbo.service.people.second_factor import begin_second_factor, enable_second_factor
from carimbo.service.people.sessions import SignedIn, SignInMethod, find_session
from carimbo.service.people.sign_in import use_link
from carimbo.storage.identifiers import new_id
from carimbo.storage.passkeys import Passkey, Passkeys
from carimbo.storage.people import People
from integration.people.authenticator import SoftwareAuthenticator
from integration.people.codes import code_at
from integration.people.conftest import OTHER_PASSWORD, NewPerson, actions_about, new_visitor
from support import BLOCKED_SESSIONS, TIMEOUT_SECONDS, wait_until_true

PARTY = RelyingParty("emissor.example", "https://emissor.example")


async def add_passkey(
    context: SignInContext, owner: SignedIn, device: SoftwareAuthenticator, name: str | None = "Celular"
) -> Passkey:
    request = await registration_options(context, owner.session, PARTY)
    answer = device.register(request.options)
    return await register_passkey(context, owner.session, PARTY, request.id, answer, name)


async def sign_in(context: SignInContext, device: SoftwareAuthenticator) -> SignedIn:
    request = await sign_in_options(context, PARTY, new_visitor())
    answer = device.sign(request.options)
    return await sign_in_with_passkey(context, PARTY, request.id, answer, new_visitor())


async def refusal_of_sign_in(context: SignInContext, device: SoftwareAuthenticator) -> ErrorCode:
    with pytest.raises(Refusal) as refused:
        await sign_in(context, device)
    return refused.value.code


@pytest.fixture
async def device(context: SignInContext, ana: SignedIn) -> SoftwareAuthenticator:
    """The device of Ana, with a passkey of her account."""
    device = SoftwareAuthenticator()
    await add_passkey(context, ana, device)
    return device


class TestSigningIn:
    async def test_passkey_signs_its_person_in(
        self, context: SignInContext, ana: SignedIn, device: SoftwareAuthenticator
    ) -> None:
        session = (await sign_in(context, device)).session
        assert (session.person.id, session.method) == (ana.session.person.id, SignInMethod.PASSKEY)
        [passkey] = await list_passkeys(context.database, session.person.id)
        assert passkey.name == "Celular" and passkey.last_used_at is not None
        assert passkey.transports == ["internal"]
        assert "passkey.added" in await actions_about(context.database, session.person)

    async def test_passkey_needs_no_code_of_the_second_factor(
        self, context: SignInContext, ana: SignedIn, device: SoftwareAuthenticator
    ) -> None:
        begun = await begin_second_factor(context, ana.session)
        await enable_second_factor(context, ana.session, code_at(begun.secret, context.clock()))
        assert isinstance(await sign_in(context, device), SignedIn)

    async def test_request_demands_that_the_device_verifies_its_user(
        self, context: SignInContext, ana: SignedIn
    ) -> None:
        request = await sign_in_options(context, PARTY, new_visitor())
        assert request.options["userVerification"] == "required"
        creation = (await registration_options(context, ana.session, PARTY)).options
        assert creation["authenticatorSelection"]["userVerification"] == "required"
        assert creation["authenticatorSelection"]["residentKey"] == "required"

    @pytest.mark.parametrize(
        "misbehave",
        [
            lambda device: setattr(device, "verifies_user", False),
            lambda device: setattr(device, "origin", "https://emissor.example.evil.example"),
            lambda device: setattr(device, "party_id", "evil.example"),
            lambda device: setattr(device, "credential_id", b"a credential that nobody registered"),
            lambda device: setattr(device, "user_handle", new_id().bytes),
        ],
        ids=["user not verified", "origin", "host", "unknown credential", "person"],
    )
    async def test_answer_that_does_not_fit_is_refused(
        self,
        context: SignInContext,
        device: SoftwareAuthenticator,
        misbehave: Callable[[SoftwareAuthenticator], None],
    ) -> None:
        misbehave(device)
        assert await refusal_of_sign_in(context, device) is ErrorCode.INVALID_SIGN_IN

    async def test_signature_of_another_key_is_refused(
        self, context: SignInContext, device: SoftwareAuthenticator
    ) -> None:
        copy = SoftwareAuthenticator(credential_id=device.credential_id, user_handle=device.user_handle)
        assert await refusal_of_sign_in(context, copy) is ErrorCode.INVALID_SIGN_IN

    async def test_count_that_does_not_grow_is_refused_as_a_copy(
        self, context: SignInContext, device: SoftwareAuthenticator
    ) -> None:
        device.sign_count = 7
        await sign_in(context, device)
        for count in (7, 6, 0):
            device.sign_count = count
            assert await refusal_of_sign_in(context, device) is ErrorCode.INVALID_SIGN_IN
        device.sign_count = 8
        await sign_in(context, device)

    async def test_passkey_that_a_reset_removes_meanwhile_starts_no_session(
        self, context: SignInContext, ana: SignedIn, device: SoftwareAuthenticator
    ) -> None:
        person_id = ana.session.person.id
        async with context.database.connection() as watching:
            async with context.database.transaction() as connection:
                await People(connection).lock(person_id)
                attempt = asyncio.create_task(refusal_of_sign_in(context, device))
                await wait_until_true(watching.fetch, f"{BLOCKED_SESSIONS} > 0", TIMEOUT_SECONDS)
                await Passkeys(connection).delete_all(person_id)
            assert await attempt is ErrorCode.INVALID_SIGN_IN

    async def test_disabled_person_is_refused(
        self, context: SignInContext, ana: SignedIn, device: SoftwareAuthenticator
    ) -> None:
        await set_disabled(context.database, ana.session.person.id, is_disabled=True)
        assert await refusal_of_sign_in(context, device) is ErrorCode.INVALID_SIGN_IN


class TestChallenges:
    async def test_answer_works_once_even_at_the_same_time(
        self, context: SignInContext, device: SoftwareAuthenticator
    ) -> None:
        request = await sign_in_options(context, PARTY, new_visitor())
        answer = device.sign(request.options)
        results = await asyncio.gather(
            *(sign_in_with_passkey(context, PARTY, request.id, answer, new_visitor()) for _ in range(4)),
            return_exceptions=True,
        )
        assert sum(isinstance(result, SignedIn) for result in results) == 1

    async def test_answer_to_another_request_is_refused(
        self, context: SignInContext, device: SoftwareAuthenticator
    ) -> None:
        first, second = [await sign_in_options(context, PARTY, new_visitor()) for _ in range(2)]
        with pytest.raises(Refusal):
            answer = device.sign(first.options)
            await sign_in_with_passkey(context, PARTY, second.id, answer, new_visitor())

    async def test_request_expires_after_five_minutes(
        self, context: SignInContext, device: SoftwareAuthenticator
    ) -> None:
        request = await sign_in_options(context, PARTY, new_visitor())
        async with context.database.connection() as connection:
            left = await connection.fetchval(
                "select expires_at - now() from passkey_challenges where id = $1", request.id
            )
            assert timedelta(minutes=3) < left <= timedelta(minutes=5)
            await connection.execute(
                "update passkey_challenges set expires_at = now() where id = $1", request.id
            )
        with pytest.raises(Refusal) as refused:
            answer = device.sign(request.options)
            await sign_in_with_passkey(context, PARTY, request.id, answer, new_visitor())
        assert refused.value.code is ErrorCode.INVALID_STATE

    async def test_request_to_confirm_does_not_sign_in(
        self, context: SignInContext, ana: SignedIn, device: SoftwareAuthenticator
    ) -> None:
        request = await confirmation_options(context, ana.session, PARTY)
        with pytest.raises(Refusal) as refused:
            answer = device.sign(request.options)
            await sign_in_with_passkey(context, PARTY, request.id, answer, new_visitor())
        assert refused.value.code is ErrorCode.INVALID_STATE


class TestConfirming:
    async def test_passkey_confirms_who_uses_the_session_and_replaces_its_token(
        self, context: SignInContext, ana: SignedIn, device: SoftwareAuthenticator
    ) -> None:
        request = await confirmation_options(context, ana.session, PARTY)
        assert len(request.options["allowCredentials"]) == 1
        answer = device.sign(request.options)
        confirmed = await confirm_with_passkey(context, ana.session, PARTY, request.id, answer)
        assert confirmed.session.id == ana.session.id
        assert confirmed.session.authenticated_at > ana.session.authenticated_at
        assert await find_session(context.database, ana.token) is None

    async def test_passkey_of_somebody_else_confirms_nothing(
        self, context: SignInContext, new_person: NewPerson, ana: SignedIn, device: SoftwareAuthenticator
    ) -> None:
        stranger = await new_person()
        request = await confirmation_options(context, stranger.session, PARTY)
        with pytest.raises(Refusal) as refused:
            answer = device.sign(request.options)
            await confirm_with_passkey(context, stranger.session, PARTY, request.id, answer)
        assert refused.value.code is ErrorCode.INVALID_SIGN_IN


class TestOwnPasskeys:
    async def test_device_of_the_account_is_excluded_and_can_not_be_added_twice(
        self, context: SignInContext, ana: SignedIn, device: SoftwareAuthenticator
    ) -> None:
        request = await registration_options(context, ana.session, PARTY)
        assert len(request.options["excludeCredentials"]) == 1
        with pytest.raises(Refusal) as refused:
            await add_passkey(context, ana, device)
        assert refused.value.code is ErrorCode.INVALID_STATE

    async def test_passkey_without_verified_user_or_of_another_origin_is_not_added(
        self, context: SignInContext, ana: SignedIn
    ) -> None:
        for device in (
            SoftwareAuthenticator(verifies_user=False),
            SoftwareAuthenticator(origin="https://evil.example"),
            SoftwareAuthenticator(party_id="evil.example"),
        ):
            with pytest.raises(Refusal) as refused:
                await add_passkey(context, ana, device)
            assert refused.value.code is ErrorCode.VALIDATION_ERROR
        assert await list_passkeys(context.database, ana.session.person.id) == []

    async def test_requests_that_were_prepared_before_do_not_pass_the_limit(
        self, context: SignInContext, ana: SignedIn
    ) -> None:
        devices = [SoftwareAuthenticator() for _ in range(22)]
        requests = [await registration_options(context, ana.session, PARTY) for _ in devices]
        results = await asyncio.gather(
            *(
                register_passkey(
                    context, ana.session, PARTY, request.id, device.register(request.options), None
                )
                for device, request in zip(devices, requests, strict=True)
            ),
            return_exceptions=True,
        )
        refusals = [result.code for result in results if isinstance(result, Refusal)]
        assert refusals == [ErrorCode.INVALID_STATE] * 2
        assert len(await list_passkeys(context.database, ana.session.person.id)) == 20

    async def test_request_of_one_person_adds_nothing_to_another(
        self, context: SignInContext, new_person: NewPerson, ana: SignedIn
    ) -> None:
        stranger, device = await new_person(), SoftwareAuthenticator()
        request = await registration_options(context, ana.session, PARTY)
        with pytest.raises(Refusal):
            answer = device.register(request.options)
            await register_passkey(context, stranger.session, PARTY, request.id, answer, None)

    async def test_removed_passkey_signs_in_no_more(
        self, context: SignInContext, new_person: NewPerson, ana: SignedIn, device: SoftwareAuthenticator
    ) -> None:
        [passkey] = await list_passkeys(context.database, ana.session.person.id)
        stranger = await new_person()
        with pytest.raises(Refusal) as refused:
            await remove_passkey(context, stranger.session, passkey.id)
        assert refused.value.code is ErrorCode.NOT_FOUND
        lost = await sign_in(context, device)
        token = await remove_passkey(context, ana.session, passkey.id)
        assert await refusal_of_sign_in(context, device) is ErrorCode.INVALID_SIGN_IN
        assert await find_session(context.database, lost.token) is None
        assert await find_session(context.database, ana.token) is None
        session = await find_session(context.database, token)
        assert session is not None and session.id == ana.session.id

    async def test_reset_of_the_password_removes_them(
        self, context: SignInContext, ana: SignedIn, device: SoftwareAuthenticator
    ) -> None:
        person = ana.session.person
        reset = await create_reset_link(context.database, person.email, context.clock())
        await sign_in(context, device)
        await use_link(context, reset.token, LinkPurpose.RESET, new_visitor(), password=OTHER_PASSWORD)
        assert await refusal_of_sign_in(context, device) is ErrorCode.INVALID_SIGN_IN
        assert (await actions_about(context.database, person)).count("passkey.removed") == 1

    async def test_only_way_to_sign_in_is_kept(
        self, context: SignInContext, ana: SignedIn, device: SoftwareAuthenticator
    ) -> None:
        async with context.database.connection() as connection:
            person_id = ana.session.person.id
            await connection.execute("update people set password_hash = null where id = $1", person_id)
        [passkey] = await list_passkeys(context.database, person_id)
        with pytest.raises(Refusal) as refused:
            await remove_passkey(context, ana.session, passkey.id)
        assert refused.value.code is ErrorCode.INVALID_STATE
        await sign_in(context, device)
        await add_passkey(context, ana, SoftwareAuthenticator(), None)
        await remove_passkey(context, ana.session, passkey.id)

    async def test_last_two_are_not_both_removed_at_the_same_time(
        self, context: SignInContext, ana: SignedIn, device: SoftwareAuthenticator
    ) -> None:
        person_id = ana.session.person.id
        await add_passkey(context, ana, SoftwareAuthenticator())
        passkeys = await list_passkeys(context.database, person_id)
        other = await sign_in(context, device)
        async with context.database.connection() as watching:
            async with context.database.transaction() as connection:
                await connection.execute("update people set password_hash = null where id = $1", person_id)
                attempt = asyncio.create_task(remove_passkey(context, other.session, passkeys[0].id))
                await wait_until_true(watching.fetch, f"{BLOCKED_SESSIONS} > 0", TIMEOUT_SECONDS)
                await Passkeys(connection).delete(person_id, passkeys[1].id)
            with pytest.raises(Refusal) as refused:
                await attempt
        assert refused.value.code is ErrorCode.INVALID_STATE
        assert len(await list_passkeys(context.database, person_id)) == 1

    async def test_changes_need_a_fresh_session(
        self, context: SignInContext, ana: SignedIn, device: SoftwareAuthenticator
    ) -> None:
        request = await registration_options(context, ana.session, PARTY)
        earlier = ana.session.authenticated_at - timedelta(minutes=11)
        stale = replace(ana.session, authenticated_at=earlier)
        [passkey] = await list_passkeys(context.database, ana.session.person.id)
        answer = SoftwareAuthenticator().register(request.options)
        for change in (
            registration_options(context, stale, PARTY),
            register_passkey(context, stale, PARTY, request.id, answer, None),
            remove_passkey(context, stale, passkey.id),
        ):
            with pytest.raises(Refusal) as refused:
                await change
            assert refused.value.code is ErrorCode.CONFIRMATION_REQUIRED


def without(name: str) -> Callable[[dict[str, Any]], Any]:
    return lambda answer: {key: value for key, value in answer.items() if key != name}


def with_response(**changed: Any) -> Callable[[dict[str, Any]], Any]:
    return lambda answer: {**answer, "response": {**answer["response"], **changed}}


MALFORMED: dict[str, Callable[[dict[str, Any]], Any]] = {
    "empty": lambda answer: {},
    "no id": without("rawId"),
    "number as id": lambda answer: {**answer, "rawId": 5},
    "id that is no base64": lambda answer: {**answer, "rawId": "é"},
    "no response": without("response"),
    "text as response": lambda answer: {**answer, "response": "x"},
    "empty client data": with_response(clientDataJSON=""),
    "client data that is no JSON": with_response(clientDataJSON="eA"),
    "client data that is a list": with_response(clientDataJSON="W10"),
    "short data": with_response(authenticatorData="eA", attestationObject="eA"),
    "empty data": with_response(authenticatorData="", attestationObject=""),
    "empty signature": with_response(signature=""),
    "number as person": with_response(userHandle=5),
    "numbers as transports": with_response(transports=[{}]),
}


@pytest.mark.parametrize("spoil", MALFORMED.values(), ids=MALFORMED)
async def test_malformed_answer_is_refused(
    context: SignInContext,
    ana: SignedIn,
    device: SoftwareAuthenticator,
    spoil: Callable[[dict[str, Any]], Any],
    request: pytest.FixtureRequest,
) -> None:
    case = request.node.callspec.id
    if "transports" not in case:
        asked_for = await sign_in_options(context, PARTY, new_visitor())
        with pytest.raises(Refusal) as refused:
            answer = spoil(device.sign(asked_for.options))
            await sign_in_with_passkey(context, PARTY, asked_for.id, answer, new_visitor())
        assert refused.value.code is ErrorCode.INVALID_SIGN_IN
    if case not in {"empty signature", "number as person"}:
        wanted = await registration_options(context, ana.session, PARTY)
        with pytest.raises(Refusal) as not_added:
            answer = spoil(SoftwareAuthenticator().register(wanted.options))
            await register_passkey(context, ana.session, PARTY, wanted.id, answer, None)
        assert not_added.value.code is ErrorCode.VALIDATION_ERROR
