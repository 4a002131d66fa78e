import asyncio
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from uuid import UUID

import pytest

from carimbo.service.maintenance import RekeyReport, rekey_secrets
from carimbo.storage.database import Database, open_database
from carimbo.storage.envelope import DecryptionFailed, KeyRing, new_key
from carimbo.storage.identifiers import new_id
from carimbo.storage.secrets import Secrets

NewDatabase = Callable[[], AbstractAsyncContextManager[str]]


@dataclass(frozen=True)
class Installation:
    """A database opened with the old key only, and with a new key before the old one."""

    before: Database
    after: Database


@pytest.fixture
async def installation(new_migrated_database: NewDatabase) -> AsyncIterator[Installation]:
    old, new = new_key("old"), new_key("new")
    async with (
        new_migrated_database() as url,
        open_database(url, KeyRing.parse(old)) as before,
        open_database(url, KeyRing.parse(f"{new},{old}")) as after,
    ):
        yield Installation(before, after)


@pytest.fixture
def tenant_id() -> UUID:
    """Secrets need no subscription row, as the installation has secrets too."""
    return new_id()


async def put(database: Database, tenant_id: UUID, owner_id: UUID, name: str, secret: bytes) -> None:
    async with database.tenant(tenant_id) as tenant:
        await tenant.secrets.put(owner_id, name, secret)


async def get(database: Database, tenant_id: UUID, owner_id: UUID, name: str) -> bytes | None:
    async with database.tenant(tenant_id) as tenant:
        return await tenant.secrets.get(owner_id, name)


class TestPutAndGet:
    async def test_a_stored_secret_is_read_back(self, database: Database, tenant_id: UUID) -> None:
        owner_id = new_id()
        await put(database, tenant_id, owner_id, "csc", b"one")
        assert await get(database, tenant_id, owner_id, "csc") == b"one"

    async def test_a_new_secret_replaces_the_old_one(self, database: Database, tenant_id: UUID) -> None:
        owner_id = new_id()
        for secret in (b"one", b"two"):
            await put(database, tenant_id, owner_id, "csc", secret)
        assert await get(database, tenant_id, owner_id, "csc") == b"two"

    async def test_a_missing_secret_is_none(self, database: Database, tenant_id: UUID) -> None:
        assert await get(database, tenant_id, new_id(), "csc") is None

    async def test_the_database_never_sees_the_secret(self, database: Database, tenant_id: UUID) -> None:
        await put(database, tenant_id, new_id(), "csc", b"in plain sight")
        async with database.connection() as connection:
            (sealed,) = await connection.fetch(
                "select sealed from secrets where subscription_id = $1", tenant_id
            )
        assert b"in plain sight" not in sealed["sealed"]

    async def test_simultaneous_writers_leave_one_of_their_secrets(
        self, database: Database, tenant_id: UUID
    ) -> None:
        owner_id = new_id()
        candidates = [secrets.token_bytes(16) for _ in range(10)]
        await asyncio.gather(
            *(put(database, tenant_id, owner_id, "csc", candidate) for candidate in candidates)
        )
        assert await get(database, tenant_id, owner_id, "csc") in candidates


class TestGetOrCreate:
    async def test_simultaneous_callers_get_the_same_secret(
        self, database: Database, tenant_id: UUID
    ) -> None:
        owner_id = new_id()

        async def get_or_create() -> bytes:
            async with database.tenant(tenant_id) as tenant:
                return await tenant.secrets.get_or_create(owner_id, "pepper", secrets.token_bytes(32))

        agreed = set(await asyncio.gather(*(get_or_create() for _ in range(20))))
        assert agreed == {await get(database, tenant_id, owner_id, "pepper")}

    async def test_an_existing_secret_is_kept(self, database: Database, tenant_id: UUID) -> None:
        owner_id = new_id()
        await put(database, tenant_id, owner_id, "pepper", b"first")
        async with database.tenant(tenant_id) as tenant:
            assert await tenant.secrets.get_or_create(owner_id, "pepper", b"second") == b"first"


class TestDelete:
    async def test_only_the_named_secret_is_deleted(self, database: Database, tenant_id: UUID) -> None:
        owner_id = new_id()
        for name in ("csc", "pfx"):
            await put(database, tenant_id, owner_id, name, b"secret")
        async with database.tenant(tenant_id) as tenant:
            await tenant.secrets.delete(owner_id, "csc")
        assert await get(database, tenant_id, owner_id, "csc") is None
        assert await get(database, tenant_id, owner_id, "pfx") == b"secret"

    async def test_all_secrets_of_an_owner_are_deleted_together(
        self, database: Database, tenant_id: UUID
    ) -> None:
        owner_id, other_id = new_id(), new_id()
        for each_owner in (owner_id, other_id):
            for name in ("csc", "pfx"):
                await put(database, tenant_id, each_owner, name, b"secret")
        async with database.tenant(tenant_id) as tenant:
            await tenant.secrets.delete_all(owner_id)
        assert await get(database, tenant_id, owner_id, "csc") is None
        assert await get(database, tenant_id, owner_id, "pfx") is None
        assert await get(database, tenant_id, other_id, "pfx") == b"secret"


