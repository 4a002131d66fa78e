"""The page of a single action: what it will do in one sentence, the fields that it needs, and its button.

A script shows the page as a dialog on the page that it belongs to; without scripts it is a page of its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from starlette.responses import HTMLResponse

from carimbo.dashboard.body_form import TypedForm
from carimbo.dashboard.form_view import FormProblem, FormView, problems_of, view_form
from carimbo.dashboard.rendering import page
from carimbo.dashboard.visit import PersonVisit
from carimbo.fiscal.body.fields import Body
from carimbo.fiscal.body.form_layout import FormLayout
from carimbo.service.errors import Refusal

_UNPROCESSABLE = 422
_NO_FIELDS = FormLayout(body=Body, sections=())


@dataclass(frozen=True, kw_only=True)
class ActionForm:
    """An action that a person is about to take."""

    title: str
    sentence: str
    """What it will do."""
    button: str
    address: str
    """Where its form goes."""
    back: str
    """The page that it belongs to."""
    back_label: str
    view: FormView | None = None
    """Its fields; None if it needs none."""
    facts: Sequence[tuple[str, str]] = ()
    """What a person should see before, with labels: as the deadline."""
    warnings: Sequence[str] = ()
    is_dangerous: bool = False
    """Whether it can't be undone."""
    takes_file: bool = False


def action_page(
    visit: PersonVisit, action: ActionForm, template: str = "forms/action.html", **values: object
) -> HTMLResponse:
    """Renders the page of an action; with status 422 if its fields have problems."""
    is_refused = action.view is not None and action.view.has_problems
    return page(visit, template, _UNPROCESSABLE if is_refused else 200, action=action, **values)


def refused_action_page(visit: PersonVisit, action: ActionForm, refusal: Refusal) -> HTMLResponse:
    """Renders the page of an action without fields that was refused, with all reasons."""
    reasons = [replace(problem, path="") for problem in problems_of(refusal)]
    return action_page(visit, replace(action, view=view_of_problems(reasons)))


def view_of_problems(problems: Sequence[FormProblem]) -> FormView:
    """Returns what is wrong with an action that has no fields."""
    return view_form(TypedForm(_NO_FIELDS, {}), problems)
