"""The command that shows which official tables are in force."""

from pathlib import Path

import typer

from carimbo.cli.console import fail, loaded_settings, say
from carimbo.fiscal.tables.catalog import ALL_TABLES
from carimbo.fiscal.tables.table import About
from carimbo.fiscal.tables.table_file import TableUnusable
from carimbo.main.tables import use_tables
from carimbo.settings import Settings

app = typer.Typer(name="tables")


def put_in_force(settings: Settings) -> None:
    """Use the operator's tables in this process, or leave with what is wrong with them."""
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
    put_in_force(settings)
    width = max(len(table.name) for table in ALL_TABLES)
    for about in [table.about for table in ALL_TABLES]:
        say(f"{about.name:<{width}}  {about.date}  {about.rows:>6}  {about.source}")
        say_file(about, width)
    for file in _strangers(settings.tables_folder):
        say(f"Ignorado, pois nenhuma tabela tem esse nome: {file}")


def say_file(about: About, indent: int) -> None:
    """Prints the operator's file of a table, if there is one, and whether it is in force."""
    if about.file:
        say(f"{'':{indent}}  do arquivo {about.file}")
    if about.older_file:
        say(f"{'':{indent}}  ignorado, por ser mais antigo: {about.older_file}")


def _strangers(folder: Path | None) -> list[Path]:
    known = {f"{table.name}.csv" for table in ALL_TABLES}
    return sorted(file for file in folder.iterdir() if file.name not in known) if folder else []
