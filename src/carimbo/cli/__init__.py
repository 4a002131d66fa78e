"""The `carimbo` command.

Each command imports the modules that only it needs when it runs. So other commands start faster, and a worker
never loads the API.
"""

import asyncio
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
import uvloop
from typer.core import TyperCommand, TyperGroup

from carimbo import __version__
from carimbo.cli import calendar, tables
from carimbo.cli.console import fail, loaded_settings, readable_errors, say
from carimbo.demo.ports import DEFAULT_FOLDER, Ports
from carimbo.logs import configure_logs
from carimbo.settings import Settings

_GROUPS = ("admin", "authorities", "documents", "person", "simulator", "tables")


class _Commands(TyperGroup):
    """The commands. A group of subcommands is imported only when it is called, as its imports are slow."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        # The help lists these names, and a misspelled command suggests them.
        self.commands.update({name: TyperCommand(name) for name in _GROUPS})

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in _GROUPS:
            return super().get_command(ctx, cmd_name)
        return typer.main.get_group(import_module(f"carimbo.cli.{cmd_name}").app)


app = typer.Typer(
    cls=_Commands,
    help="Emissor aberto de documentos fiscais brasileiros. Comece por `carimbo demo`.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
tables.app.add_typer(tables.update_app, name="update")


def run() -> None:
    """Runs the `carimbo` command."""
    with readable_errors():
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
    from carimbo.demo.made_up import ClockProblem, read_moment
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
    from carimbo.main.process import listen

    settings = _usable_settings()
    serve(settings, listen(settings.host, settings.port))


@app.command()
def worker() -> None:
    """Roda um worker da fila. Vários podem rodar ao mesmo tempo, em várias máquinas."""
    from carimbo.main.worker import work

    uvloop.run(work(_usable_settings()))


def _usable_settings() -> Settings:
    """Returns the settings after checking tables, database and keys, so that an error is a plain sentence."""
    from carimbo.cli.database import with_database
    from carimbo.service.access import Authenticator

    settings = loaded_settings()
    tables.apply_tables(settings)
    with_database(settings, Authenticator.open)
    configure_logs(settings.log_format, settings.log_level)
    return settings


@app.command()
def migrate() -> None:
    """Leva o banco ao esquema desta versão. Pode rodar quantas vezes for, mesmo em paralelo."""
    from carimbo.storage.migrate import migrate

    settings = loaded_settings()
    done = asyncio.run(
        migrate(settings.database_url.get_secret_value(), settings.migration_lock_timeout_seconds)
    )
    say("\n".join(f"aplicada: {name}" for name in done.applied) or "o banco já está atualizado")
    for name in done.waiting:
        say(
            f"adiada: {name} (há sessões que podem ser de processos da versão anterior;"
            " rode de novo depois de reiniciar todos)"
        )


app.command(name="schemas")(tables.show_schemas)
app.command(name="calendar")(calendar.show_calendar)
