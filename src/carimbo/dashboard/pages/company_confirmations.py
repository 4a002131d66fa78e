"""Changes of a company that a person confirms by typing: another environment, and its deletion."""

from starlette.responses import Response

from carimbo.dashboard.company_forms import after_form, company_form_page, require_present
from carimbo.dashboard.confirmation import CONFIRMATION, confirmation_view, is_same_word
from carimbo.dashboard.forms import text_of
from carimbo.dashboard.notices import Notice, with_notice
from carimbo.dashboard.rendering import redirect
from carimbo.dashboard.routes import acting, company_page, form_of
from carimbo.dashboard.shown import environment_name, tax_id
from carimbo.dashboard.visit import CompanyVisit
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.identity.tax_ids import normalize
from carimbo.service.companies.company_bodies import EnvironmentChange
from carimbo.service.companies.registration import delete_company, switch_environment
from carimbo.service.company_status.first_steps import StepState, first_steps
from carimbo.service.company_status.readiness import read_readiness
from carimbo.service.errors import Refusal
from carimbo.service.people.roles import Capability

_ENVIRONMENT, _DELETE = "/ambiente", "/excluir"
_OTHER = {
    Environment.HOMOLOGATION: Environment.PRODUCTION,
    Environment.PRODUCTION: Environment.HOMOLOGATION,
}
_SENTENCES = {
    Environment.PRODUCTION: (
        "Em produção os documentos têm valor fiscal: cada um vale de verdade, e um erro só se corrige com"
        " cancelamento, carta de correção ou outro documento."
    ),
    Environment.HOMOLOGATION: (
        "Em homologação os documentos são testes, sem valor fiscal: a empresa deixa de emitir os de verdade"
        " até voltar para produção."
    ),
}
_NUMBERS = (
    "A numeração é contada em cada ambiente. Depois da troca, confira nas configurações o próximo número de"
    " cada documento, se a empresa já emitiu por outro programa."
)


async def environment(visit: CompanyVisit) -> Response:
    """Shows what another environment changes, and asks for its name."""
    return await _environment_page(visit)


async def switch(visit: CompanyVisit) -> Response:
    """Switches the environment, if the person typed the name of the new one."""
    target = _target(visit)
    word = _word(target)
    if not is_same_word(text_of(await visit.form(), CONFIRMATION), word):
        return await _environment_page(visit, f"Escreva {word} para confirmar.")
    await switch_environment(
        visit.services.database,
        visit.subscription_id,
        visit.company.id,
        EnvironmentChange(environment=target),
    )
    return after_form(visit, Notice.ENVIRONMENT_SWITCHED)


async def _environment_page(visit: CompanyVisit, wrong: str = "") -> Response:
    require_present(visit)
    target = _target(visit)
    name = environment_name(target).lower()
    missing = await _missing_steps(visit) if target is Environment.PRODUCTION else []
    return company_form_page(
        visit,
        _ENVIRONMENT,
        title=f"Passar a empresa para {name}?",
        sentence=_SENTENCES[target],
        button=f"Passar para {name}",
        view=confirmation_view(f"Escreva {_word(target)} para confirmar", wrong=wrong),
        warnings=[_NUMBERS, *(f"Ainda falta: {title}." for title in missing)],
        is_dangerous=True,
    )


async def _missing_steps(visit: CompanyVisit) -> list[str]:
    """Returns what the company still lacks to issue, in words."""
    [readiness] = await read_readiness(visit.services.status_reader, visit.subscription_id, [visit.company])
    return [step.title for step in first_steps(readiness) if step.state is StepState.MISSING]


def _target(visit: CompanyVisit) -> Environment:
    return _OTHER[Environment(visit.company.environment)]


def _word(target: Environment) -> str:
    return environment_name(target).upper()


async def company_to_delete(visit: CompanyVisit) -> Response:
    """Shows what a deletion destroys, and asks for the CNPJ."""
    return _deletion_page(visit)


async def delete(visit: CompanyVisit) -> Response:
    """Deletes the company, if the person typed its CNPJ."""
    typed = text_of(await visit.form(), CONFIRMATION)
    if normalize(typed) != visit.company.tax_id:
        return _deletion_page(visit, wrong=f"Escreva o CNPJ da empresa, {tax_id(visit.company.tax_id)}.")
    try:
        await delete_company(visit.services.database, visit.subscription_id, visit.company.id)
    except Refusal as refusal:
        return _deletion_page(visit, refusal)
    return redirect(with_notice(f"{visit.base}/empresas", Notice.COMPANY_DELETED))


def _deletion_page(visit: CompanyVisit, refusal: Refusal | None = None, wrong: str = "") -> Response:
    return company_form_page(
        visit,
        _DELETE,
        title=f"Excluir {visit.company.shown_name}?",
        sentence=(
            "O certificado, os segredos, o logotipo, as configurações e as inscrições estaduais são"
            " destruídos. Os documentos emitidos continuam guardados. Se o mesmo CNPJ for cadastrado de novo,"
            " a empresa volta com os documentos, a numeração, os clientes, os produtos e as vendas."
        ),
        button="Excluir a empresa",
        view=confirmation_view("Escreva o CNPJ da empresa para confirmar", refusal, wrong),
        facts=[("Razão social", visit.company.legal_name), ("CNPJ", tax_id(visit.company.tax_id))],
        is_dangerous=True,
    )


ROUTES = (
    form_of(company_page(_ENVIRONMENT, Capability.SWITCH_ENVIRONMENT, environment)),
    acting(company_page(_ENVIRONMENT, Capability.SWITCH_ENVIRONMENT, switch)),
    form_of(company_page(_DELETE, Capability.CHANGE_COMPANIES, company_to_delete, is_sensitive=True)),
    acting(company_page(_DELETE, Capability.CHANGE_COMPANIES, delete, is_sensitive=True)),
)
