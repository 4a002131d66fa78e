"""Data that a company or the installation lacks to issue: what each is, and who provides it how."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, auto

from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.issuance import RESPONSIBLE_SETTINGS
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.fiscal.taxes.missing_rates import RATE_PLACES


def _inactive(document_type: DocumentType) -> str:
    of = "do" if document_type.is_masculine else "da"
    return f"o módulo {of} {document_type.title}, que está desligado"


# Keys are the names in `details.missing` and in the company's status.
_WORDS = {
    "address": "o endereço",
    "taxRegime": "o regime tributário",
    "ibsCbsRegime": "um regime de IBS e CBS que se possa ler",
    "pisCofinsRegime": "o regime do PIS e da COFINS",
    "simplesRate": "a alíquota do Simples Nacional",
    "stateRegistration": "a inscrição estadual na UF da empresa",
    "certificate": "um certificado A1 em vigor",
    **{f"{document_type.name}.active": _inactive(document_type) for document_type in DOCUMENT_TYPES},
    **{
        name: words
        for document_type in DOCUMENT_TYPES
        for name, words in document_type.requirements.setting_words.items()
    },
}


class CompanyForm(Enum):
    """The forms that provide the data of a company, each with the route of the API that does the same."""

    REGISTRATION = "PUT /v1/companies/{companyId}"
    CERTIFICATE = "POST /v1/companies/{companyId}/certificate"
    STATE_REGISTRATION = "POST /v1/companies/{companyId}/state-registrations"
    SETTINGS = "PUT /v1/companies/{companyId}/settings"
    """There is one of these for each module of the settings."""


_FORMS = {"stateRegistration": CompanyForm.STATE_REGISTRATION, "certificate": CompanyForm.CERTIFICATE}


class MissingKind(Enum):
    """The kind of a missing datum: who provides it, and where."""

    COMPANY_DATA = auto()
    """The caller sends it to a route of the API."""
    INSTALLATION_SETTING = auto()
    """The operator sets a variable: the technical responsible of the program."""
    TABLE_RATE = auto()
    """The operator fills in an official table."""


@dataclass(frozen=True)
class MissingDatum:
    """A missing datum: its name in JSON, its kind, the words for it, and the form that provides it."""

    name: str
    kind: MissingKind
    words: str
    form: CompanyForm | None
    """None if the operator provides it."""

    @property
    def route(self) -> str | None:
        """The route of the API that sets it; None if the operator provides it."""
        return self.form.value if self.form else None

    @property
    def module(self) -> str:
        """The module of the settings that it belongs to."""
        return self.name.partition(".")[0]


def missing_datum(name: str) -> MissingDatum:
    """Returns the kind, the words and the form for a name in `details.missing`."""
    if name in RESPONSIBLE_SETTINGS:
        return MissingDatum(name, MissingKind.INSTALLATION_SETTING, name, None)
    if name in RATE_PLACES:
        return MissingDatum(name, MissingKind.TABLE_RATE, name, None)
    form = _FORMS.get(name) or (CompanyForm.SETTINGS if "." in name else CompanyForm.REGISTRATION)
    return MissingDatum(name, MissingKind.COMPANY_DATA, _WORDS.get(name, name), form)


def describe_missing(missing: Iterable[str]) -> str:
    """Describes missing data in Portuguese, each with its name and the route that sets it."""
    return "; ".join(map(_description, map(missing_datum, missing)))


def missing_in_words(missing: Iterable[str]) -> str:
    """Describes missing data in Portuguese for a page, whose links lead to the forms that provide them."""
    return "; ".join(
        datum.words if datum.form else f"{datum.name} (com quem opera o serviço)"
        for datum in map(missing_datum, missing)
    )


def _description(datum: MissingDatum) -> str:
    if datum.route is None:
        return f"{datum.name} (com quem opera o serviço)"
    return f"{datum.words} ({datum.name}, {datum.route})"
