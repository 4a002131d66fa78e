"""Long forms of the dashboard as people typed them last."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from carimbo.storage.connection import Connection
from carimbo.storage.sql import delete_batch


@dataclass(frozen=True)
class FormDraft:
    """The fields of a form, by their names in the form."""

    fields: Mapping[str, str]
    updated_at: datetime


class FormDrafts:
    """The form drafts of the people of one subscription."""

    def __init__(self, connection: Connection, subscription_id: UUID) -> None:
        self._connection = connection
        self._subscription_id = subscription_id

    async def put(
        self,
        company_id: UUID,
        person_id: UUID,
        form: str,
        fields: Mapping[str, str],
        unless_sent: UUID | None = None,
    ) -> None:
        """Stores the fields of a form; those that the person typed before are replaced.

        Stores nothing if the form with the id `unless_sent` was sent: what arrives from it late is no draft.
        """
        await self._connection.execute(
            """
            insert into form_drafts (subscription_id, company_id, person_id, form, fields)
            select $1, $2, $3, $4, $5
            where not exists (select from form_submissions where person_id = $3 and id = $6)
            on conflict (subscription_id, company_id, person_id, form)
            do update set fields = excluded.fields, updated_at = now()
            """,
            self._subscription_id, company_id, person_id, form, dict(fields), unless_sent,
        )  # fmt: skip

    async def get(self, company_id: UUID, person_id: UUID, form: str) -> FormDraft | None:
        """Returns the draft of a form, or None."""
        row = await self._connection.fetchrow(
            "select fields, updated_at from form_drafts"
            " where subscription_id = $1 and company_id = $2 and person_id = $3 and form = $4",
            self._subscription_id, company_id, person_id, form,
        )  # fmt: skip
        return row and FormDraft(row["fields"], row["updated_at"])

    async def delete(self, company_id: UUID, person_id: UUID, form: str) -> None:
        """Deletes the draft of a form, if there is one."""
        await self._connection.execute(
            "delete from form_drafts"
            " where subscription_id = $1 and company_id = $2 and person_id = $3 and form = $4",
            self._subscription_id, company_id, person_id, form,
        )  # fmt: skip


async def delete_old_drafts(connection: Connection, keep: timedelta) -> bool:
    """Deletes a batch of drafts that nobody changed for long; returns whether there may be more."""
    return await delete_batch(
        connection,
        """
        delete from form_drafts where (subscription_id, company_id, person_id, form) in (
            select subscription_id, company_id, person_id, form from form_drafts
            where updated_at < now() - $1::interval limit $2 for update skip locked
        )
        """,
        keep,
    )
