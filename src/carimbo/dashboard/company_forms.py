"""The forms of a company: their addresses, and the page that each belongs to and leads to."""

from collections.abc import Sequence

from starlette.responses import HTMLResponse, Response

from carimbo.dashboard.action_form import ActionForm, action_page
from carimbo.dashboard.form_view import FormView
from carimbo.dashboard.notices import Notice, with_notice
from carimbo.dashboard.rendering import redirect
from carimbo.dashboard.visit import CompanyVisit
from carimbo.service.companies.registration import unknown_company
from carimbo.service.companies.settings_forms import settings_form_of
from carimbo.service.missing_data import CompanyForm, MissingDatum

START = "/inicio"
_START_LABEL = "Primeiros passos"
_PATHS = {
    CompanyForm.REGISTRATION: "/cadastro",
    CompanyForm.CERTIFICATE: "/certificado",
    CompanyForm.STATE_REGISTRATION: "/inscricoes/nova",
}


def form_address(visit: CompanyVisit, form: CompanyForm, module: str = "") -> str:
    """Returns the address of a form; a form of settings needs its module."""
    path = _PATHS[form] if form in _PATHS else f"/configuracoes/{settings_form_of(module).slug}"
    return _kept_start(visit, visit.company_base + path)


def datum_address(visit: CompanyVisit, datum: MissingDatum) -> str:
    """Returns the address of the form that provides a missing datum. Raises LookupError if none does."""
    if datum.form is None:
        raise LookupError(datum.name)
    return form_address(visit, datum.form, datum.module)


def require_present(visit: CompanyVisit) -> None:
    """Raises Refusal for a company that was deleted: only its documents can still be read."""
    if visit.company.deleted_at is not None:
        raise unknown_company()


def is_from_start(visit: CompanyVisit) -> bool:
    """Whether the person came from the first steps, to which the form leads back."""
    return visit.filter("inicio") == "1" or visit.request.url.path.endswith(START)


def page_behind(visit: CompanyVisit) -> str:
    """Returns the address of the page that a form belongs to: the company, or its first steps."""
    return visit.company_base + START if is_from_start(visit) else visit.company_base


def after_form(visit: CompanyVisit, notice: Notice) -> Response:
    """Leads to the page that a form belongs to, which says what was done."""
    return redirect(with_notice(page_behind(visit), notice))


def company_form_page(
    visit: CompanyVisit,
    path: str,
    *,
    title: str,
    sentence: str,
    button: str = "Guardar",
    view: FormView | None = None,
    facts: Sequence[tuple[str, str]] = (),
    warnings: Sequence[str] = (),
    is_dangerous: bool = False,
    takes_file: bool = False,
    template: str = "forms/action.html",
    **values: object,
) -> HTMLResponse:
    """Renders the page of a form of a company, which goes to the address of the page.

    Raises Refusal for a company that was deleted.
    """
    require_present(visit)
    action = ActionForm(
        title=title,
        sentence=sentence,
        button=button,
        address=_kept_start(visit, visit.company_base + path),
        back=page_behind(visit),
        back_label=_START_LABEL if is_from_start(visit) else visit.company.shown_name,
        view=view,
        facts=facts,
        warnings=warnings,
        is_dangerous=is_dangerous,
        takes_file=takes_file,
    )
    return action_page(visit, action, template, **values)


def _kept_start(visit: CompanyVisit, address: str) -> str:
    return f"{address}?inicio=1" if is_from_start(visit) else address
