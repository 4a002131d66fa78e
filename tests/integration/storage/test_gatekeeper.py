import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from carimbo.service.access import (
    CredentialRecord,
    Gatekeeper,
    RotationRequest,
    read_credential,
    rotate_credential,
)
from carimbo.service.errors import Code, Refusal
from carimbo.service.shown import utc_text
from carimbo.service.subscriptions import NewCredentials, create_subscription
from carimbo.storage.database import Database
from carimbo.storage.identifiers import new_id

NOW = RotationRequest()
IN_AN_HOUR = RotationRequest.model_validate({"overlapHours": 1})


@pytest.fixture
async def created(gatekeeper: Gatekeeper) -> NewCredentials:
    return await create_subscription(gatekeeper, "Teste")


async def opens(gatekeeper: Gatekeeper, api_key: UUID | str, secret: str) -> bool:
    try:
        await gatekeeper.authenticate(str(api_key), secret)
    except Refusal as refusal:
        assert refusal.code is Code.INVALID_API_CREDENTIALS
        return False
    return True


async def shown(gatekeeper: Gatekeeper, created: NewCredentials) -> CredentialRecord:
    subscription = await gatekeeper.authenticate(str(created.subscription_id), created.secret)
    return await read_credential(gatekeeper.database, subscription)


async def change(database: Database, changes: str, subscription_id: UUID, *arguments: Any) -> None:
    async with database.connection() as connection:
        await connection.execute(
            f"update credentials set {changes} where subscription_id = $1", subscription_id, *arguments
        )


class TestAuthenticate:
    async def test_the_right_secret_finds_the_subscription(
        self, gatekeeper: Gatekeeper, created: NewCredentials
    ) -> None:
        found = await gatekeeper.authenticate(str(created.subscription_id), created.secret)
        assert found.id == created.subscription_id
        assert found.plan.name == "trial"

    @pytest.mark.parametrize("wrong", ["", "cs_", "cs_errada", "Ωμέγα"])
    async def test_a_wrong_secret_is_refused(
        self, gatekeeper: Gatekeeper, created: NewCredentials, wrong: str
    ) -> None:
        assert not await opens(gatekeeper, created.subscription_id, wrong)

    async def test_a_secret_that_is_nearly_right_is_refused(
        self, gatekeeper: Gatekeeper, created: NewCredentials
    ) -> None:
        for nearly in (created.secret[:-1], created.secret + " ", created.secret.swapcase()):
            assert not await opens(gatekeeper, created.subscription_id, nearly)

    async def test_another_s_secret_is_refused(self, gatekeeper: Gatekeeper, created: NewCredentials) -> None:
        other = await create_subscription(gatekeeper, "Outra")
        assert not await opens(gatekeeper, created.subscription_id, other.secret)

    async def test_an_unknown_key_is_refused(self, gatekeeper: Gatekeeper, created: NewCredentials) -> None:
        assert not await opens(gatekeeper, new_id(), created.secret)

    @pytest.mark.parametrize("malformed", ["", "abc", "0" * 33, "' or true --", "ção"])
    async def test_a_malformed_key_is_refused_like_an_unknown_one(
        self, gatekeeper: Gatekeeper, created: NewCredentials, malformed: str
    ) -> None:
        assert not await opens(gatekeeper, malformed, created.secret)

    async def test_a_stored_hash_is_not_a_secret(
        self, gatekeeper: Gatekeeper, database: Database, created: NewCredentials
    ) -> None:
        async with database.tenant(created.subscription_id) as tenant:
            credential = await tenant.credentials.get()
        assert credential is not None
        assert created.secret.encode() not in credential.secret_hash
        assert not await opens(gatekeeper, created.subscription_id, credential.secret_hash.hex())


class TestLastUsedAt:
    async def test_it_is_noted_at_the_first_use(
        self, gatekeeper: Gatekeeper, database: Database, created: NewCredentials
    ) -> None:
        async with database.tenant(created.subscription_id) as tenant:
            unused = await tenant.credentials.get()
        assert unused is not None
        assert unused.last_used_at is None
        used_at = (await shown(gatekeeper, created)).last_used_at
        assert used_at is not None
        assert abs(datetime.now(UTC) - used_at) < timedelta(seconds=30)

    async def test_it_is_written_once_a_minute_at_most(
        self, gatekeeper: Gatekeeper, database: Database, created: NewCredentials
    ) -> None:
        await shown(gatekeeper, created)
        recently = datetime.now(UTC) - timedelta(seconds=30)
        await change(database, "last_used_at = $2", created.subscription_id, recently)
        assert (await shown(gatekeeper, created)).last_used_at == recently
        await change(database, "last_used_at = $2", created.subscription_id, recently - timedelta(minutes=1))
        used_at = (await shown(gatekeeper, created)).last_used_at
        assert used_at is not None
        assert used_at > recently

    async def test_a_wrong_secret_is_no_use(
        self, gatekeeper: Gatekeeper, database: Database, created: NewCredentials
    ) -> None:
        await opens(gatekeeper, created.subscription_id, "cs_errada")
        async with database.tenant(created.subscription_id) as tenant:
            credential = await tenant.credentials.get()
        assert credential is not None
        assert credential.last_used_at is None


