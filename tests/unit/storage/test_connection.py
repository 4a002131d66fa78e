import asyncpg
import pytest

from carimbo.storage.connection import DatabaseUnavailable, connecting, is_lost, unavailable_is_told


class TestPooler:
    """One that gives every transaction another connection, which lacks what was prepared on the last one."""

    @pytest.mark.parametrize(
        "error",
        [
            asyncpg.DuplicatePreparedStatementError('prepared statement "__asyncpg_stmt_1__" already exists'),
            asyncpg.InvalidSQLStatementNameError('prepared statement "__asyncpg_stmt_1__" does not exist'),
        ],
        ids=["already there", "not there"],
    )
    @pytest.mark.parametrize("place", [connecting, unavailable_is_told], ids=["at start", "later"])
    def test_is_told_with_what_to_do(self, error: asyncpg.PostgresError, place: type) -> None:
        with pytest.raises(DatabaseUnavailable, match="pool_mode = session") as told, place():
            raise error
        assert "\n" not in str(told.value) and "prepared" not in str(told.value)

    def test_leaves_no_connection_to_be_lent_again(self) -> None:
        assert is_lost(asyncpg.InvalidSQLStatementNameError("gone"))


class TestSilence:
    def test_is_told_in_words_though_its_error_has_none(self) -> None:
        with pytest.raises(DatabaseUnavailable, match="o tempo de espera acabou"), unavailable_is_told():
            raise TimeoutError
