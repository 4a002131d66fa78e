"""The commands that put an official table into the operator's folder, as its authority publishes it."""

import os
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Annotated

import typer

from carimbo.cli.console import fail, loaded_settings, say
from carimbo.cli.tables import put_in_force
from carimbo.fiscal.tables.ncm import NCMS, Ncm
from carimbo.fiscal.tables.siscomex import Nomenclature, NomenclatureUnusable, read_nomenclature

app = typer.Typer(
    help="Põe em CARIMBO_TABLES_FOLDER uma tabela oficial, como é publicada.", no_args_is_help=True
)

_NAME = f"{NCMS.name}.csv"
_LEAST_SHARE = 0.9
"""No act has ended so many codes at once: a file with fewer is a part of one."""
_MOST_NAMED = 20


@app.command(name="ncm")
def update_ncm(
    file: Annotated[
        Path, typer.Argument(help="O arquivo Tabela_NCM_Vigente_….json do Portal Único Siscomex.")
    ],
) -> None:
    """Grava a nomenclatura (NCM) do Portal Único Siscomex e mostra o que mudou. Não usa o banco."""
    folder = _folder()
    before = NCMS.about
    published = _read(file)
    _require_usable(file, published)
    written = _write(folder, published)
    say(f"NCM de {published.date} ({published.act}), no lugar da de {before.date}: {len(written)} códigos.")
    _say_changes(NCMS.rows, written)
    say(f"Gravada em {folder / _NAME}. Para que a usem, reinicie a API e os trabalhadores.")


def _folder() -> Path:
    """The operator's folder, whose tables are put in force: changes are told against them."""
    settings = loaded_settings(needs_database=False)
    if settings.tables_folder is None:
        fail("Falta a pasta de tabelas: diga em CARIMBO_TABLES_FOLDER onde ela fica.")
    put_in_force(settings)
    return settings.tables_folder


def _read(file: Path) -> Nomenclature:
    try:
        return read_nomenclature(file.read_bytes(), NCMS.rows)
    except OSError as error:
        fail(f"O arquivo {file} não pode ser lido: {error.strerror}.")
    except NomenclatureUnusable as error:
        fail(f"O arquivo {file} não pode ser usado: {error}.")


def _require_usable(file: Path, published: Nomenclature) -> None:
    in_force, rows = NCMS.about, len(published.rows)
    if published.date < in_force.date:
        fail(f"O arquivo {file} é de {published.date}: a tabela em vigor é mais nova, de {in_force.date}.")
    if rows < _LEAST_SHARE * in_force.rows:
        fail(f"O arquivo {file} está incompleto: tem {rows} códigos, e a tabela em vigor {in_force.rows}.")


def _write(folder: Path, published: Nomenclature) -> Mapping[str, Ncm]:
    """Write aside, read what was written, and only then let it take the place of the table before."""
    text = NCMS.text_of(f"Portal Único Siscomex, {published.act}", published.date, published.rows)
    aside = folder / f"{_NAME}.new"
    try:
        with aside.open("w", encoding="utf-8", newline="") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        rows = NCMS.rows_in(aside)
        aside.replace(folder / _NAME)
    except OSError as error:
        fail(f"A tabela não pode ser gravada em {folder}: {error.strerror}.")
    finally:
        aside.unlink(missing_ok=True)
    return rows


def _say_changes(before: Mapping[str, Ncm], after: Mapping[str, Ncm]) -> None:
    _say_codes("Novos", after.keys() - before.keys())
    _say_codes("Encerrados", before.keys() - after.keys())
    kept = after.keys() & before.keys()
    _say_codes("Com outra descrição", {c for c in kept if after[c].description != before[c].description})


def _say_codes(title: str, codes: Collection[str]) -> None:
    named = sorted(codes)[:_MOST_NAMED]
    more = f" e mais {len(codes) - len(named)}" if len(codes) > len(named) else ""
    say(f"{title}: {len(codes)}{': ' if named else ''}{', '.join(named)}{more}")
