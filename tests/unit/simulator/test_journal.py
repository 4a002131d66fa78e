"""The journal of requests."""

from dataclasses import replace

import pytest

from carimbo.simulator.program import journal as module
from carimbo.simulator.program.journal import Journal, JournalEntry
from carimbo.simulator.store import Store
from unit.simulator.sample_family import KEY, NOW, OTHER_KEY


@pytest.fixture
def journal(store: Store) -> Journal:
    return Journal(store)


def entry(
    subject: str = KEY, service: str = "NFeAutorizacao4", fault: str = "", keys: tuple[str, ...] = ()
) -> JournalEntry:
    return JournalEntry(
        at=NOW,
        authorizer="SP",
        environment="2",
        service=service,
        subject=subject,
        keys=keys,
        taxpayer="11222333000181",
        bytes=4,
        digest="ab" * 32,
        status=200,
        code="100",
        message="Autorizado o uso da NF-e",
        fault=fault,
    )


def ids(entries: list[JournalEntry]) -> list[int]:
    return [entry.id for entry in entries]


class TestEntries:
    def test_entry_is_read_as_it_was_written(self, journal: Journal) -> None:
        lot = entry("lote 7", fault="SIMULA:HTML", keys=(OTHER_KEY, KEY))
        journal.write(lot)
        [stored] = journal.entries()
        assert stored == replace(lot, id=1)

    def test_latest_entries_are_returned_if_no_start_is_given(self, journal: Journal) -> None:
        for _ in range(5):
            journal.write(entry())
        assert ids(journal.entries(limit=2)) == [4, 5]

    def test_entries_are_read_page_by_page(self, journal: Journal) -> None:
        for _ in range(5):
            journal.write(entry())
        assert ids(journal.entries(after=0, limit=2)) == [1, 2]
        assert ids(journal.entries(after=2, limit=2)) == [3, 4]
        assert ids(journal.entries(after=5)) == []

    def test_entries_are_filtered_by_subject_and_service(self, journal: Journal) -> None:
        for subject, service in ((KEY, "A"), (OTHER_KEY, "A"), (KEY, "B")):
            journal.write(entry(subject, service))
        assert ids(journal.entries(subject=KEY)) == [1, 3]
        assert ids(journal.entries(service="A")) == [1, 2]
        assert ids(journal.entries(subject=KEY, service="B")) == [3]

    def test_entries_are_filtered_by_key_with_any_subject(self, journal: Journal) -> None:
        event = f"ID110111{KEY}01"
        for subject, keys in ((KEY, (KEY,)), (event, (KEY,)), ("lote 7", (OTHER_KEY, KEY)), ("SP", ())):
            journal.write(entry(subject, keys=keys))
        assert ids(journal.entries(key=KEY)) == [1, 2, 3]
        assert ids(journal.entries(key=OTHER_KEY)) == [3]
        assert ids(journal.entries(1, key=KEY, limit=1)) == [2]
        assert ids(journal.entries(key=KEY, subject=event)) == [2]

    def test_filter_by_subject_needs_the_exact_subject(self, journal: Journal) -> None:
        journal.write(entry("lote 7", keys=(KEY,)), parts=(KEY,))
        assert ids(journal.entries(subject=KEY)) == []

    def test_filter_by_key_uses_an_index(self, store: Store, journal: Journal) -> None:
        seen: list[str] = []
        store.connection.set_trace_callback(seen.append)
        journal.entries(key=KEY, subject="lote 7")
        store.connection.set_trace_callback(None)
        plan = store.connection.execute(f"explain query plan {seen[-1]}").fetchall()
        steps = [row["detail"] for row in plan]
        assert not [step for step in steps if step.startswith("SCAN")], steps

    def test_number_of_entries_is_limited(
        self, store: Store, journal: Journal, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(module, "MAX_ROWS", 3)
        for _ in range(5):
            journal.write(entry(keys=(KEY, OTHER_KEY)))
        assert ids(journal.entries()) == [3, 4, 5]
        assert ids(journal.entries(key=OTHER_KEY)) == [3, 4, 5]
        [(left,)] = store.connection.execute("select count(*) from journal_names").fetchall()
        assert left == 6


class TestFaults:
    def test_faults_are_recorded_by_subject_service_and_name(self, journal: Journal) -> None:
        journal.write(entry(fault="SIMULA:HTTP:503 SIMULA:DEMORA:5s"))
        assert journal.has_faulted(KEY, "NFeAutorizacao4", "SIMULA:HTTP:503")
        assert journal.has_faulted(KEY, "NFeAutorizacao4", "SIMULA:DEMORA:5s")
        assert not journal.has_faulted(KEY, "NFeAutorizacao4", "SIMULA:HTTP:50")
        assert not journal.has_faulted(OTHER_KEY, "NFeAutorizacao4", "SIMULA:HTTP:503")
        assert not journal.has_faulted(KEY, "NFeConsultaProtocolo4", "SIMULA:HTTP:503")

    def test_faults_of_a_lot_count_for_its_documents(self, journal: Journal) -> None:
        journal.write(entry("lote 7", fault="SIMULA:HTML"), parts=(KEY, OTHER_KEY))
        assert journal.has_faulted(KEY, "NFeAutorizacao4", "SIMULA:HTML")
        assert journal.has_faulted(OTHER_KEY, "NFeAutorizacao4", "SIMULA:HTML")