class TestRotate:
    async def test_without_overlap_the_old_secret_stops_at_once(
        self, gatekeeper: Gatekeeper, created: NewCredentials
    ) -> None:
        rotated = await rotate_credential(gatekeeper, created.subscription_id, NOW)
        assert rotated.api_key == created.subscription_id
        assert await opens(gatekeeper, created.subscription_id, rotated.api_secret)
        assert not await opens(gatekeeper, created.subscription_id, created.secret)

    async def test_with_overlap_both_secrets_open(
        self, gatekeeper: Gatekeeper, created: NewCredentials
    ) -> None:
        rotated = await rotate_credential(gatekeeper, created.subscription_id, IN_AN_HOUR)
        assert await opens(gatekeeper, created.subscription_id, rotated.api_secret)
        assert await opens(gatekeeper, created.subscription_id, created.secret)

    async def test_the_old_secret_stops_when_the_overlap_has_passed(
        self, gatekeeper: Gatekeeper, database: Database, created: NewCredentials
    ) -> None:
        rotated = await rotate_credential(gatekeeper, created.subscription_id, IN_AN_HOUR)
        hour = timedelta(hours=1)
        await change(
            database,
            "previous_valid_until = previous_valid_until - $2::interval",
            created.subscription_id,
            hour,
        )
        assert not await opens(gatekeeper, created.subscription_id, created.secret)
        assert await opens(gatekeeper, created.subscription_id, rotated.api_secret)

    async def test_the_overlap_is_as_long_as_asked_for(
        self, gatekeeper: Gatekeeper, database: Database, created: NewCredentials
    ) -> None:
        three_days = RotationRequest.model_validate({"overlapHours": 72})
        rotated = await rotate_credential(gatekeeper, created.subscription_id, three_days)
        async with database.tenant(created.subscription_id) as tenant:
            credential = await tenant.credentials.get()
        assert credential is not None
        assert credential.previous_valid_until == rotated.rotated_at + timedelta(hours=72)

    async def test_a_second_rotation_ends_the_overlap_of_the_first(
        self, gatekeeper: Gatekeeper, created: NewCredentials
    ) -> None:
        second = await rotate_credential(gatekeeper, created.subscription_id, IN_AN_HOUR)
        third = await rotate_credential(gatekeeper, created.subscription_id, IN_AN_HOUR)
        opened = [
            await opens(gatekeeper, created.subscription_id, secret)
            for secret in (created.secret, second.api_secret, third.api_secret)
        ]
        assert opened == [False, True, True]
        (warning,) = third.warnings
        assert utc_text(second.previous_secret_valid_until or third.rotated_at) in warning
        assert second.warnings == []

    async def test_of_several_at_once_exactly_one_secret_is_left(
        self, gatekeeper: Gatekeeper, created: NewCredentials
    ) -> None:
        rotated = await asyncio.gather(
            *(rotate_credential(gatekeeper, created.subscription_id, NOW) for _ in range(5))
        )
        opened = [await opens(gatekeeper, created.subscription_id, one.api_secret) for one in rotated]
        assert opened.count(True) == 1

    async def test_what_is_shown_is_the_end_of_the_new_secret(
        self, gatekeeper: Gatekeeper, created: NewCredentials
    ) -> None:
        rotated = await rotate_credential(gatekeeper, created.subscription_id, NOW)
        record = await shown(gatekeeper, NewCredentials(created.subscription_id, rotated.api_secret))
        assert record.secret_preview == f"...{rotated.api_secret[-4:]}"
        assert record.rotated_at == rotated.rotated_at
        assert rotated.api_secret not in record.model_dump_json()

    async def test_a_subscription_that_is_not_there_is_refused(self, gatekeeper: Gatekeeper) -> None:
        with pytest.raises(Refusal) as refused:
            await rotate_credential(gatekeeper, new_id(), NOW)
        assert refused.value.code is Code.NOT_FOUND

    async def test_other_subscriptions_keep_their_secret(
        self, gatekeeper: Gatekeeper, created: NewCredentials
    ) -> None:
        other = await create_subscription(gatekeeper, "Outra")
        await rotate_credential(gatekeeper, created.subscription_id, NOW)
        assert await opens(gatekeeper, other.subscription_id, other.secret)


class TestPepper:
    async def test_it_is_the_same_at_every_start(
        self, database: Database, gatekeeper: Gatekeeper, created: NewCredentials
    ) -> None:
        again = await Gatekeeper.open(database)
        assert again.pepper == gatekeeper.pepper
        assert await opens(again, created.subscription_id, created.secret)

    async def test_starts_at_once_agree(self, database: Database) -> None:
        opened = await asyncio.gather(*(Gatekeeper.open(database) for _ in range(8)))
        assert len({one.pepper for one in opened}) == 1

    async def test_without_it_a_hash_says_nothing(self, database: Database, created: NewCredentials) -> None:
        assert not await opens(Gatekeeper(database, bytes(32)), created.subscription_id, created.secret)

    def test_it_is_never_shown(self, gatekeeper: Gatekeeper) -> None:
        assert repr(gatekeeper.pepper) not in repr(gatekeeper)

    def test_a_new_secret_is_never_shown_by_accident(self, created: NewCredentials) -> None:
        assert created.secret not in repr(created)
