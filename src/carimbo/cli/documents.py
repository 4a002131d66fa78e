"""The operator's commands for documents that need a person."""

from typing import Annotated
from uuid import UUID

import typer

from carimbo.cli.console import fail, loaded_settings, say
from carimbo.cli.database import with_database
from carimbo.fiscal.counted import counted
from carimbo.main.clock import clock_of
from carimbo.service import dismissal
from carimbo.service.parked import NOTHING_PARKED, hold_all, list_parked, resume_parked
from carimbo.storage.backlog import ParkedWork
from carimbo.storage.database import Database
from carimbo.storage.holding import Held

app = typer.Typer(
    name="documents", help="Documentos e eventos que foram postos de lado.", no_args_is_help=True
)
_NEXT = """\
Veja o que são com `carimbo documents parked`. Um a um, confira se já foi emitido: se não, retome-o com
`carimbo documents resume`; se sim, encerre-o com `carimbo documents dismiss`."""


@app.command()
def parked() -> None:
    """Lista o que foi posto de lado: por `hold`, ou por falhar ou derrubar o trabalhador vezes demais.

    Cada linha tem o id, o que é, o tipo, a empresa, desde quando e por quê.
    """
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
        fail(NOTHING_PARKED)
    say("voltou à fila" if work_id else f"de volta à fila: {resumed}")


@app.command()
def hold(
    reason: Annotated[str, typer.Option(help="Por quê, como na lista.")] = "restaurado de um backup",
) -> None:
    """Põe de lado todo documento ainda não enviado, e toda venda que aguarda a sua data.

    Use-o depois de restaurar um backup, antes de iniciar um trabalhador: o que foi emitido depois do
    backup seria emitido outra vez. O que já foi enviado segue: a autoridade é perguntada por ele.
    """

    async def use(database: Database) -> Held:
        return await hold_all(database, reason)

    held = with_database(loaded_settings(), use)
    documents = counted(held.documents, "documento", "documentos")
    say(f"postos de lado: {documents} e {counted(held.sales, 'venda', 'vendas')}")
    if held.documents or held.sales:
        say(_NEXT)


@app.command()
def dismiss(
    document_id: Annotated[UUID, typer.Argument(help="Id do documento, como na lista.")],
    reason: Annotated[str, typer.Option(help="Por quê: a mensagem da rejeição.")] = dismissal.USUAL_REASON,
) -> None:
    """Encerra como rejeitado um documento posto de lado, emitido por outro meio ou não mais desejado."""
    settings = loaded_settings()

    async def use(database: Database) -> None:
        now = clock_of(settings)()
        await dismissal.dismiss(database, document_id, reason, now, settings.latest_arrival)

    with_database(settings, use)
    say("o documento foi encerrado como rejeitado")


def _line(work: ParkedWork) -> str:
    since = f"{work.queued_at:%Y-%m-%d %H:%M}"
    return f"{work.id}  {work.kind}  {work.type}  {work.company_id}  {since}  {work.parked_reason}"
