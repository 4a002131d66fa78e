"""The forms of a company's settings: one for each module, and the contingency."""

from collections.abc import Sequence
from typing import Any

from starlette.responses import Response

from carimbo.dashboard.body_form import TypedForm
from carimbo.dashboard.company_forms import after_form, company_form_page
from carimbo.dashboard.form_view import FormProblem, problems_of, view_form
from carimbo.dashboard.forms import checked_body, checked_changes
from carimbo.dashboard.notices import Notice
from carimbo.dashboard.routes import acting, company_page, form_of
from carimbo.dashboard.shown import whole
from carimbo.dashboard.visit import CompanyVisit
from carimbo.fiscal.body.form_layout import FieldKind
from carimbo.service.companies.company_settings import CompanySettings, change_settings, read_settings
from carimbo.service.companies.settings_forms import SettingsForm, settings_form_at
from carimbo.service.company_status.contingency import ContingencyChange, change_contingency
from carimbo.service.company_status.contingency_form import CONTINGENCY_FORM
from carimbo.service.errors import Refusal, not_found
from carimbo.service.people.roles import Capability

_SETTINGS, _CONTINGENCY = "/configuracoes/{slug}", "/contingencia"


async def settings(visit: CompanyVisit) -> Response:
    """Shows the form of a module of the settings."""
    form, current = _form_of(visit), await _module_values(visit)
    typed = TypedForm.of_body(form.layout, {form.module: current})
    # A number that is left blank goes on: the form of a moment ago must not set the sequence back.
    return _settings_page(visit, form, typed.with_texts({_number_path(form): ""}), current)


async def change(visit: CompanyVisit) -> Response:
    """Changes the settings of a module; all other modules stay as they are."""
    form = _form_of(visit)
    typed = TypedForm.posted(form.layout, await visit.form())
    try:
        changes = checked_changes(CompanySettings, typed)
        await change_settings(visit.services.database, visit.subscription_id, visit.company.id, changes)
    except Refusal as refusal:
        return _settings_page(visit, form, typed, await _module_values(visit), problems_of(refusal))
    return after_form(visit, Notice.SAVED)


async def _module_values(visit: CompanyVisit) -> dict[str, Any]:
    """Returns the stored settings of the module, with the next number and masked secrets."""
    stored = await read_settings(visit.services.database, visit.subscription_id, visit.company.id)
    values = stored.model_dump(mode="json", by_alias=True, exclude_none=True)
    current: dict[str, Any] = values[_form_of(visit).module]
    return current


def _settings_page(
    visit: CompanyVisit,
    form: SettingsForm,
    typed: TypedForm,
    current: dict[str, Any],
    problems: Sequence[FormProblem] = (),
) -> Response:
    return company_form_page(
        visit,
        f"/configuracoes/{form.slug}",
        title=f"Configurações: {form.title}",
        sentence="As mudanças valem para os documentos que forem emitidos daqui em diante.",
        view=view_form(typed, problems),
        facts=_facts(form, current),
    )


def _facts(form: SettingsForm, current: dict[str, Any]) -> list[tuple[str, str]]:
    """Returns what the inputs do not show: the next number, and which secrets are stored."""
    stored = TypedForm.of_body(form.layout, {form.module: current}).texts
    facts = [
        (field.label, "Informado" if field.path in stored else "Não informado")
        for field in form.layout.fields
        if field.kind is FieldKind.SECRET
    ]
    if "number" not in current:
        return facts
    return [(f"Próximo número da série {current['series']}", whole(current["number"])), *facts]


def _number_path(form: SettingsForm) -> str:
    return f"{form.module}.number"


def _form_of(visit: CompanyVisit) -> SettingsForm:
    """Returns the form that the address names. Raises Refusal if there is none."""
    form = settings_form_at(visit.request.path_params["slug"])
    if form is None:
        raise not_found("Não há estas configurações.")
    return form


async def contingency(visit: CompanyVisit) -> Response:
    """Shows how contingency is chosen, and the form that changes it."""
    current = {"mode": visit.company.contingency_mode, "reason": visit.company.contingency_reason or ""}
    return _contingency_page(visit, TypedForm(CONTINGENCY_FORM, current))


async def set_contingency(visit: CompanyVisit) -> Response:
    """Sets how contingency is chosen."""
    typed = TypedForm.posted(CONTINGENCY_FORM, await visit.form())
    try:
        body = checked_body(ContingencyChange, typed.body)
        await change_contingency(visit.services.database, visit.subscription_id, visit.company, body)
    except Refusal as refusal:
        return _contingency_page(visit, typed, problems_of(refusal))
    return after_form(visit, Notice.SAVED)


def _contingency_page(
    visit: CompanyVisit, typed: TypedForm, problems: Sequence[FormProblem] = ()
) -> Response:
    return company_form_page(
        visit,
        _CONTINGENCY,
        title="Contingência",
        sentence=(
            "Em contingência, os documentos vão à autoridade que substitui a da UF, ou são emitidos sem"
            " conexão e transmitidos depois."
        ),
        view=view_form(typed, problems),
    )


ROUTES = (
    form_of(company_page(_SETTINGS, Capability.CHANGE_COMPANIES, settings)),
    acting(company_page(_SETTINGS, Capability.CHANGE_COMPANIES, change)),
    form_of(company_page(_CONTINGENCY, Capability.CHANGE_COMPANIES, contingency)),
    acting(company_page(_CONTINGENCY, Capability.CHANGE_COMPANIES, set_contingency)),
)
