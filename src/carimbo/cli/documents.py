"""`carimbo documents`: parked work, which waits until a person resumes or dismisses it."""

from typing import Annotated
from uuid import UUID

import typer

from carimbo.cli.console import fail, loaded_settings, say
from carimbo.cli.database import with_database
from carimbo.fiscal.problems import counted
from carimbo.main.process import clock_of
from carimbo.service import maintenance
from carimbo.service.maintenance import NOTHING_PARKED, list_parked, park_unsent_work, resume_parked
from carimbo.storage.database import Database
from carimbo.storage.work import HeldWork

app = typer.Typer(
    name="documents", help="Documentos e eventos que foram postos de lado.", no_args_is_help=True
)
_NEXT = """\
Veja o que são com `carimbo documents parked`. Um a um, confira se já foi emitido: se não, retome-o com
`carimbo documents resume`; se sim, encerre-o com `carimbo documents dismiss`."""


@app.command()
def parked() -> None:
    """Lista o que foi posto de lado: por `hold`, ou por falhar ou derrubar o worker vezes demais.

    Cada linha tem o id, o que é, o tipo, a empresa, desde quando e o motivo.
    """
    works = with_database(loaded_settings(), list_parked)
    for work in works:
        since = f"{work.queued_at:%Y-%m-%d %H:%M}"
        say(f"{work.id}  {work.kind}  {work.type}  {work.company_id}  {since}  {work.parked_reason}")
    if not works:
        say("nada foi posto de lado")


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
    reason: Annotated[str, typer.Option(help="Motivo, mostrado na lista.")] = "restaurado de um backup",
) -> None:
    """Põe de lado todo documento ainda não enviado, e toda venda ou importação que aguarda a sua vez.

    Use este comando depois de restaurar um backup, antes de iniciar um worker: o que foi emitido
    depois do backup seria emitido outra vez. Os documentos já enviados seguem: o serviço consulta a
    autoridade sobre eles.
    """

    async def use(database: Database) -> HeldWork:
        return await park_unsent_work(database, reason)

    held = with_database(loaded_settings(), use)
    documents = counted(held.documents, "documento", "documentos")
    sales = counted(held.sales, "venda", "vendas")
    imports = f", e {counted(held.imports, 'importação', 'importações')}" if held.imports else ""
    say(f"postos de lado: {documents} e {sales}{imports}")
    if held.documents or held.sales or held.imports:
        say(_NEXT)


@app.command()
def dismiss(
    document_id: Annotated[UUID, typer.Argument(help="Id do documento, como na lista.")],
    reason: Annotated[str, typer.Option(help="Motivo: a mensagem da rejeição.")] = maintenance.USUAL_REASON,
) -> None:
    """Encerra como rejeitado um documento posto de lado, emitido por outro meio ou não mais desejado."""
    settings = loaded_settings()

    async def use(database: Database) -> None:
        now = clock_of(settings)()
        await maintenance.dismiss_document(database, document_id, reason, now, settings.in_flight_limit)

    with_database(settings, use)
    say("o documento foi encerrado como rejeitado")
