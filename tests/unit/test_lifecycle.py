import re
from importlib.resources import files

import pytest

from carimbo.fiscal.lifecycle import EMITTABLE, EmissionState, Happening, Status

# The history's words, those of events that change an authorised document included.
PROMISED_HAPPENINGS = {
    "created", "queued", "numbered", "signed", "transmitted", "consulted", "contingency", "authorized",
    "rejected", "cancellation", "correction", "close", "driverInclusion", "documentInclusion", "payment",
    "substitution",
}  # fmt: skip


def words_of(column: str) -> set[str]:
    """What the database takes in a column of documents or emissions."""
    migration = files("carimbo.storage") / "migrations" / "0004_documents.sql"
    (listed,) = re.findall(rf"{column} in \(([^)]+)\)", migration.read_text(encoding="utf-8"))
    return set(re.findall(r"'(\w+)'", listed))


class TestStatus:
    def test_there_are_five(self) -> None:
        assert [*Status] == ["pending", "processing", "authorized", "rejected", "canceled"]

    def test_the_database_takes_each_and_no_other(self) -> None:
        assert words_of("status") == set(Status)

    @pytest.mark.parametrize("status", Status)
    def test_what_was_decided_for_good_or_is_under_way_cannot_be_emitted(self, status: Status) -> None:
        assert (status in EMITTABLE) == (status in ("pending", "rejected"))


class TestHappening:
    def test_its_words_are_those_of_the_api(self) -> None:
        assert set(Happening) <= PROMISED_HAPPENINGS

    @pytest.mark.parametrize("status", [Status.AUTHORIZED, Status.REJECTED])
    def test_an_outcome_is_told_by_its_own_name(self, status: Status) -> None:
        assert Happening(status).value == status.value


class TestEmissionState:
    def test_the_database_takes_each_and_no_other(self) -> None:
        assert words_of("state") == set(EmissionState)
