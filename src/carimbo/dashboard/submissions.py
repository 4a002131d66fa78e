"""Forms that act only once: a double click, a reload and a form that is sent again repeat nothing.

Every form has an id of its own. The first arrival acts, and redirects to the page with the result. Each later
arrival of the same form leads to that page. A form that was refused changed nothing, and may be sent again.
"""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from starlette.responses import RedirectResponse, Response

from carimbo.dashboard.forms import text_of
from carimbo.dashboard.rendering import redirect
from carimbo.dashboard.visit import PersonVisit
from carimbo.service.errors import ErrorCode, Refusal
from carimbo.service.people.submissions import (
    abandon_submission,
    begin_submission,
    finish_submission,
    keep_shown_secret,
    shown_secret,
    was_submitted,
)

FORM_ID = "form_id"
_SECRET = "segredo"  # noqa: S105 - the name of a parameter
_UNREADABLE_FORM = "O formulário não pôde ser lido: abra a página de novo e repita."


async def answer_once(visit: PersonVisit, answer: Callable[[Any], Awaitable[Response]]) -> Response:
    """Lets a form act, unless it has acted already; then redirects to the result of the first time."""
    database, person_id, form_id = visit.services.database, visit.session.person.id, await _form_id(visit)
    earlier = await begin_submission(database, person_id, form_id)
    if earlier is not None:
        return redirect(earlier)
    try:
        response = await answer(visit)
    except Refusal:
        await abandon_submission(database, person_id, form_id)
        raise
    # After any other exception the result is unknown, and the form may have acted: it stays used.
    if isinstance(response, RedirectResponse):
        await finish_submission(database, person_id, form_id, response.headers["location"])
    else:
        await abandon_submission(database, person_id, form_id)
    return response


async def redirect_with_secret(visit: PersonVisit, address: str, secret: str) -> Response:
    """Redirects to a page that shows a new secret. The page can be reloaded for some minutes."""
    form_id = await _form_id(visit)
    await keep_shown_secret(visit.services.database, visit.session.person.id, form_id, secret)
    joined = "&" if urlsplit(address).query else "?"
    return redirect(f"{address}{joined}{_SECRET}={form_id}")


async def new_secret(visit: PersonVisit) -> str | None:
    """Returns the secret that this page shows after a form; None if there is none to show."""
    form_id = visit.id_filter(_SECRET)
    if form_id is None:
        return None
    return await shown_secret(visit.services.database, visit.session.person.id, form_id)


async def was_sent(visit: PersonVisit) -> bool:
    """Returns whether the form of this page acted already: what arrives from it late must change nothing."""
    form_id = await sent_form_id(visit)
    if form_id is None:
        return False
    return await was_submitted(visit.services.database, visit.session.person.id, form_id)


async def sent_form_id(visit: PersonVisit) -> UUID | None:
    """Returns the id of the form that was sent; None if it has none."""
    with suppress(ValueError):
        return UUID(text_of(await visit.form(), FORM_ID))
    return None


async def _form_id(visit: PersonVisit) -> UUID:
    form_id = await sent_form_id(visit)
    if form_id is None:
        raise Refusal(ErrorCode.MALFORMED_FORM, _UNREADABLE_FORM)
    return form_id
