"""The simulator's database file."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from carimbo.simulator.distribution_sequence import DistributionSequence
from carimbo.simulator.ledger import DocumentStatus, Ledger
from carimbo.simulator.store import Store, StoreOfAnotherVersion

NFE = "35261111222333000181550010000000011000000014"
NFCE = "35261111222333000181650010000000019000000014"
VERSION_2 = f"""
pragma user_version = 2;
create table documents (
    environment text not null, access_key text not null, authorizer text not null, issuer text not null,
    recipient text not null, series integer not null, number integer not null, issued_at text not null,
    received_at text not null, code text not null, protocol text not null, digest text not null,
    xml blob not null, protocol_xml blob not null, canceled integer not null default 0,
    primary key (environment, access_key)
);
create unique index document_numbers on documents (
    environment, substr(access_key, 1, 2), substr(access_key, 7, 28),
    case substr(access_key, 21, 2) when '65' then substr(access_key, 35, 1) else '' end
) where length(access_key) = 44;
insert into documents values
    ('2', '{NFE}', 'SP', '11222333000181', '', 1, 1, '2026-11-15T12:00:00+00:00',
     '2026-11-15T12:00:00+00:00', '100', '1', '', x'', x'', 1),
    ('2', '{NFCE}', 'SP', '11222333000181', '', 1, 1, '2026-11-15T12:00:00+00:00',
     '2026-11-15T12:00:00+00:00', '100', '2', '', x'', x'', 0);
"""
VERSION_3 = """
drop table documents;
create table interests (
    environment text not null, taxpayer text not null, nsu integer not null, access_key text not null,
    schema text not null, created_at text not null, xml blob not null,
    primary key (environment, taxpayer, nsu)
);
insert into interests values
    ('2', '11222333000181', 7, '', 'procNFe_v4.00.xsd', '2026-11-15T12:00:00+00:00', x'');
pragma user_version = 3;
"""


class TestOpen:
    def test_reopened_file_keeps_its_data(self, tmp_path: Path) -> None:
        with closing(Store.open(tmp_path / "file")) as store:
            assert store.next_number("x") == 1
        with closing(Store.open(tmp_path / "file")) as store:
            assert store.next_number("x") == 2

    def test_file_of_another_version_is_reported(self, tmp_path: Path) -> None:
        with closing(sqlite3.connect(tmp_path / "file")) as older:
            older.execute("create table journal (id integer)")
        with pytest.raises(StoreOfAnotherVersion):
            Store.open(tmp_path / "file")


class TestUpgrade:
    def test_upgrade_from_version_2_keeps_documents_and_statuses(self, tmp_path: Path) -> None:
        with closing(sqlite3.connect(tmp_path / "file")) as older:
            older.executescript(VERSION_2)
        with closing(Store.open(tmp_path / "file")) as store:
            ledger = Ledger(store)
            canceled, authorized = ledger.document("2", NFE), ledger.document("2", NFCE)
            assert canceled and authorized
            assert (canceled.status, authorized.status) == (
                DocumentStatus.CANCELED,
                DocumentStatus.AUTHORIZED,
            )
            assert ledger.holder_of_number("2", f"{NFE[:2]}{NFE[6:34]}") == canceled
            assert ledger.holder_of_number("2", f"{NFCE[:2]}{NFCE[6:35]}") == authorized

    def test_upgrade_from_version_2_keeps_numbers_taken(self, tmp_path: Path) -> None:
        with closing(sqlite3.connect(tmp_path / "file")) as older:
            older.executescript(VERSION_2)
        with closing(Store.open(tmp_path / "file")) as store:
            ledger = Ledger(store)
            existing = ledger.document("2", NFE)
            assert existing
            with pytest.raises(sqlite3.IntegrityError):
                ledger.keep_document(
                    replace(existing, access_key=f"{NFE[:35]}999999999"), f"{NFE[:2]}{NFE[6:34]}"
                )

    def test_upgrade_from_version_3_keeps_the_sequences_of_nfe(self, tmp_path: Path) -> None:
        with closing(sqlite3.connect(tmp_path / "file")) as older:
            older.executescript(VERSION_2 + VERSION_3)
        with closing(Store.open(tmp_path / "file")) as store:
            assert DistributionSequence(store, "2", "nfe").highest("11222333000181") == 7
            assert DistributionSequence(store, "2", "cte").highest("11222333000181") == 0


class TestTogether:
    def test_failed_transaction_stores_nothing(self, tmp_path: Path) -> None:
        with closing(Store.open(tmp_path / "file")) as store:
            with pytest.raises(ZeroDivisionError), store.together():
                store.next_number("x")
                raise ZeroDivisionError
            assert store.next_number("x") == 1

    def test_failed_transaction_may_already_be_rolled_back(self, tmp_path: Path) -> None:
        with closing(Store.open(tmp_path / "file")) as store:
            with pytest.raises(ZeroDivisionError), store.together():
                store.connection.execute("rollback")
                raise ZeroDivisionError
            assert store.next_number("x") == 1
