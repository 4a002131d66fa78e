import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from carimbo.service.access import (
    Authenticator,
    CredentialRecord,
    RotationRequest,
    read_credential,
    rotate_credential,
)
from carimbo.service.errors import ErrorCode, Refusal
from carimbo.service.json_values import utc_text
from carimbo.service.subscriptions import NewCredentials, create_subscription
from carimbo.storage.database import Database
from carimbo.storage.identifiers import new_id

NOW = RotationRequest()
IN_AN_HOUR = RotationRequest.model_validate({"overlapHours": 1})


@pytest.fixture
async def created(authenticator: Authenticator) -> NewCredentials:
    return await create_subscription(authenticator, "Teste")


async def is_accepted(authenticator: Authenticator, api_key: UUID | str, secret: str) -> bool:
    try:
        await authenticator.authenticate(str(api_key), secret)
    except Refusal as refusal:
        assert refusal.code is ErrorCode.INVALID_API_CREDENTIALS
        return False
    return True


async def read_record(authenticator: Authenticator, created: NewCredentials) -> CredentialRecord:
    caller = await authenticator.authenticate(str(created.subscription_id), created.secret)
    return await read_credential(authenticator.database, caller.subscription)


async def change(database: Database, changes: str, subscription_id: UUID, *arguments: Any) -> None:
    async with database.connection() as connection:
        await connection.execute(
            f"update credentials set {changes} where subscription_id = $1", subscription_id, *arguments
        )


class TestAuthenticate:
    async def test_the_right_secret_finds_the_subscription(
        self, authenticator: Authenticator, created: NewCredentials
    ) -> None:
        caller = await authenticator.authenticate(str(created.subscription_id), created.secret)
        assert caller.subscription.id == created.subscription_id
        assert caller.subscription.plan.name == "trial"

    @pytest.mark.parametrize("wrong", ["", "cs_", "cs_errada", "Ωμέγα"])
    async def test_a_wrong_secret_is_refused(
        self, authenticator: Authenticator, created: NewCredentials, wrong: str
    ) -> None:
        assert not await is_accepted(authenticator, created.subscription_id, wrong)

    async def test_a_secret_that_is_nearly_right_is_refused(
        self, authenticator: Authenticator, created: NewCredentials
    ) -> None:
        for nearly in (created.secret[:-1], created.secret + " ", created.secret.swapcase()):
            assert not await is_accepted(authenticator, created.subscription_id, nearly)

    async def test_the_secret_of_another_subscription_is_refused(
        self, authenticator: Authenticator, created: NewCredentials
    ) -> None:
        other = await create_subscription(authenticator, "Outra")
        assert not await is_accepted(authenticator, created.subscription_id, other.secret)

    async def test_an_unknown_key_is_refused(
        self, authenticator: Authenticator, created: NewCredentials
    ) -> None:
        assert not await is_accepted(authenticator, new_id(), created.secret)

    @pytest.mark.parametrize("malformed", ["", "abc", "0" * 33, "' or true --", "ção"])
    async def test_a_malformed_key_is_refused_like_an_unknown_one(
        self, authenticator: Authenticator, created: NewCredentials, malformed: str
    ) -> None:
        assert not await is_accepted(authenticator, malformed, created.secret)

    async def test_a_stored_hash_is_not_a_secret(
        self, authenticator: Authenticator, database: Database, created: NewCredentials
    ) -> None:
        async with database.tenant(created.subscription_id) as tenant:
            credential = await tenant.credentials.get()
        assert credential is not None
        assert created.secret.encode() not in credential.secret_hash
        assert not await is_accepted(authenticator, created.subscription_id, credential.secret_hash.hex())


class TestLastUsedAt:
    async def test_the_first_use_is_recorded(
        self, authenticator: Authenticator, database: Database, created: NewCredentials
    ) -> None:
        async with database.tenant(created.subscription_id) as tenant:
            unused = await tenant.credentials.get()
        assert unused is not None
        assert unused.last_used_at is None
        used_at = (await read_record(authenticator, created)).last_used_at
        assert used_at is not None
        assert abs(datetime.now(UTC) - used_at) < timedelta(seconds=30)

    async def test_the_last_use_is_written_at_most_once_a_minute(
        self, authenticator: Authenticator, database: Database, created: NewCredentials
    ) -> None:
        await read_record(authenticator, created)
        recently = datetime.now(UTC) - timedelta(seconds=30)
        await change(database, "last_used_at = $2", created.subscription_id, recently)
        assert (await read_record(authenticator, created)).last_used_at == recently
        await change(database, "last_used_at = $2", created.subscription_id, recently - timedelta(minutes=1))
        used_at = (await read_record(authenticator, created)).last_used_at
        assert used_at is not None
        assert used_at > recently

    async def test_a_wrong_secret_does_not_count_as_use(
        self, authenticator: Authenticator, database: Database, created: NewCredentials
    ) -> None:
        await is_accepted(authenticator, created.subscription_id, "cs_errada")
        async with database.tenant(created.subscription_id) as tenant:
            credential = await tenant.credentials.get()
        assert credential is not None
        assert credential.last_used_at is None


