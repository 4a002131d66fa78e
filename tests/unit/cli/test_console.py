"""Error messages of commands."""

from collections.abc import Callable

import asyncpg
import pytest

from carimbo.cli.console import readable_errors
from carimbo.storage.connection import translated_errors
from carimbo.storage.envelope import KeyRing, new_key
from carimbo.storage.migrate import MigrationLocked


def open_with_other_keys() -> None:
    sealed = KeyRing.parse(new_key("old")).seal(b"secret", "owner")
    KeyRing.parse(new_key("new")).open(sealed, "owner")


def go_through_a_pooler() -> None:
    with translated_errors():
        raise asyncpg.DuplicatePreparedStatementError("already exists")


def wait_for_nothing() -> None:
    raise MigrationLocked("a vez não chegou em 30 s")


@pytest.mark.parametrize(
    ("fail", "sentence"),
    [
        (
            open_with_other_keys,
            "Um segredo guardado não abre com as chaves de CARIMBO_SECRET_KEYS: a chave 'old' não está entre"
            " elas",
        ),
        (
            go_through_a_pooler,
            "Não foi possível usar o PostgreSQL: o endereço passa por um pooler em modo de transação; use o"
            " modo de sessão (no PgBouncer, pool_mode = session), ou conecte direto ao banco",
        ),
        (
            wait_for_nothing,
            "Outra migração ou outro trabalho segura o banco: tente de novo. (a vez não chegou em 30 s)",
        ),
    ],
    ids=["keys", "pooler", "lock"],
)
async def test_error_message_is_one_sentence_in_portuguese(
    fail: Callable[[], None], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as left, readable_errors():
        fail()
    assert left.value.code == 1
    assert capsys.readouterr() == ("", f"{sentence}\n")
