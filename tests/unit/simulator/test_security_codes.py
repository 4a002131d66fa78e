"""The codes that issuers of NFC-e share with their state."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest

from carimbo.simulator.security_codes import DEFAULT_ID, DEFAULT_TOKEN, SecurityCode, SecurityCodes
from carimbo.simulator.store import Store
from support import CNPJ

TOKEN = "FEDCBA9876543210FEDCBA9876543210"
ANOTHER_CNPJ = "66677788000183"


@pytest.fixture
def codes() -> Iterator[SecurityCodes]:
    with closing(Store(sqlite3.connect(":memory:", isolation_level=None))) as store:
        yield SecurityCodes(store)


class TestToken:
    def test_everybody_has_the_same_first_code(self, codes: SecurityCodes) -> None:
        assert codes.token(CNPJ, DEFAULT_ID) == codes.token(ANOTHER_CNPJ, DEFAULT_ID) == DEFAULT_TOKEN

    def test_nobody_has_another_one_unasked(self, codes: SecurityCodes) -> None:
        assert codes.token(CNPJ, DEFAULT_ID + 1) is None

    def test_a_registered_code_is_its_issuers_alone(self, codes: SecurityCodes) -> None:
        codes.put(SecurityCode(CNPJ, 2, TOKEN))
        assert codes.token(CNPJ, 2) == TOKEN
        assert codes.token(ANOTHER_CNPJ, 2) is None

    def test_a_registered_code_takes_the_place_of_the_first_one(self, codes: SecurityCodes) -> None:
        codes.put(SecurityCode(CNPJ, DEFAULT_ID, TOKEN))
        assert codes.token(CNPJ, DEFAULT_ID) == TOKEN
        assert codes.token(ANOTHER_CNPJ, DEFAULT_ID) == DEFAULT_TOKEN


class TestPut:
    def test_the_last_one_of_an_id_stays(self, codes: SecurityCodes) -> None:
        codes.put(SecurityCode(CNPJ, 2, DEFAULT_TOKEN))
        codes.put(SecurityCode(CNPJ, 2, TOKEN))
        assert codes.all() == [SecurityCode(CNPJ, 2, TOKEN)]


class TestAll:
    def test_lists_by_issuer_and_id(self, codes: SecurityCodes) -> None:
        assert codes.all() == []
        told = [
            SecurityCode(CNPJ, 2, TOKEN),
            SecurityCode(CNPJ, 3, TOKEN),
            SecurityCode(ANOTHER_CNPJ, 2, TOKEN),
        ]
        for code in reversed(told):
            codes.put(code)
        assert codes.all() == told