class TestCopiedValue:
    @pytest.mark.parametrize("column", ["subscription_id", "owner_id", "name"])
    async def test_a_copied_secret_cannot_be_decrypted_in_another_row(
        self, installation: Installation, tenant_id: UUID, column: str
    ) -> None:
        database = installation.before
        owner_id = new_id()
        await put(database, tenant_id, owner_id, "csc", b"secret")
        position: dict[str, UUID | str] = {"subscription_id": tenant_id, "owner_id": owner_id, "name": "csc"}
        position[column] = "pfx" if column == "name" else new_id()
        async with database.connection() as connection:
            await connection.execute(
                "insert into secrets (subscription_id, owner_id, name, key_id, sealed)"
                " select $1, $2, $3, key_id, sealed from secrets where subscription_id = $4",
                *position.values(), tenant_id,
            )  # fmt: skip
        async with database.tenant(UUID(str(position["subscription_id"]))) as tenant:
            with pytest.raises(DecryptionFailed):
                await tenant.secrets.get(UUID(str(position["owner_id"])), str(position["name"]))


class TestRekey:
    async def test_every_secret_gets_the_new_key_while_readers_read(
        self, installation: Installation, tenant_id: UUID
    ) -> None:
        wanted = {new_id(): secrets.token_bytes(40) for _ in range(250)}
        async with installation.before.tenant(tenant_id) as tenant:
            for owner_id, secret in wanted.items():
                await tenant.secrets.put(owner_id, "pfx", secret)
        done = asyncio.Event()
        reads = 0

        async def read() -> None:
            nonlocal reads
            while not done.is_set():
                for owner_id, secret in list(wanted.items())[::25]:
                    assert await get(installation.after, tenant_id, owner_id, "pfx") == secret
                    reads += 1

        readers = [asyncio.create_task(read()) for _ in range(3)]
        report = await rekey_secrets(installation.after)
        done.set()
        await asyncio.gather(*readers)

        assert reads > 0
        assert report == RekeyReport("new", len(wanted), {})
        only_new = KeyRing("new", {"new": installation.after.key_ring.keys["new"]})
        async with installation.after.transaction() as connection:
            alone = Secrets(connection, tenant_id, only_new)
            assert {owner_id: await alone.get(owner_id, "pfx") for owner_id in wanted} == wanted

    async def test_secrets_written_with_the_old_key_meanwhile_are_rekeyed_later(
        self, installation: Installation, tenant_id: UUID
    ) -> None:
        await rekey_secrets(installation.after)
        owner_id = new_id()
        await put(installation.before, tenant_id, owner_id, "pfx", b"secret")
        assert await rekey_secrets(installation.after) == RekeyReport("new", 1, {})
        with pytest.raises(DecryptionFailed, match="'new'"):
            await get(installation.before, tenant_id, owner_id, "pfx")

    async def test_a_second_run_has_nothing_to_do(self, installation: Installation, tenant_id: UUID) -> None:
        await put(installation.before, tenant_id, new_id(), "pfx", b"secret")
        assert await rekey_secrets(installation.after) == RekeyReport("new", 1, {})
        assert await rekey_secrets(installation.after) == RekeyReport("new", 0, {})

    async def test_simultaneous_runs_share_the_work(
        self, installation: Installation, tenant_id: UUID
    ) -> None:
        owners = [new_id() for _ in range(150)]
        async with installation.before.tenant(tenant_id) as tenant:
            for owner_id in owners:
                await tenant.secrets.put(owner_id, "pfx", b"secret")
        reports = await asyncio.gather(rekey_secrets(installation.after), rekey_secrets(installation.after))
        assert sum(report.rewrapped for report in reports) == len(owners)
        for owner_id in owners:
            assert await get(installation.after, tenant_id, owner_id, "pfx") == b"secret"

    async def test_a_locked_row_is_reported_as_left(
        self, installation: Installation, tenant_id: UUID
    ) -> None:
        for _ in range(2):
            await put(installation.before, tenant_id, new_id(), "pfx", b"secret")
        async with installation.before.transaction() as holder:
            await holder.execute("select from secrets limit 1 for update")
            assert await rekey_secrets(installation.after) == RekeyReport("new", 1, {"old": 1})
        assert await rekey_secrets(installation.after) == RekeyReport("new", 1, {})

    async def test_a_value_copied_to_another_row_does_not_get_the_new_key(
        self, installation: Installation, tenant_id: UUID
    ) -> None:
        await put(installation.before, tenant_id, new_id(), "pfx", b"secret")
        async with installation.before.connection() as connection:
            await connection.execute(
                "insert into secrets (subscription_id, owner_id, name, key_id, sealed)"
                " select $1, owner_id, name, key_id, sealed from secrets",
                new_id(),
            )
        with pytest.raises(DecryptionFailed):
            await rekey_secrets(installation.after)
