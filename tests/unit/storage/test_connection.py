import asyncpg
import pytest

from carimbo.storage.connection import DatabaseUnavailable, connecting, is_lost, translated_errors


class TestPooler:
    """A pooler in transaction mode uses connections without the statements prepared before."""

    @pytest.mark.parametrize(
        "error",
        [
            asyncpg.DuplicatePreparedStatementError('prepared statement "__asyncpg_stmt_1__" already exists'),
            asyncpg.InvalidSQLStatementNameError('prepared statement "__asyncpg_stmt_1__" does not exist'),
        ],
        ids=["already there", "not there"],
    )
    @pytest.mark.parametrize("place", [connecting, translated_errors], ids=["at start", "later"])
    async def test_transaction_pooler_is_reported_with_a_hint(
        self, error: asyncpg.PostgresError, place: type
    ) -> None:
        with pytest.raises(DatabaseUnavailable, match="pool_mode = session") as raised, place():
            raise error
        assert "\n" not in str(raised.value) and "prepared" not in str(raised.value)

    def test_connection_through_a_transaction_pooler_is_not_reused(self) -> None:
        assert is_lost(asyncpg.InvalidSQLStatementNameError("gone"))


class TestSilence:
    async def test_error_without_a_message_is_reported_in_words(self) -> None:
        with pytest.raises(DatabaseUnavailable, match="o tempo de espera acabou"), translated_errors():
            raise TimeoutError
