"""Breaks of authorities, as all processes of an installation share them."""

from datetime import datetime, timedelta

import pytest

from carimbo.storage.database import Database
from carimbo.storage.identifiers import new_id
from carimbo.storage.outages import AuthorityPlace, Outage, all_outages, end_outage, see_outage

MINUTE = timedelta(minutes=1)


@pytest.fixture
def place() -> AuthorityPlace:
    """An authority that no other test knows."""
    return AuthorityPlace("55", str(new_id()), "production")


async def see(database: Database, place: AuthorityPlace, code: str | None = "109") -> None:
    async with database.connection() as connection:
        await see_outage(connection, place, code, f"Paralisado {code}", MINUTE)


async def known(database: Database, place: AuthorityPlace) -> Outage | None:
    async with database.connection() as connection:
        return next((one for one in await all_outages(connection) if one.place == place), None)


async def seen(database: Database, place: AuthorityPlace) -> Outage:
    outage = await known(database, place)
    assert outage is not None
    return outage


async def make_older(database: Database, place: AuthorityPlace, age: timedelta) -> tuple[datetime, datetime]:
    """Move a break into the past; tells when it began and was last seen then."""
    async with database.connection() as connection:
        row = await connection.fetchrow(
            "update outages set since = since - $2::interval, seen_at = seen_at - $2::interval"
            " where authorizer = $1 returning since, seen_at",
            place.authorizer, age,
        )  # fmt: skip
    assert row is not None
    return row["since"], row["seen_at"]


class TestSeeOutage:
    async def test_a_first_failure_begins_a_break(self, database: Database, place: AuthorityPlace) -> None:
        await see(database, place)
        outage = await seen(database, place)
        assert (outage.place, outage.code, outage.message) == (place, "109", "Paralisado 109")
        assert outage.since == outage.seen_at

    async def test_another_one_goes_on_with_it_in_its_own_words(
        self, database: Database, place: AuthorityPlace
    ) -> None:
        await see(database, place)
        since, seen_at = await make_older(database, place, MINUTE / 2)
        await see(database, place, None)
        outage = await seen(database, place)
        assert (outage.since, outage.code, outage.message) == (since, None, "Paralisado None")
        assert outage.seen_at > seen_at

    async def test_one_that_comes_too_late_begins_another_break(
        self, database: Database, place: AuthorityPlace
    ) -> None:
        await see(database, place)
        since, _ = await make_older(database, place, 2 * MINUTE)
        await see(database, place)
        outage = await seen(database, place)
        assert outage.since > since
        assert outage.since == outage.seen_at

    async def test_every_model_and_environment_has_breaks_of_its_own(
        self, database: Database, place: AuthorityPlace
    ) -> None:
        await see(database, place)
        assert await known(database, AuthorityPlace("65", place.authorizer, "production")) is None
        assert await known(database, AuthorityPlace("55", place.authorizer, "homologation")) is None


class TestEndOutage:
    async def test_ends_the_break_of_that_place_alone(
        self, database: Database, place: AuthorityPlace
    ) -> None:
        other = AuthorityPlace("65", place.authorizer, "production")
        await see(database, place)
        await see(database, other)
        async with database.connection() as connection:
            await end_outage(connection, place)
        assert await known(database, place) is None
        assert await known(database, other) is not None

    async def test_of_an_authority_that_works_is_nothing(
        self, database: Database, place: AuthorityPlace
    ) -> None:
        async with database.connection() as connection:
            await end_outage(connection, place)
        assert await known(database, place) is None