class TestRotate:
    async def test_without_overlap_the_old_secret_stops_at_once(
        self, authenticator: Authenticator, created: NewCredentials
    ) -> None:
        rotated = await rotate_credential(authenticator, created.subscription_id, NOW)
        assert rotated.api_key == created.subscription_id
        assert await is_accepted(authenticator, created.subscription_id, rotated.api_secret)
        assert not await is_accepted(authenticator, created.subscription_id, created.secret)

    async def test_with_overlap_both_secrets_are_accepted(
        self, authenticator: Authenticator, created: NewCredentials
    ) -> None:
        rotated = await rotate_credential(authenticator, created.subscription_id, IN_AN_HOUR)
        assert await is_accepted(authenticator, created.subscription_id, rotated.api_secret)
        assert await is_accepted(authenticator, created.subscription_id, created.secret)

    async def test_the_old_secret_stops_when_the_overlap_has_passed(
        self, authenticator: Authenticator, database: Database, created: NewCredentials
    ) -> None:
        rotated = await rotate_credential(authenticator, created.subscription_id, IN_AN_HOUR)
        hour = timedelta(hours=1)
        await change(
            database,
            "previous_valid_until = previous_valid_until - $2::interval",
            created.subscription_id,
            hour,
        )
        assert not await is_accepted(authenticator, created.subscription_id, created.secret)
        assert await is_accepted(authenticator, created.subscription_id, rotated.api_secret)

    async def test_the_overlap_has_the_requested_length(
        self, authenticator: Authenticator, database: Database, created: NewCredentials
    ) -> None:
        three_days = RotationRequest.model_validate({"overlapHours": 72})
        rotated = await rotate_credential(authenticator, created.subscription_id, three_days)
        async with database.tenant(created.subscription_id) as tenant:
            credential = await tenant.credentials.get()
        assert credential is not None
        assert credential.previous_valid_until == rotated.rotated_at + timedelta(hours=72)

    async def test_a_second_rotation_ends_the_overlap_of_the_first(
        self, authenticator: Authenticator, created: NewCredentials
    ) -> None:
        second = await rotate_credential(authenticator, created.subscription_id, IN_AN_HOUR)
        third = await rotate_credential(authenticator, created.subscription_id, IN_AN_HOUR)
        opened = [
            await is_accepted(authenticator, created.subscription_id, secret)
            for secret in (created.secret, second.api_secret, third.api_secret)
        ]
        assert opened == [False, True, True]
        (warning,) = third.warnings
        assert utc_text(second.previous_secret_valid_until or third.rotated_at) in warning
        assert second.warnings == []

    async def test_after_simultaneous_rotations_exactly_one_secret_is_valid(
        self, authenticator: Authenticator, created: NewCredentials
    ) -> None:
        rotated = await asyncio.gather(
            *(rotate_credential(authenticator, created.subscription_id, NOW) for _ in range(5))
        )
        opened = [
            await is_accepted(authenticator, created.subscription_id, credential.api_secret)
            for credential in rotated
        ]
        assert opened.count(True) == 1

    async def test_the_preview_is_the_end_of_the_new_secret(
        self, authenticator: Authenticator, created: NewCredentials
    ) -> None:
        rotated = await rotate_credential(authenticator, created.subscription_id, NOW)
        record = await read_record(authenticator, NewCredentials(created.subscription_id, rotated.api_secret))
        assert record.secret_preview == f"...{rotated.api_secret[-4:]}"
        assert record.rotated_at == rotated.rotated_at
        assert rotated.api_secret not in record.model_dump_json()

    async def test_rotation_for_a_missing_subscription_is_refused(self, authenticator: Authenticator) -> None:
        with pytest.raises(Refusal) as refused:
            await rotate_credential(authenticator, new_id(), NOW)
        assert refused.value.code is ErrorCode.NOT_FOUND

    async def test_other_subscriptions_keep_their_secret(
        self, authenticator: Authenticator, created: NewCredentials
    ) -> None:
        other = await create_subscription(authenticator, "Outra")
        await rotate_credential(authenticator, created.subscription_id, NOW)
        assert await is_accepted(authenticator, other.subscription_id, other.secret)


class TestPepper:
    async def test_the_pepper_is_the_same_at_every_start(
        self, database: Database, authenticator: Authenticator, created: NewCredentials
    ) -> None:
        again = await Authenticator.open(database)
        assert again.pepper == authenticator.pepper
        assert await is_accepted(again, created.subscription_id, created.secret)

    async def test_simultaneous_starts_get_the_same_pepper(self, database: Database) -> None:
        opened = await asyncio.gather(*(Authenticator.open(database) for _ in range(8)))
        assert len({opened_authenticator.pepper for opened_authenticator in opened}) == 1

    async def test_a_secret_is_refused_with_another_pepper(
        self, database: Database, created: NewCredentials
    ) -> None:
        assert not await is_accepted(
            Authenticator(database, bytes(32)), created.subscription_id, created.secret
        )

    def test_the_pepper_is_not_in_the_repr(self, authenticator: Authenticator) -> None:
        assert repr(authenticator.pepper) not in repr(authenticator)

    def test_a_new_secret_is_not_in_the_repr(self, created: NewCredentials) -> None:
        assert created.secret not in repr(created)
