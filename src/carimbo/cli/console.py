"""Output, errors and settings of commands: plain sentences and an exit code."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

from carimbo.settings import Settings, SettingsError, load_settings

_FAILED, _MISCONFIGURED = 1, 2


class NotMigrated(Exception):
    """The database lacks this version's schema."""


def say(text: str) -> None:
    """Prints the output of a command."""
    print(text)


def warn(text: str) -> None:
    """Prints a message for people to stderr, where it does not mix with the output of the command."""
    print(text, file=sys.stderr)


def fail(text: str, exit_code: int = _FAILED) -> NoReturn:
    """Prints what went wrong to stderr and ends the command."""
    print(text, file=sys.stderr)
    raise SystemExit(exit_code)


def loaded_settings(*, needs_database: bool = True) -> Settings:
    """Returns the settings, or ends the command with all their problems."""
    try:
        return load_settings(needs_database=needs_database)
    except SettingsError as error:
        fail(f"Configuração inválida:\n{error}", _MISCONFIGURED)


def _sentences() -> dict[type[Exception], str]:
    """Returns the sentence of each error; its imports are only loaded when a command fails."""
    from carimbo.fiscal.schemas import SchemaUnusable
    from carimbo.fiscal.tables.table_file import TableUnusable
    from carimbo.main.process import AddressUnusable
    from carimbo.printing.engine.truetype import FontUnusable
    from carimbo.service.errors import Refusal
    from carimbo.storage.connection import DatabaseUnavailable
    from carimbo.storage.envelope import DecryptionFailed
    from carimbo.storage.migrate import MigrationLocked, SchemaMismatch

    return {
        Refusal: "{error.message}",
        DatabaseUnavailable: "Não foi possível usar o PostgreSQL: {error}",
        AddressUnusable: "Não foi possível usar o endereço {error}.",
        NotMigrated: "O banco não está no esquema desta versão: rode `carimbo migrate`.",
        MigrationLocked: "Outra migração ou outro trabalho segura o banco: tente de novo. ({error})",
        SchemaMismatch: "O banco foi migrado por outra versão: {error}",
        SchemaUnusable: "{error}",
        TableUnusable: "{error}",
        FontUnusable: "{error}",
        DecryptionFailed: "Um segredo guardado não abre com as chaves de CARIMBO_SECRET_KEYS: {error}",
    }


@contextmanager
def readable_errors() -> Iterator[None]:
    """Ends the command with one sentence when it fails for a reason that an operator can act on."""
    try:
        yield
    except Exception as error:
        sentence = next((text for kind, text in _sentences().items() if isinstance(error, kind)), None)
        if sentence is None:
            raise
        fail(sentence.format(error=error))
