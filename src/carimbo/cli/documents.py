"""The operator's commands for documents that need a person."""

from typing import Annotated
from uuid import UUID

import typer

from carimbo.cli.console import fail, loaded_settings, say
from carimbo.cli.database import with_database
from carimbo.service.parked import list_parked, resume_parked
from carimbo.storage.backlog import ParkedWork
from carimbo.storage.database import Database

app = typer.Typer(help="Documentos e eventos que foram postos de lado.", no_args_is_help=True)


@app.command()
def parked() -> None:
    """Lista o que foi posto de lado depois de falhar, ou derrubar o trabalhador, vezes demais."""
    found = with_database(loaded_settings(), list_parked)
    say("\n".join(map(_line, found)) or "nada foi posto de lado")


@app.command()
def resume(
    work_id: Annotated[UUID | None, typer.Argument(help="Id, como na lista.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="Tudo o que está na lista.")] = False,
) -> None:
    """Retoma o que foi posto de lado, de onde parou."""
    if (work_id is None) is not everything:
        fail("Informe um id da lista, ou --all para retomar tudo.")

    async def use(database: Database) -> int:
        return await resume_parked(database, work_id)

    resumed = with_database(loaded_settings(), use)
    if work_id and not resumed:
        fail("Não há nada posto de lado com este id.")
    say("voltou à fila" if work_id else f"de volta à fila: {resumed}")


def _line(work: ParkedWork) -> str:
    since = f"{work.queued_at:%Y-%m-%d %H:%M}"
    return f"{work.id}  {work.kind}  {work.type}  {since}  {work.parked_reason}"
