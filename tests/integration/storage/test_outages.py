"""Outages of authorities, shared by all processes of an installation."""

from datetime import datetime, timedelta

import pytest

from carimbo.storage.database import Database
from carimbo.storage.identifiers import new_id
from carimbo.storage.outages import AuthorityService, OutageRow, all_outages, end_outage, record_outage

MINUTE = timedelta(minutes=1)


@pytest.fixture
def service() -> AuthorityService:
    """An authority that no other test uses."""
    return AuthorityService("55", str(new_id()), "production")


async def record(database: Database, service: AuthorityService, code: str | None = "109") -> None:
    async with database.connection() as connection:
        await record_outage(connection, service, code, f"Paralisado {code}", MINUTE)


async def current_outage(database: Database, service: AuthorityService) -> OutageRow | None:
    async with database.connection() as connection:
        return next((outage for outage in await all_outages(connection) if outage.service == service), None)


async def require_outage(database: Database, service: AuthorityService) -> OutageRow:
    outage = await current_outage(database, service)
    assert outage is not None
    return outage


async def make_older(
    database: Database, service: AuthorityService, age: timedelta
) -> tuple[datetime, datetime]:
    """Moves an outage into the past. Returns its new beginning and the time it was last seen."""
    async with database.connection() as connection:
        row = await connection.fetchrow(
            "update outages set since = since - $2::interval, seen_at = seen_at - $2::interval"
            " where authorizer = $1 returning since, seen_at",
            service.authorizer, age,
        )  # fmt: skip
    assert row is not None
    return row["since"], row["seen_at"]


class TestRecordOutage:
    async def test_a_first_failure_begins_an_outage(
        self, database: Database, service: AuthorityService
    ) -> None:
        await record(database, service)
        outage = await require_outage(database, service)
        assert (outage.service, outage.code, outage.message) == (service, "109", "Paralisado 109")
        assert outage.since == outage.seen_at

    async def test_another_failure_continues_the_outage_with_its_own_message(
        self, database: Database, service: AuthorityService
    ) -> None:
        await record(database, service)
        since, seen_at = await make_older(database, service, MINUTE / 2)
        await record(database, service, None)
        outage = await require_outage(database, service)
        assert (outage.since, outage.code, outage.message) == (since, None, "Paralisado None")
        assert outage.seen_at > seen_at

    async def test_a_much_later_failure_begins_another_outage(
        self, database: Database, service: AuthorityService
    ) -> None:
        await record(database, service)
        since, _ = await make_older(database, service, 2 * MINUTE)
        await record(database, service)
        outage = await require_outage(database, service)
        assert outage.since > since
        assert outage.since == outage.seen_at

    async def test_every_model_and_environment_has_its_own_outages(
        self, database: Database, service: AuthorityService
    ) -> None:
        await record(database, service)
        assert (
            await current_outage(database, AuthorityService("65", service.authorizer, "production")) is None
        )
        assert (
            await current_outage(database, AuthorityService("55", service.authorizer, "homologation")) is None
        )


class TestEndOutage:
    async def test_ending_an_outage_leaves_those_of_other_services(
        self, database: Database, service: AuthorityService
    ) -> None:
        other = AuthorityService("65", service.authorizer, "production")
        await record(database, service)
        await record(database, other)
        async with database.connection() as connection:
            await end_outage(connection, service)
        assert await current_outage(database, service) is None
        assert await current_outage(database, other) is not None

    async def test_ending_a_missing_outage_does_nothing(
        self, database: Database, service: AuthorityService
    ) -> None:
        async with database.connection() as connection:
            await end_outage(connection, service)
        assert await current_outage(database, service) is None
