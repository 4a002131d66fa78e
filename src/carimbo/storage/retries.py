"""Retrying at once the paused work whose last answer has lost its reason."""

from collections.abc import Collection
from uuid import UUID

from carimbo.storage.connection import Connection
from carimbo.storage.jobs import job_added, job_hastened
from carimbo.storage.work import TABLES, WorkKind

_DOCUMENT_ANSWER = """status = 'processing' and exists (
    select from emissions where emissions.subscription_id = $1 and emissions.document_id = documents.id
        and emissions.ordinal = documents.emission and emissions.answer_code = any($3)
)"""
_FILING_ANSWER = "state in ('queued', 'signed', 'sent') and authority_code = any($3)"
_ANSWERED = {
    WorkKind.DOCUMENT: _DOCUMENT_ANSWER,
    WorkKind.EVENT: _FILING_ANSWER,
    WorkKind.INUTILIZATION: _FILING_ANSWER,
}


def _retry(kind: WorkKind, answered: str) -> str:
    return f"""
        with due as (
            update {TABLES[kind]} set next_action_at = now()
            where subscription_id = $1 and company_id = $2 and {answered}
                and next_action_at > now() and lease_until is null
            returning *
        ), hastened as ({job_hastened(kind, "due")})
        {job_added(kind, "due")}
    """


_RETRIES = tuple(_retry(kind, answered) for kind, answered in _ANSWERED.items())


async def retry_answered(
    connection: Connection, subscription_id: UUID, company_id: UUID, answer_codes: Collection[str]
) -> None:
    """Ends the pause of a company's documents, events and inutilizations whose last answer has such a code.

    Workers are woken in the caller's transaction. Work that a worker holds is left to it.
    """
    for statement in _RETRIES:
        await connection.execute(statement, subscription_id, company_id, list(answer_codes))
