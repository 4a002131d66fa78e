"""The simulator's file."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from carimbo.simulator.store import Store, StoreOfAnotherVersion


class TestOpen:
    def test_again_finds_what_was_kept(self, tmp_path: Path) -> None:
        with closing(Store.open(tmp_path / "file")) as store:
            assert store.next_of("x") == 1
        with closing(Store.open(tmp_path / "file")) as store:
            assert store.next_of("x") == 2

    def test_a_file_of_another_version_is_told(self, tmp_path: Path) -> None:
        with closing(sqlite3.connect(tmp_path / "file")) as older:
            older.execute("create table journal (id integer)")
        with pytest.raises(StoreOfAnotherVersion):
            Store.open(tmp_path / "file")


class TestTogether:
    def test_keeps_nothing_of_what_fails(self, tmp_path: Path) -> None:
        with closing(Store.open(tmp_path / "file")) as store:
            with pytest.raises(ZeroDivisionError), store.together():
                store.next_of("x")
                raise ZeroDivisionError
            assert store.next_of("x") == 1

    def test_goes_on_after_a_rollback_of_its_own(self, tmp_path: Path) -> None:
        with closing(Store.open(tmp_path / "file")) as store:
            with pytest.raises(ZeroDivisionError), store.together():
                store.connection.execute("rollback")
                raise ZeroDivisionError
            assert store.next_of("x") == 1
