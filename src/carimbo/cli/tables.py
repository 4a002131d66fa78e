"""`carimbo tables` and `carimbo schemas`: shows the official tables and XSDs in force; updates tables."""

import os
from collections.abc import Collection, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import typer

from carimbo.cli.console import fail, loaded_settings, say
from carimbo.fiscal.tables.all_tables import ALL_TABLES
from carimbo.fiscal.tables.goods_codes import NCMS, Ncm
from carimbo.fiscal.tables.siscomex import Nomenclature, NomenclatureUnusable, read_nomenclature
from carimbo.fiscal.tables.table import TableInfo
from carimbo.fiscal.tables.table_file import TableUnusable
from carimbo.main.tables import use_tables
from carimbo.settings import Settings

app = typer.Typer(name="tables")


def apply_tables(settings: Settings) -> None:
    """Uses the operator's tables in this process, or ends the command with what is wrong with them."""
    try:
        use_tables(settings)
    except TableUnusable as error:
        fail(str(error))


@app.callback(invoke_without_command=True)
def show_tables(context: typer.Context) -> None:
    """Mostra cada tabela oficial em vigor e confere as do operador, quando há. Não usa o banco."""
    if context.invoked_subcommand:
        return
    settings = loaded_settings(needs_database=False)
    apply_tables(settings)
    width = max(len(table.name) for table in ALL_TABLES)
    for about in [table.about for table in ALL_TABLES]:
        say(f"{about.name:<{width}}  {about.date}  {about.rows:>6}  {about.source}")
        say_file(about, width)
    if settings.tables_folder:
        names = {f"{table.name}.csv" for table in ALL_TABLES}
        for file in sorted(file for file in settings.tables_folder.iterdir() if file.name not in names):
            say(f"Ignorado, pois nenhuma tabela tem esse nome: {file}")


def say_file(about: TableInfo, indent: int) -> None:
    """Prints the operator's file of a table, if there is one, and whether it is in force."""
    if about.file:
        say(f"{'':{indent}}  do arquivo {about.file}")
    if about.older_file:
        say(f"{'':{indent}}  ignorado, por ser mais antigo: {about.older_file}")


update_app = typer.Typer(
    help="Põe em CARIMBO_TABLES_FOLDER uma tabela oficial, como é publicada.", no_args_is_help=True
)

_NCM_FILE = f"{NCMS.name}.csv"
_MIN_SHARE = 0.9
"""A file with a smaller share of today's codes is incomplete: no act ended so many codes at once."""
_MAX_NAMED = 20


@update_app.command(name="ncm")
def update_ncm(
    file: Annotated[
        Path, typer.Argument(help="O arquivo Tabela_NCM_Vigente_….json do Portal Único Siscomex.")
    ],
) -> None:
    """Grava a nomenclatura (NCM) do Portal Único Siscomex e mostra o que mudou. Não usa o banco."""
    settings = loaded_settings(needs_database=False)
    folder = settings.tables_folder
    if folder is None:
        fail("Falta a pasta de tabelas: diga em CARIMBO_TABLES_FOLDER onde ela fica.")
    # The changes are shown against the tables that are in force now.
    apply_tables(settings)

    in_force, old = NCMS.about, NCMS.rows
    published = _read(file)
    if published.date < in_force.date:
        fail(f"O arquivo {file} é de {published.date}: a tabela em vigor é mais nova, de {in_force.date}.")
    count = len(published.rows)
    if count < _MIN_SHARE * in_force.rows:
        fail(f"O arquivo {file} está incompleto: tem {count} códigos, e a tabela em vigor {in_force.rows}.")

    new = _write(folder, published)
    say(f"NCM de {published.date} ({published.act}), no lugar da de {in_force.date}: {len(new)} códigos.")
    _say_codes("Novos", new.keys() - old.keys())
    _say_codes("Encerrados", old.keys() - new.keys())
    kept = new.keys() & old.keys()
    _say_codes("Com outra descrição", {c for c in kept if new[c].description != old[c].description})
    say(f"Gravada em {folder / _NCM_FILE}. Para que a usem, reinicie a API e os workers.")


def _read(file: Path) -> Nomenclature:
    try:
        return read_nomenclature(file.read_bytes(), NCMS.rows)
    except OSError as error:
        fail(f"O arquivo {file} não pode ser lido: {error.strerror}.")
    except NomenclatureUnusable as error:
        fail(f"O arquivo {file} não pode ser usado: {error}.")


def _write(folder: Path, published: Nomenclature) -> Mapping[str, Ncm]:
    """Replaces the table in a folder and returns its rows, as read back from the new file.

    The new file is written and read under another name first: a failure leaves the old table as it is.
    """
    text = NCMS.text_of(f"Portal Único Siscomex, {published.act}", published.date, published.rows)
    draft = folder / f"{_NCM_FILE}.new"
    try:
        with draft.open("w", encoding="utf-8", newline="") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        rows = NCMS.rows_in(draft)
        draft.replace(folder / _NCM_FILE)
    except OSError as error:
        fail(f"A tabela não pode ser gravada em {folder}: {error.strerror}.")
    finally:
        draft.unlink(missing_ok=True)
    return rows


def _say_codes(title: str, codes: Collection[str]) -> None:
    named = sorted(codes)[:_MAX_NAMED]
    more = f" e mais {len(codes) - len(named)}" if len(codes) > len(named) else ""
    say(f"{title}: {len(codes)}{': ' if named else ''}{', '.join(named)}{more}")


def show_schemas() -> None:
    """Mostra o schema oficial em vigor para cada mensagem e confere se todos compilam. Não usa o banco."""
    from carimbo.fiscal.schemas import PACKAGE, Schema, Schemas, SchemaUnusable

    folder = loaded_settings(needs_database=False).schemas_folder
    width = max(len(schema.file_name) for schema in Schema)
    try:
        schemas = Schemas(folder)
        for schema in Schema:
            schemas.compiled(schema)
            file = schemas.file_of(schema)
            origin = str(file.path) if file.is_operators else f"{PACKAGE} {version(PACKAGE)}"
            say(f"{schema.file_name:<{width}}  {origin}")
    except SchemaUnusable as error:
        fail(str(error))
