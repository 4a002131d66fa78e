"""The logo on a company's printed documents: the image, its upload and its removal."""

from collections.abc import Sequence

from starlette.datastructures import UploadFile
from starlette.responses import Response

from carimbo.dashboard.body_form import TypedForm
from carimbo.dashboard.company_forms import after_form, company_form_page
from carimbo.dashboard.form_view import FormProblem, problems_of, view_form
from carimbo.dashboard.notices import Notice
from carimbo.dashboard.routes import acting, company_page, form_of
from carimbo.dashboard.security import FILE_FORM
from carimbo.dashboard.visit import CompanyVisit
from carimbo.fiscal.body.fields import Body
from carimbo.fiscal.body.form_layout import FieldKind, FormField, FormLayout, FormSection
from carimbo.service.companies.logos import delete_logo, read_logo, upload_logo
from carimbo.service.errors import Refusal
from carimbo.service.people.roles import Capability

_PATH, _REMOVE, _FILE = "/logotipo", "/logotipo/remover", "file"


class LogoUpload(Body):
    """The input of the form."""

    file: str


_FORM = FormLayout(
    body=LogoUpload,
    sections=(
        FormSection(
            title="Logotipo",
            parts=(
                FormField(
                    path=_FILE,
                    label="Imagem",
                    kind=FieldKind.FILE,
                    accept="image/png,image/jpeg",
                    hint="PNG ou JPEG, até 1 MB e 4 megapixels. Escolha o arquivo, ou arraste-o até aqui.",
                ),
            ),
        ),
    ),
)


async def logo(visit: CompanyVisit) -> Response:
    """Shows the logo, and the form for a new one."""
    return _logo_page(visit)


async def image(visit: CompanyVisit) -> Response:
    """Returns the logo itself."""
    png = await read_logo(visit.services.database, visit.subscription_id, visit.company.id)
    return Response(png, media_type="image/png")


async def upload(visit: CompanyVisit) -> Response:
    """Stores a new logo."""
    file = (await visit.form()).get(_FILE)
    if not isinstance(file, UploadFile) or not file.filename:
        return _logo_page(visit, [FormProblem(_FILE, "Escolha a imagem.")])
    try:
        await upload_logo(visit.services.database, visit.subscription_id, visit.company.id, await file.read())
    except Refusal as refusal:
        return _logo_page(visit, problems_of(refusal))
    return after_form(visit, Notice.SAVED)


def _logo_page(visit: CompanyVisit, problems: Sequence[FormProblem] = ()) -> Response:
    return company_form_page(
        visit,
        _PATH,
        title="Logotipo",
        sentence="O logotipo sai em tudo que se imprimir, também dos documentos já emitidos.",
        button="Enviar imagem",
        view=view_form(TypedForm(_FORM, {}), problems),
        takes_file=True,
        template="companies/logo.html",
    )


async def logo_to_remove(visit: CompanyVisit) -> Response:
    """Asks whether the logo should be removed."""
    return company_form_page(
        visit,
        _REMOVE,
        title="Remover o logotipo?",
        sentence="Os documentos passam a ser impressos sem logotipo, também os que já foram emitidos.",
        button="Remover",
        is_dangerous=True,
    )


async def remove(visit: CompanyVisit) -> Response:
    """Removes the logo."""
    await delete_logo(visit.services.database, visit.subscription_id, visit.company.id)
    return after_form(visit, Notice.REMOVED)


ROUTES = (
    form_of(company_page(_PATH, Capability.CHANGE_COMPANIES, logo)),
    acting(company_page(_PATH, Capability.CHANGE_COMPANIES, upload), FILE_FORM),
    company_page("/logotipo/imagem", Capability.READ_COMPANIES, image),
    form_of(company_page(_REMOVE, Capability.CHANGE_COMPANIES, logo_to_remove)),
    acting(company_page(_REMOVE, Capability.CHANGE_COMPANIES, remove)),
)
