"""Forms of people, each of which acts only once: a double click or a reload repeats nothing."""

import asyncio
from datetime import timedelta
from uuid import UUID

from carimbo.service.errors import ErrorCode, Refusal
from carimbo.storage.database import Database
from carimbo.storage.envelope import DecryptionFailed
from carimbo.storage.form_submissions import FormSubmissions

SECRET_SHOWN_FOR = timedelta(minutes=10)
_MAX_WAIT = timedelta(seconds=20)
_POLL_SECONDS = 0.1
_UNFINISHED = (
    "Este formulário já foi enviado, e o resultado ainda não é conhecido. Confira se o que você pediu"
    " aconteceu antes de repetir."
)


async def begin_submission(database: Database, person_id: UUID, form_id: UUID) -> str | None:
    """Returns None if the form may act now; else the page to which its earlier arrival led.

    Waits while the earlier arrival still acts. Raises Refusal if its result does not come.
    """
    while True:
        async with database.connection() as connection:
            submissions = FormSubmissions(connection, person_id, database.key_ring)
            if await submissions.begin(form_id):
                return None
            earlier = await submissions.find(form_id)
        if earlier is not None and earlier.address is not None:
            return earlier.address
        if earlier is not None and earlier.age > _MAX_WAIT:
            raise Refusal(ErrorCode.INVALID_STATE, _UNFINISHED)
        # An earlier arrival that was refused is deleted: then this one acts.
        await asyncio.sleep(_POLL_SECONDS)


async def was_submitted(database: Database, person_id: UUID, form_id: UUID) -> bool:
    """Returns whether a form was sent, and was not refused."""
    async with database.connection() as connection:
        return await FormSubmissions(connection, person_id, database.key_ring).find(form_id) is not None


async def finish_submission(database: Database, person_id: UUID, form_id: UUID, address: str) -> None:
    """Stores the page that shows the result of a form."""
    async with database.connection() as connection:
        await FormSubmissions(connection, person_id, database.key_ring).finish(form_id, address)


async def abandon_submission(database: Database, person_id: UUID, form_id: UUID) -> None:
    """Forgets a form that was refused: it changed nothing, and may be sent again."""
    async with database.connection() as connection:
        await FormSubmissions(connection, person_id, database.key_ring).abandon(form_id)


async def keep_shown_secret(database: Database, person_id: UUID, form_id: UUID, secret: str) -> None:
    """Keeps a secret that the result of a form shows to its person for some minutes, also after a reload."""
    async with database.connection() as connection:
        await FormSubmissions(connection, person_id, database.key_ring).keep_secret(form_id, secret)


async def shown_secret(database: Database, person_id: UUID, form_id: UUID) -> str | None:
    """Returns the secret of a form; None if there is none, or it was shown for long enough."""
    async with database.connection() as connection:
        submissions = FormSubmissions(connection, person_id, database.key_ring)
        try:
            return await submissions.secret(form_id, SECRET_SHOWN_FOR)
        except DecryptionFailed:
            return None
