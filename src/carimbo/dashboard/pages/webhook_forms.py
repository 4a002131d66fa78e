"""The forms that create and change a webhook: its address, its events and its headers."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from starlette.datastructures import FormData
from starlette.responses import Response

from carimbo.dashboard.body_form import TypedForm
from carimbo.dashboard.choices import Checkbox, CheckboxGroup
from carimbo.dashboard.form_view import FormProblem, problems_of, view_form
from carimbo.dashboard.forms import checked_body
from carimbo.dashboard.notices import Notice, with_notice
from carimbo.dashboard.pages.webhooks import ONE_WEBHOOK, webhook_address, webhook_id_of
from carimbo.dashboard.rendering import page, redirect
from carimbo.dashboard.routes import acting, filling, form_of, sensitive, subscription_page
from carimbo.dashboard.security import LONG_FORM
from carimbo.dashboard.submissions import redirect_with_secret
from carimbo.dashboard.visit import SubscriptionVisit
from carimbo.service.delivery.event_names import EVENT_GROUPS, group_title
from carimbo.service.delivery.webhook_bodies import WebhookBody, WebhookChanges
from carimbo.service.delivery.webhook_form import HEADER_ROWS, WEBHOOK_FORM, event_title
from carimbo.service.delivery.webhooks import (
    WebhookDetail,
    create_webhook,
    read_webhook_detail,
    replace_webhook,
)
from carimbo.service.errors import Refusal
from carimbo.service.people.roles import Capability

_EVENT = "evento"
_EVENTS_FIELD = "events"


@dataclass(frozen=True)
class WebhookForm:
    """A form of a webhook: the texts of its inputs, and the events that are chosen."""

    typed: TypedForm
    events: Collection[str]

    @classmethod
    def posted(cls, form: FormData) -> "WebhookForm":
        """Returns the form that a browser sent."""
        events = frozenset(name for name in form.getlist(_EVENT) if isinstance(name, str))
        return cls(TypedForm.posted(WEBHOOK_FORM, form), events)

    @classmethod
    def of_webhook(cls, detail: WebhookDetail) -> "WebhookForm":
        """Returns the form that shows a webhook."""
        body = detail.record.model_dump(mode="json", include={"url", "name", "headers"})
        return cls(TypedForm.of_body(WEBHOOK_FORM, body), detail.events)

    @property
    def body(self) -> Mapping[str, Any]:
        """The body that the form makes."""
        chosen = {
            group: [name for name in names if name in self.events] for group, names in EVENT_GROUPS.items()
        }
        return {**self.typed.body, _EVENTS_FIELD: chosen}


async def new_webhook(visit: SubscriptionVisit) -> Response:
    """Shows an empty form."""
    return _form_page(visit, WebhookForm(TypedForm(WEBHOOK_FORM, {}), ()))


async def create(visit: SubscriptionVisit) -> Response:
    """Creates a webhook; its page shows the secret once."""
    form = WebhookForm.posted(await visit.form())
    try:
        body = checked_body(WebhookBody, form.body)
        created = await create_webhook(
            visit.services.database, visit.services.guard, visit.subscription_id, body
        )
    except Refusal as refusal:
        return _form_page(visit, form, refusal=refusal)
    return await redirect_with_secret(visit, webhook_address(visit, created.id), created.secret)


async def more_headers(visit: SubscriptionVisit) -> Response:
    """Shows the form of a new webhook with room for another header."""
    return _form_page(visit, WebhookForm.posted(await visit.form()))


async def changes_of_webhook(visit: SubscriptionVisit) -> Response:
    """Shows the form of a webhook as it is."""
    detail = await _detail(visit)
    return _form_page(visit, WebhookForm.of_webhook(detail), detail)


async def change(visit: SubscriptionVisit) -> Response:
    """Changes a webhook; a blank name and removed headers are cleared."""
    form = WebhookForm.posted(await visit.form())
    webhook_id = webhook_id_of(visit)
    try:
        # The form shows every field, so a blank URL is refused, which changes would take for "as it is".
        checked_body(WebhookBody, form.body)
        changes = checked_body(WebhookChanges, {"name": None, "headers": None, **form.body})
        database, guard = visit.services.database, visit.services.guard
        await replace_webhook(database, guard, visit.subscription_id, webhook_id, changes)
    except Refusal as refusal:
        return _form_page(visit, form, await _detail(visit), refusal)
    return redirect(with_notice(webhook_address(visit, webhook_id), Notice.SAVED))


async def more_headers_of_webhook(visit: SubscriptionVisit) -> Response:
    """Shows the form of a webhook with room for another header."""
    return _form_page(visit, WebhookForm.posted(await visit.form()), await _detail(visit))


async def _detail(visit: SubscriptionVisit) -> WebhookDetail:
    return await read_webhook_detail(visit.services.database, visit.subscription_id, webhook_id_of(visit))


def _form_page(
    visit: SubscriptionVisit,
    form: WebhookForm,
    detail: WebhookDetail | None = None,
    refusal: Refusal | None = None,
) -> Response:
    """Shows the form of a webhook, or of a new one without `detail`, with the problems of a refused form."""
    # The events have no input of the layout: their problems are shown above the form.
    problems = [
        FormProblem("", problem.text) if problem.path.startswith(_EVENTS_FIELD) else problem
        for problem in problems_of(refusal)
    ]
    of_list = f"{visit.base}/webhooks"
    return page(
        visit,
        "webhooks/form.html",
        422 if refusal else 200,
        view=view_form(form.typed.with_row(HEADER_ROWS, {}), problems),
        event_groups=[_event_group(group, form.events) for group in EVENT_GROUPS],
        detail=detail,
        # The form of a new webhook goes to the list, that of a change to its own page.
        address=f"{webhook_address(visit, detail.record.id)}/alterar" if detail else of_list,
        row_address=f"{webhook_address(visit, detail.record.id) if detail else of_list}/mais-cabecalhos",
    )


def _event_group(group: str, chosen: Collection[str]) -> CheckboxGroup:
    checkboxes = [Checkbox(name, event_title(name), name, name in chosen) for name in EVENT_GROUPS[group]]
    return CheckboxGroup(group_title(group), _EVENT, checkboxes)


_CHANGE = Capability.CHANGE_WEBHOOKS
ROUTES = (
    sensitive(form_of(subscription_page("/webhooks/novo", _CHANGE, new_webhook))),
    sensitive(acting(subscription_page("/webhooks", _CHANGE, create), LONG_FORM)),
    filling(subscription_page("/webhooks/mais-cabecalhos", _CHANGE, more_headers)),
    sensitive(form_of(subscription_page(f"{ONE_WEBHOOK}/alterar", _CHANGE, changes_of_webhook))),
    sensitive(acting(subscription_page(f"{ONE_WEBHOOK}/alterar", _CHANGE, change), LONG_FORM)),
    filling(subscription_page(f"{ONE_WEBHOOK}/mais-cabecalhos", _CHANGE, more_headers_of_webhook)),
)
