import asyncio
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from uuid import UUID

import pytest

from carimbo.service.rekey import RekeyReport, rekey_secrets
from carimbo.storage.database import Database, open_database
from carimbo.storage.envelope import KeyRing, SealBroken, new_key
from carimbo.storage.identifiers import new_id
from carimbo.storage.secrets import Secrets

NewDatabase = Callable[[], AbstractAsyncContextManager[str]]


@dataclass(frozen=True)
class Installation:
    """A database of its own as a process sees it before, and after, the operator put a new key first."""

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
    """Secrets need no subscription row: the installation has some too."""
    return new_id()


async def put(database: Database, tenant_id: UUID, owner_id: UUID, name: str, secret: bytes) -> None:
    async with database.tenant(tenant_id) as tenant:
        await tenant.secrets.put(owner_id, name, secret)


async def get(database: Database, tenant_id: UUID, owner_id: UUID, name: str) -> bytes | None:
    async with database.tenant(tenant_id) as tenant:
        return await tenant.secrets.get(owner_id, name)


class TestPutAndGet:
    async def test_what_was_put_is_got(self, database: Database, tenant_id: UUID) -> None:
        owner_id = new_id()
        await put(database, tenant_id, owner_id, "csc", b"one")
        assert await get(database, tenant_id, owner_id, "csc") == b"one"

    async def test_the_last_one_put_stays(self, database: Database, tenant_id: UUID) -> None:
        owner_id = new_id()
        for secret in (b"one", b"two"):
            await put(database, tenant_id, owner_id, "csc", secret)
        assert await get(database, tenant_id, owner_id, "csc") == b"two"

    async def test_there_is_none_before_one_is_put(self, database: Database, tenant_id: UUID) -> None:
        assert await get(database, tenant_id, new_id(), "csc") is None

    async def test_the_database_never_sees_the_secret(self, database: Database, tenant_id: UUID) -> None:
        await put(database, tenant_id, new_id(), "csc", b"in plain sight")
        async with database.connection() as connection:
            (sealed,) = await connection.fetch(
                "select sealed from secrets where subscription_id = $1", tenant_id
            )
        assert b"in plain sight" not in sealed["sealed"]

    async def test_writers_at_once_leave_one_of_theirs(self, database: Database, tenant_id: UUID) -> None:
        owner_id = new_id()
        candidates = [secrets.token_bytes(16) for _ in range(10)]
        await asyncio.gather(*(put(database, tenant_id, owner_id, "csc", one) for one in candidates))
        assert await get(database, tenant_id, owner_id, "csc") in candidates


class TestGetOrCreate:
    async def test_all_that_come_at_once_agree(self, database: Database, tenant_id: UUID) -> None:
        owner_id = new_id()

        async def one_of_many() -> bytes:
            async with database.tenant(tenant_id) as tenant:
                return await tenant.secrets.get_or_create(owner_id, "pepper", secrets.token_bytes(32))

        agreed = set(await asyncio.gather(*(one_of_many() for _ in range(20))))
        assert agreed == {await get(database, tenant_id, owner_id, "pepper")}

    async def test_one_that_is_there_stays(self, database: Database, tenant_id: UUID) -> None:
        owner_id = new_id()
        await put(database, tenant_id, owner_id, "pepper", b"first")
        async with database.tenant(tenant_id) as tenant:
            assert await tenant.secrets.get_or_create(owner_id, "pepper", b"second") == b"first"


class TestDelete:
    async def test_only_the_named_one_goes(self, database: Database, tenant_id: UUID) -> None:
        owner_id = new_id()
        for name in ("csc", "pfx"):
            await put(database, tenant_id, owner_id, name, b"secret")
        async with database.tenant(tenant_id) as tenant:
            await tenant.secrets.delete(owner_id, "csc")
        assert await get(database, tenant_id, owner_id, "csc") is None
        assert await get(database, tenant_id, owner_id, "pfx") == b"secret"

    async def test_all_of_an_owner_go_together(self, database: Database, tenant_id: UUID) -> None:
        owner_id, other_id = new_id(), new_id()
        for one in (owner_id, other_id):
            for name in ("csc", "pfx"):
                await put(database, tenant_id, one, name, b"secret")
        async with database.tenant(tenant_id) as tenant:
            await tenant.secrets.delete_all(owner_id)
        assert await get(database, tenant_id, owner_id, "csc") is None
        assert await get(database, tenant_id, owner_id, "pfx") is None
        assert await get(database, tenant_id, other_id, "pfx") == b"secret"


class TestCopiedValue:
    @pytest.mark.parametrize("column", ["subscription_id", "owner_id", "name"])
    async def test_it_does_not_open_in_another_row(
        self, installation: Installation, tenant_id: UUID, column: str
    ) -> None:
        database = installation.before
        owner_id = new_id()
        await put(database, tenant_id, owner_id, "csc", b"secret")
        place: dict[str, UUID | str] = {"subscription_id": tenant_id, "owner_id": owner_id, "name": "csc"}
        place[column] = "pfx" if column == "name" else new_id()
        async with database.connection() as connection:
            await connection.execute(
                "insert into secrets (subscription_id, owner_id, name, key_id, sealed)"
                " select $1, $2, $3, key_id, sealed from secrets where subscription_id = $4",
                *place.values(), tenant_id,
            )  # fmt: skip
        async with database.tenant(UUID(str(place["subscription_id"]))) as tenant:
            with pytest.raises(SealBroken):
                await tenant.secrets.get(UUID(str(place["owner_id"])), str(place["name"]))


class TestRekey:
    async def test_every_secret_goes_under_the_new_key_while_readers_read(
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

    async def test_a_process_that_knows_only_the_old_key_writes_on_and_is_rekeyed_later(
        self, installation: Installation, tenant_id: UUID
    ) -> None:
        await rekey_secrets(installation.after)
        owner_id = new_id()
        await put(installation.before, tenant_id, owner_id, "pfx", b"secret")
        assert await rekey_secrets(installation.after) == RekeyReport("new", 1, {})
        with pytest.raises(SealBroken, match="'new'"):
            await get(installation.before, tenant_id, owner_id, "pfx")

    async def test_a_second_run_has_nothing_to_do(self, installation: Installation, tenant_id: UUID) -> None:
        await put(installation.before, tenant_id, new_id(), "pfx", b"secret")
        assert await rekey_secrets(installation.after) == RekeyReport("new", 1, {})
        assert await rekey_secrets(installation.after) == RekeyReport("new", 0, {})

    async def test_two_runs_at_once_share_the_work(self, installation: Installation, tenant_id: UUID) -> None:
        owners = [new_id() for _ in range(150)]
        async with installation.before.tenant(tenant_id) as tenant:
            for owner_id in owners:
                await tenant.secrets.put(owner_id, "pfx", b"secret")
        reports = await asyncio.gather(rekey_secrets(installation.after), rekey_secrets(installation.after))
        assert sum(report.rewrapped for report in reports) == len(owners)
        for owner_id in owners:
            assert await get(installation.after, tenant_id, owner_id, "pfx") == b"secret"

    async def test_a_row_that_somebody_holds_is_reported_as_left(
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
        with pytest.raises(SealBroken):
            await rekey_secrets(installation.after)
