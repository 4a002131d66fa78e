"""Drafts of long forms: what a person typed and did not send yet."""

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from carimbo.storage.database import Database
from carimbo.storage.form_drafts import FormDraft


@dataclass(frozen=True)
class FormKey:
    """The form of a person in a company."""

    subscription_id: UUID
    company_id: UUID
    person_id: UUID
    form: str


async def keep_form_draft(
    database: Database, key: FormKey, fields: Mapping[str, str], unless_sent: UUID | None = None
) -> None:
    """Keeps what a person typed; the next draft of the form replaces it.

    Keeps nothing if the form with the id `unless_sent` was sent meanwhile.
    """
    async with database.autocommit(key.subscription_id) as tenant:
        await tenant.form_drafts.put(key.company_id, key.person_id, key.form, fields, unless_sent)


async def read_form_draft(database: Database, key: FormKey) -> FormDraft | None:
    """Returns what the person typed last, or None."""
    async with database.autocommit(key.subscription_id) as tenant:
        return await tenant.form_drafts.get(key.company_id, key.person_id, key.form)


async def delete_form_draft(database: Database, key: FormKey) -> None:
    """Deletes the draft: the form was sent, or its person gave it up."""
    async with database.autocommit(key.subscription_id) as tenant:
        await tenant.form_drafts.delete(key.company_id, key.person_id, key.form)
