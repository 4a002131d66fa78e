"""The parked work of a subscription, as its callers see it: list, resume and dismiss."""

from datetime import datetime, timedelta
from typing import Annotated
from uuid import UUID

from pydantic import Field, StringConstraints

from carimbo.fiscal.body.fields import Body, Record, Text
from carimbo.fiscal.body.form_layout import FormField, FormLayout, FormSection
from carimbo.service.errors import not_found
from carimbo.service.listing import Page, PageRequest
from carimbo.service.maintenance import (
    NOTHING_PARKED,
    USUAL_REASON,
    dismiss_document,
    find_parked,
    resume_parked,
)
from carimbo.storage.database import Database
from carimbo.storage.parked_work import NamedParkedWork, ParkedWork, ParkedWorks, WorkOwner
from carimbo.storage.work import WorkKind

_USUAL_REASON_OF_OWNER = "Encerrado pela empresa: foi emitido por outro meio, ou não é mais desejado."
_MAX_REASON_LENGTH = 255
# Names of callers, where the stored one says little to them.
_KINDS = {WorkKind.SUPERSEDED.value: "supersededAttempt"}


class ParkedWorkRecord(Record):
    """Parked work as callers see it."""

    id: UUID
    kind: str = Field(
        description="O que está parado: `document`, `event`, `inutilization`, `sale`, `email`, `import`,"
        " `manifestation`, `reception` (a leitura dos documentos recebidos) ou `supersededAttempt` (uma"
        " tentativa que outra substituiu).",
        examples=["document"],
    )
    type: str = Field(
        description="O tipo do documento, do evento ou da manifestação; na venda, o `emitWhen`; no e-mail, o"
        " `askedBy`; na tentativa substituída, `emission`.",
        examples=["nfe"],
    )
    company_id: UUID
    document_id: UUID | None = Field(
        description="O documento a que se refere; na manifestação, o recebido. Nulo se não há um só."
    )
    reason: str = Field(
        description="Por que foi posto de lado.", examples=["o worker caiu ou falhou em todas as tentativas"]
    )
    held_by_operator: bool = Field(
        description="Se quem opera o serviço o pôs de lado: só quem opera o serviço o retoma ou encerra."
    )
    since: datetime = Field(description="Quando entrou na fila.")


class Dismissal(Body):
    """The request to dismiss a parked document."""

    reason: Annotated[Text, StringConstraints(max_length=_MAX_REASON_LENGTH)] | None = Field(
        default=None,
        description="A mensagem da rejeição do documento; na falta, uma geral.",
        examples=["Emitida em outro sistema, como NF-e 41"],
    )


DISMISSAL_FORM = FormLayout(
    body=Dismissal,
    sections=(
        FormSection(
            title="Motivo",
            parts=(
                FormField(
                    path="reason",
                    label="Motivo",
                    hint="Fica como a mensagem da rejeição: diga por exemplo com que número foi emitido.",
                ),
            ),
        ),
    ),
)


async def list_parked_page(
    database: Database, request: PageRequest, owner: WorkOwner | None = None
) -> Page[NamedParkedWork]:
    """Lists the parked work of an owner, or of the whole installation, oldest first."""
    async with database.connection() as connection:
        works = ParkedWorks(connection, owner)
        items = await works.page(request.offset, request.page_size)
        return Page(items, await works.count(), request)


async def list_parked_work(
    database: Database, owner: WorkOwner, request: PageRequest
) -> Page[ParkedWorkRecord]:
    """Lists the parked work of an owner, newest first."""
    async with database.connection() as connection:
        works = ParkedWorks(connection, owner)
        items = await works.page(request.offset, request.page_size, newest_first=True)
        return Page([_record_of(work) for work in items], await works.count(), request)


async def resume_parked_work(database: Database, owner: WorkOwner | None, work_id: UUID) -> ParkedWorkRecord:
    """Resumes parked work where it stopped; returns it as it was parked.

    Without an owner, this is for the operator.
    """
    parked = await find_parked(database, work_id, owner)
    if not await resume_parked(database, work_id, owner):
        raise not_found(NOTHING_PARKED)
    return _record_of(parked)


async def dismiss_parked_work(
    database: Database,
    owner: WorkOwner | None,
    work_id: UUID,
    dismissal: Dismissal,
    now: datetime,
    in_flight_limit: timedelta,
) -> ParkedWorkRecord:
    """Rejects a parked document, unless an authority may have it; returns it as it was parked.

    Without an owner, this is for the operator.
    """
    parked = await find_parked(database, work_id, owner)
    reason = dismissal.reason or (USUAL_REASON if owner is None else _USUAL_REASON_OF_OWNER)
    await dismiss_document(database, work_id, reason, now, in_flight_limit, owner)
    return _record_of(parked)


def _record_of(parked: ParkedWork) -> ParkedWorkRecord:
    return ParkedWorkRecord(
        id=parked.id,
        kind=_KINDS.get(parked.kind, parked.kind),
        type=parked.type,
        company_id=parked.company_id,
        document_id=parked.document_id,
        reason=parked.parked_reason,
        held_by_operator=parked.is_held,
        since=parked.queued_at,
    )
