"""The security codes that NFC-e issuers share with their state."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest

from carimbo.simulator.registers import DEFAULT_ID, DEFAULT_TOKEN, SecurityCode, SecurityCodes
from carimbo.simulator.store import Store
from support import CNPJ

TOKEN = "FEDCBA9876543210FEDCBA9876543210"
ANOTHER_CNPJ = "66677788000183"


@pytest.fixture
def codes() -> Iterator[SecurityCodes]:
    with closing(Store(sqlite3.connect(":memory:", isolation_level=None))) as store:
        yield SecurityCodes(store)


class TestToken:
    def test_every_issuer_has_the_same_default_code(self, codes: SecurityCodes) -> None:
        assert codes.token(CNPJ, DEFAULT_ID) == codes.token(ANOTHER_CNPJ, DEFAULT_ID) == DEFAULT_TOKEN

    def test_other_codes_do_not_exist_by_default(self, codes: SecurityCodes) -> None:
        assert codes.token(CNPJ, DEFAULT_ID + 1) is None

    def test_registered_code_belongs_to_its_issuer_only(self, codes: SecurityCodes) -> None:
        codes.put(SecurityCode(CNPJ, 2, TOKEN))
        assert codes.token(CNPJ, 2) == TOKEN
        assert codes.token(ANOTHER_CNPJ, 2) is None

    def test_registered_code_replaces_the_default_one(self, codes: SecurityCodes) -> None:
        codes.put(SecurityCode(CNPJ, DEFAULT_ID, TOKEN))
        assert codes.token(CNPJ, DEFAULT_ID) == TOKEN
        assert codes.token(ANOTHER_CNPJ, DEFAULT_ID) == DEFAULT_TOKEN


class TestPut:
    def test_latest_code_of_an_id_is_kept(self, codes: SecurityCodes) -> None:
        codes.put(SecurityCode(CNPJ, 2, DEFAULT_TOKEN))
        codes.put(SecurityCode(CNPJ, 2, TOKEN))
        assert codes.all() == [SecurityCode(CNPJ, 2, TOKEN)]


class TestAll:
    def test_codes_are_listed_by_issuer_and_id(self, codes: SecurityCodes) -> None:
        assert codes.all() == []
        expected = [
            SecurityCode(CNPJ, 2, TOKEN),
            SecurityCode(CNPJ, 3, TOKEN),
            SecurityCode(ANOTHER_CNPJ, 2, TOKEN),
        ]
        for code in reversed(expected):
            codes.put(code)
        assert codes.all() == expected
