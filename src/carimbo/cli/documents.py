"""The operator's commands for documents that need a person."""

from typing import Annotated
from uuid import UUID

import typer

from carimbo.cli.console import fail, loaded_settings, say
from carimbo.cli.database import with_database
from carimbo.service.parked import list_parked, resume_parked
from carimbo.storage.backlog import ParkedDocument
from carimbo.storage.database import Database

app = typer.Typer(help="Documentos que foram postos de lado.", no_args_is_help=True)


@app.command()
def parked() -> None:
    """Lista os documentos postos de lado depois de falhar, ou derrubar o trabalhador, vezes demais."""
    found = with_database(loaded_settings(), list_parked)
    say("\n".join(map(_line, found)) or "nenhum documento foi posto de lado")


@app.command()
def resume(document_id: Annotated[UUID, typer.Argument(help="Id do documento.")]) -> None:
    """Retoma um documento posto de lado, de onde ele parou."""

    async def use(database: Database) -> bool:
        return await resume_parked(database, document_id)

    if not with_database(loaded_settings(), use):
        fail("Não há documento posto de lado com este id.")
    say("o documento voltou à fila")


def _line(document: ParkedDocument) -> str:
    return f"{document.id}  {document.type}  {document.queued_at:%Y-%m-%d %H:%M}  {document.parked_reason}"
