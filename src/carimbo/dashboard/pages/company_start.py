"""The first steps of a company: what is done, what is missing, and the form that takes each step."""

from dataclasses import dataclass

from starlette.responses import Response

from carimbo.dashboard.company_forms import START, form_address, require_present
from carimbo.dashboard.rendering import page
from carimbo.dashboard.routes import company_page
from carimbo.dashboard.shown import Badge
from carimbo.dashboard.visit import CompanyVisit
from carimbo.fiscal.environment import Environment
from carimbo.service.company_status.first_steps import FirstStep, StepState, first_steps, has_issued
from carimbo.service.company_status.readiness import read_readiness
from carimbo.service.document_types import title_of
from carimbo.service.missing_data import CompanyForm
from carimbo.service.people.roles import Capability
from carimbo.service.words import UNREADABLE_COMPANY

_DONE = Badge("Feito", "good")
_BADGES = {
    StepState.DONE: _DONE,
    StepState.MISSING: Badge("Falta", "bad"),
    StepState.OPTIONAL: Badge("Se precisar", "quiet"),
}
_BUTTONS = {
    CompanyForm.REGISTRATION: ("Completar o cadastro", "Alterar o cadastro"),
    CompanyForm.CERTIFICATE: ("Enviar o certificado", "Trocar o certificado"),
    CompanyForm.STATE_REGISTRATION: ("Acrescentar a inscrição", "Acrescentar outra inscrição"),
}
"""The button of a form, before and after its step is done."""


@dataclass(frozen=True)
class ShownStep:
    """A step as the page shows it."""

    step: FirstStep
    badge: Badge
    address: str
    button: str


async def start(visit: CompanyVisit) -> Response:
    """Shows the first steps of a company."""
    require_present(visit)
    [readiness] = await read_readiness(visit.services.status_reader, visit.subscription_id, [visit.company])
    steps = first_steps(readiness) if readiness.is_readable else []
    has_tested = await has_issued(
        visit.services.database, visit.subscription_id, visit.company.id, Environment.HOMOLOGATION
    )
    is_in_production = visit.company.environment == Environment.PRODUCTION
    return page(
        visit,
        "companies/start.html",
        readiness=readiness,
        steps=[_shown(visit, step) for step in steps],
        missing=sum(step.state is StepState.MISSING for step in steps),
        ready_titles=[
            title_of(each.type) for each in readiness.used_types or readiness.types if each.is_ready
        ],
        unreadable_sentence=UNREADABLE_COMPANY,
        test_badge=_DONE if has_tested else Badge("Recomendado", "quiet"),
        production_badge=_DONE if is_in_production else Badge("Por último", "quiet"),
        is_in_production=is_in_production,
    )


def _shown(visit: CompanyVisit, step: FirstStep) -> ShownStep:
    if step.form in _BUTTONS:
        button = _BUTTONS[step.form][step.state is StepState.DONE]
    else:
        button = f"Configurar {step.title}"
    return ShownStep(step, _BADGES[step.state], form_address(visit, step.form, step.module), button)


ROUTES = (company_page(START, Capability.READ_COMPANIES, start),)
