"""The journal of requests."""

from dataclasses import replace

import pytest

from carimbo.simulator import journal as module
from carimbo.simulator.journal import Entry, Journal
from carimbo.simulator.store import Store
from unit.simulator.front_desk import KEY, NOW, OTHER_KEY


@pytest.fixture
def journal(store: Store) -> Journal:
    return Journal(store)


def entry(
    subject: str = KEY, service: str = "NFeAutorizacao4", fault: str = "", keys: tuple[str, ...] = ()
) -> Entry:
    return Entry(
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


def ids(entries: list[Entry]) -> list[int]:
    return [one.id for one in entries]


class TestEntries:
    def test_come_back_as_they_were_written(self, journal: Journal) -> None:
        lot = entry("lote 7", fault="SIMULA:HTML", keys=(OTHER_KEY, KEY))
        journal.write(lot)
        [found] = journal.entries()
        assert found == replace(lot, id=1)

    def test_without_a_place_to_begin_are_the_last_ones(self, journal: Journal) -> None:
        for _ in range(5):
            journal.write(entry())
        assert ids(journal.entries(limit=2)) == [4, 5]

    def test_can_be_read_page_by_page(self, journal: Journal) -> None:
        for _ in range(5):
            journal.write(entry())
        assert ids(journal.entries(after=0, limit=2)) == [1, 2]
        assert ids(journal.entries(after=2, limit=2)) == [3, 4]
        assert ids(journal.entries(after=5)) == []

    def test_can_be_asked_by_subject_and_by_service(self, journal: Journal) -> None:
        for subject, service in ((KEY, "A"), (OTHER_KEY, "A"), (KEY, "B")):
            journal.write(entry(subject, service))
        assert ids(journal.entries(subject=KEY)) == [1, 3]
        assert ids(journal.entries(service="A")) == [1, 2]
        assert ids(journal.entries(subject=KEY, service="B")) == [3]

    def test_can_be_asked_by_key_whatever_their_subject(self, journal: Journal) -> None:
        event = f"ID110111{KEY}01"
        for subject, keys in ((KEY, (KEY,)), (event, (KEY,)), ("lote 7", (OTHER_KEY, KEY)), ("SP", ())):
            journal.write(entry(subject, keys=keys))
        assert ids(journal.entries(key=KEY)) == [1, 2, 3]
        assert ids(journal.entries(key=OTHER_KEY)) == [3]
        assert ids(journal.entries(1, key=KEY, limit=1)) == [2]
        assert ids(journal.entries(key=KEY, subject=event)) == [2]

    def test_are_of_the_very_subject_that_is_asked_for(self, journal: Journal) -> None:
        journal.write(entry("lote 7", keys=(KEY,)), parts=(KEY,))
        assert ids(journal.entries(subject=KEY)) == []

    def test_are_found_by_key_without_reading_the_others(self, store: Store, journal: Journal) -> None:
        seen: list[str] = []
        store.connection.set_trace_callback(seen.append)
        journal.entries(key=KEY, subject="lote 7")
        store.connection.set_trace_callback(None)
        plan = store.connection.execute(f"explain query plan {seen[-1]}").fetchall()
        steps = [row["detail"] for row in plan]
        assert not [step for step in steps if step.startswith("SCAN")], steps

    def test_are_not_more_than_the_file_may_hold(
        self, store: Store, journal: Journal, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(module, "MOST_ROWS", 3)
        for _ in range(5):
            journal.write(entry(keys=(KEY, OTHER_KEY)))
        assert ids(journal.entries()) == [3, 4, 5]
        assert ids(journal.entries(key=OTHER_KEY)) == [3, 4, 5]
        [(left,)] = store.connection.execute("select count(*) from journal_names").fetchall()
        assert left == 6


class TestFaults:
    def test_are_remembered_by_subject_service_and_name(self, journal: Journal) -> None:
        journal.write(entry(fault="SIMULA:HTTP:503 SIMULA:DEMORA:5s"))
        assert journal.has_faulted(KEY, "NFeAutorizacao4", "SIMULA:HTTP:503")
        assert journal.has_faulted(KEY, "NFeAutorizacao4", "SIMULA:DEMORA:5s")
        assert not journal.has_faulted(KEY, "NFeAutorizacao4", "SIMULA:HTTP:50")
        assert not journal.has_faulted(OTHER_KEY, "NFeAutorizacao4", "SIMULA:HTTP:503")
        assert not journal.has_faulted(KEY, "NFeConsultaProtocolo4", "SIMULA:HTTP:503")

    def test_of_a_lot_are_those_of_its_parts(self, journal: Journal) -> None:
        journal.write(entry("lote 7", fault="SIMULA:HTML"), parts=(KEY, OTHER_KEY))
        assert journal.has_faulted(KEY, "NFeAutorizacao4", "SIMULA:HTML")
        assert journal.has_faulted(OTHER_KEY, "NFeAutorizacao4", "SIMULA:HTML")
