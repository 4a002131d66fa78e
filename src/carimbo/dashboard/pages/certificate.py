"""The certificate of a company: what it says, its upload with the password, and its removal."""

from collections.abc import Mapping, Sequence

from starlette.datastructures import UploadFile
from starlette.responses import Response

from carimbo.dashboard.body_form import TypedForm
from carimbo.dashboard.company_forms import after_form, company_form_page, form_address, require_present
from carimbo.dashboard.form_view import FormProblem, view_form
from carimbo.dashboard.forms import password_of
from carimbo.dashboard.notices import Notice, with_notice
from carimbo.dashboard.rendering import redirect
from carimbo.dashboard.routes import acting, company_page, form_of
from carimbo.dashboard.security import FILE_FORM
from carimbo.dashboard.shown import Badge, moment, tax_id
from carimbo.dashboard.visit import CompanyVisit
from carimbo.fiscal.body.fields import Body
from carimbo.fiscal.body.form_layout import FieldKind, FormField, FormLayout, FormSection
from carimbo.service.companies.certificates import delete_certificate, read_certificate, upload_certificate
from carimbo.service.company_status.certificate_expiry import CertificateState
from carimbo.service.company_status.readiness import read_readiness
from carimbo.service.errors import ErrorCode, Refusal
from carimbo.service.missing_data import CompanyForm
from carimbo.service.people.roles import Capability

_PATH, _REMOVE = "/certificado", "/certificado/remover"
_FILE, _PASSWORD = "file", "password"
CERTIFICATE_BADGES: Mapping[CertificateState, Badge] = {
    CertificateState.VALID: Badge("Em vigor", "good"),
    CertificateState.EXPIRING: Badge("Vence em breve", "warn"),
    CertificateState.EXPIRED: Badge("Vencido", "bad"),
    CertificateState.NOT_ACCEPTED: Badge("Recusado", "bad"),
}
_NO_FILE = "Escolha o arquivo do certificado, com a extensão .pfx ou .p12."
_SENTENCE = (
    "Envie o e-CNPJ A1 da empresa: o arquivo .pfx ou .p12 que a autoridade certificadora entregou, e a senha"
    " dele. O arquivo é conferido, cifrado e guardado, e nunca pode ser baixado."
)


class CertificateUpload(Body):
    """The inputs of the form."""

    file: str
    password: str | None = None


_FORM = FormLayout(
    body=CertificateUpload,
    sections=(
        FormSection(
            title="Certificado",
            parts=(
                FormField(
                    path=_FILE,
                    label="Arquivo do certificado",
                    kind=FieldKind.FILE,
                    accept=".pfx,.p12",
                    hint="Escolha o arquivo, ou arraste-o até aqui.",
                ),
                FormField(
                    path=_PASSWORD,
                    label="Senha do certificado",
                    kind=FieldKind.SECRET,
                    hint="Em branco, se o arquivo não tem senha.",
                ),
            ),
        ),
    ),
)


async def certificate(visit: CompanyVisit) -> Response:
    """Shows what the certificate of a company says, and the form for a new one."""
    return await _certificate_page(visit)


async def upload(visit: CompanyVisit) -> Response:
    """Checks a certificate and stores it, and shows what it says."""
    form = await visit.form()
    file, services = form.get(_FILE), visit.services
    if not isinstance(file, UploadFile) or not file.filename:
        return await _certificate_page(visit, [FormProblem(_FILE, _NO_FILE)])
    try:
        await upload_certificate(
            services.database,
            services.opener,
            visit.subscription_id,
            visit.company,
            await file.read(),
            password_of(form),
            visit.now,
        )
    except Refusal as refusal:
        return await _certificate_page(visit, [_problem_of(visit, refusal)])
    address = form_address(visit, CompanyForm.CERTIFICATE)
    return redirect(with_notice(address, Notice.CERTIFICATE_SAVED))


def _problem_of(visit: CompanyVisit, refusal: Refusal) -> FormProblem:
    """Returns the problem of a refused certificate at the input that causes it."""
    details = refusal.details or {}
    match refusal.code:
        case ErrorCode.CERTIFICATE_PASSWORD_INVALID:
            return FormProblem(_PASSWORD, refusal.message)
        case ErrorCode.CERTIFICATE_EXPIRED:
            return FormProblem(_FILE, "O certificado está vencido: envie um que esteja em vigor.")
        case ErrorCode.CERTIFICATE_TAX_ID_MISMATCH if details["certificateTaxId"]:
            owner, company = tax_id(details["certificateTaxId"]), tax_id(visit.company.tax_id)
            return FormProblem(_FILE, f"O certificado é do CNPJ {owner}, e o da empresa é {company}.")
        case ErrorCode.CERTIFICATE_TAX_ID_MISMATCH | ErrorCode.CERTIFICATE_INVALID:
            return FormProblem(_FILE, refusal.message)
    raise refusal


async def _certificate_page(visit: CompanyVisit, problems: Sequence[FormProblem] = ()) -> Response:
    require_present(visit)
    [readiness] = await read_readiness(visit.services.status_reader, visit.subscription_id, [visit.company])
    return company_form_page(
        visit,
        _PATH,
        title="Certificado digital",
        sentence=_SENTENCE,
        button="Enviar certificado",
        view=view_form(TypedForm(_FORM, {}), problems),
        takes_file=True,
        template="companies/certificate.html",
        readiness=readiness,
        certificate_badges=CERTIFICATE_BADGES,
    )


async def certificate_to_remove(visit: CompanyVisit) -> Response:
    """Asks whether the certificate should be removed."""
    stored = (
        await read_certificate(visit.services.database, visit.subscription_id, visit.company.id)
    ).certificate
    return company_form_page(
        visit,
        _REMOVE,
        title="Remover o certificado?",
        sentence=(
            "Sem certificado a empresa não emite, não cancela e não busca documentos recebidos. O arquivo e a"
            " chave são destruídos."
        ),
        button="Remover",
        facts=[
            ("Titular", stored.subject_name),
            ("CNPJ", tax_id(stored.tax_id)),
            ("Válido até", moment(stored.expires_at, visit.state)),
        ],
        is_dangerous=True,
    )


async def remove(visit: CompanyVisit) -> Response:
    """Removes the certificate."""
    await delete_certificate(visit.services.database, visit.subscription_id, visit.company.id)
    return after_form(visit, Notice.REMOVED)


ROUTES = (
    form_of(company_page(_PATH, Capability.CHANGE_CERTIFICATES, certificate)),
    acting(company_page(_PATH, Capability.CHANGE_CERTIFICATES, upload), FILE_FORM),
    form_of(company_page(_REMOVE, Capability.CHANGE_CERTIFICATES, certificate_to_remove)),
    acting(company_page(_REMOVE, Capability.CHANGE_CERTIFICATES, remove)),
)
