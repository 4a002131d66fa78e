"""The page that replaces a secret, with the choice of how long the previous one still works."""

from starlette.datastructures import FormData
from starlette.responses import Response

from carimbo.dashboard.action_form import ActionForm, action_page
from carimbo.dashboard.forms import text_of
from carimbo.dashboard.visit import SubscriptionVisit
from carimbo.service.errors import invalid_field

_OVERLAPS = (
    ("0", "Deixa de valer já"),
    ("1", "Vale mais 1 hora"),
    ("24", "Vale mais 24 horas"),
    ("72", "Vale mais 72 horas"),
)
"""Hours with their words."""
_USUAL_OVERLAP = "24"
_FIELD = "sobreposicao"
_UNKNOWN = "Escolha por quanto tempo o segredo anterior ainda vale."


def rotation_page(visit: SubscriptionVisit, action: ActionForm, previous_secret: str) -> Response:
    """Renders the page; `previous_secret` is its name, as `A senha atual`."""
    return action_page(
        visit,
        action,
        "forms/rotation.html",
        field=_FIELD,
        previous_secret=previous_secret,
        overlaps=_OVERLAPS,
        usual_overlap=_USUAL_OVERLAP,
    )


def overlap_hours(form: FormData) -> int:
    """Returns for how many hours the previous secret still works. Raises Refusal for another choice."""
    hours = text_of(form, _FIELD)
    if hours not in dict(_OVERLAPS):
        raise invalid_field("overlapHours", _UNKNOWN)
    return int(hours)
