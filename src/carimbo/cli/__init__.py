"""The command line.

What a command alone needs is imported by it: the others start without, and a worker never holds the API.
"""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer
import uvloop
from typer.core import TyperCommand, TyperGroup

from carimbo import __version__
from carimbo.cli import calendar, schemas, tables, tables_update
from carimbo.cli.console import fail, loaded_settings, say, told
from carimbo.demo.ports import DEFAULT_FOLDER, Ports
from carimbo.logs import configure_logs
from carimbo.settings import Settings
from carimbo.storage.migrate import migrate as apply_migrations


def _admin() -> typer.Typer:
    from carimbo.cli import admin

    return admin.app


def _authorities() -> typer.Typer:
    from carimbo.cli import authorities

    return authorities.app


def _documents() -> typer.Typer:
    from carimbo.cli import documents

    return documents.app


def _simulator() -> typer.Typer:
    from carimbo.cli import simulator

    return simulator.app


def _tables() -> typer.Typer:
    return tables.app


_GROUPS: dict[str, Callable[[], typer.Typer]] = {
    "admin": _admin,
    "authorities": _authorities,
    "documents": _documents,
    "simulator": _simulator,
    "tables": _tables,
}


class _Commands(TyperGroup):
    """Loads a group of commands only when it is called, because groups import much."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        # The help lists these names, and a misspelled command suggests them.
        self.commands.update({name: TyperCommand(name) for name in _GROUPS})

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        load = _GROUPS.get(cmd_name)
        return typer.main.get_group(load()) if load else super().get_command(ctx, cmd_name)


app = typer.Typer(
    cls=_Commands,
    help="Emissor aberto de documentos fiscais brasileiros. Comece por `carimbo demo`.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
tables.app.add_typer(tables_update.app, name="update")


def run() -> None:
    """Entry point of the `carimbo` command."""
    with told():
        app()


def _show_version(wanted: bool) -> None:
    if wanted:
        say(f"carimbo {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Mostra a versão.")
    ] = False,
) -> None:
    """Emissor aberto de documentos fiscais brasileiros. Comece por `carimbo demo`."""


@app.command()
def demo(
    port: Annotated[int, typer.Option(help="Porta da API.", min=1, max=65535)] = Ports.api,
    simulator_port: Annotated[
        int, typer.Option(help="Porta dos serviços do simulador.", min=1, max=65535)
    ] = Ports.simulator,
    simulator_control_port: Annotated[
        int, typer.Option(help="Porta do painel do simulador.", min=1, max=65535)
    ] = Ports.control,
    data_dir: Annotated[
        Path, typer.Option(help="Pasta onde ficam os dados da demonstração.")
    ] = DEFAULT_FOLDER,
    now: Annotated[
        str | None,
        typer.Option(
            help="Momento em que o relógio do serviço e do simulador começa, como 2026-12-31T23:50:00-03:00."
        ),
    ] = None,
) -> None:
    """Roda tudo nesta máquina, com um banco próprio e uma empresa de exemplo. Não precisa de conta."""
    from carimbo.demo.moved_clock import ClockProblem, read_moment
    from carimbo.demo.run import DemoProblem, run_demo

    try:
        ports, moment = Ports(port, simulator_port, simulator_control_port), now and read_moment(now)
        raise typer.Exit(run_demo(ports, data_dir, moment or None))
    except (ClockProblem, DemoProblem) as problem:
        fail(str(problem))


@app.command()
def serve() -> None:
    """Roda a API. Precisa de CARIMBO_DATABASE_URL e CARIMBO_SECRET_KEYS; migre o banco antes."""
    from carimbo.main.api import serve
    from carimbo.main.listening import listen

    settings = _usable_settings()
    serve(settings, listen(settings.host, settings.port))


@app.command()
def worker() -> None:
    """Roda um trabalhador da fila. Vários podem rodar ao mesmo tempo, em várias máquinas."""
    from carimbo.main.worker import work

    settings = _usable_settings()
    uvloop.run(work(settings))


def _usable_settings() -> Settings:
    """Try tables, database and keys before a process that stays: a sentence now, no traceback later."""
    from carimbo.cli.database import with_database
    from carimbo.service.access import Gatekeeper

    settings = loaded_settings()
    tables.put_in_force(settings)
    with_database(settings, Gatekeeper.open)
    configure_logs(settings.log_format, settings.log_level)
    return settings


@app.command()
def migrate() -> None:
    """Leva o banco ao esquema desta versão. Pode rodar quantas vezes for, mesmo em paralelo."""
    settings = loaded_settings()
    applied = asyncio.run(
        apply_migrations(settings.database_url.get_secret_value(), settings.migration_lock_timeout_seconds)
    )
    say("\n".join(f"aplicada: {name}" for name in applied) or "o banco já está atualizado")


app.command(name="schemas")(schemas.show_schemas)
app.command(name="calendar")(calendar.show_calendar)
