import re
from importlib.resources import files

import pytest

from carimbo.fiscal.lifecycle import EMITTABLE, EmissionState, HistoryEntry, Status

# The names in a document's history, including those of events that change an authorized document.
PROMISED_HAPPENINGS = {
    "created", "changed", "queued", "numbered", "signed", "transmitted", "consulted", "contingency",
    "authorized", "rejected", "cancellation", "correction", "close", "driverInclusion", "documentInclusion",
    "payment", "substitution",
}  # fmt: skip


def words_of(column: str) -> set[str]:
    """Returns the values that the database accepts in a column of documents or emissions."""
    migration = files("carimbo.storage") / "migrations" / "0004_documents.sql"
    (listed,) = re.findall(rf"{column} in \(([^)]+)\)", migration.read_text(encoding="utf-8"))
    return set(re.findall(r"'(\w+)'", listed))


class TestStatus:
    def test_there_are_five_statuses(self) -> None:
        assert [*Status] == ["pending", "processing", "authorized", "rejected", "canceled"]

    def test_database_accepts_every_status_and_no_other(self) -> None:
        assert words_of("status") == set(Status)

    @pytest.mark.parametrize("status", Status)
    def test_decided_or_pending_document_cannot_be_emitted(self, status: Status) -> None:
        assert (status in EMITTABLE) == (status in ("pending", "rejected"))


class TestHappening:
    def test_history_names_are_those_of_the_api(self) -> None:
        assert set(HistoryEntry) <= PROMISED_HAPPENINGS

    @pytest.mark.parametrize("status", [Status.AUTHORIZED, Status.REJECTED])
    def test_outcome_is_recorded_under_its_own_name(self, status: Status) -> None:
        assert HistoryEntry(status).value == status.value


class TestEmissionState:
    def test_database_accepts_every_emission_state_and_no_other(self) -> None:
        assert words_of("state") == set(EmissionState)
