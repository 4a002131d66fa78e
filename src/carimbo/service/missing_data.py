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
_ROUTES = {
    "stateRegistration": "POST /v1/companies/{companyId}/state-registrations",
    "certificate": "POST /v1/companies/{companyId}/certificate",
}
_SETTINGS_ROUTE = "PUT /v1/companies/{companyId}/settings"
_COMPANY_ROUTE = "PUT /v1/companies/{companyId}"


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
    """A missing datum: its name in JSON, its kind, the words for it, and the route that sets it."""

    name: str
    kind: MissingKind
    words: str
    route: str | None
    """None if the operator provides it."""


def missing_datum(name: str) -> MissingDatum:
    """Returns the kind, the words and the route for a name in `details.missing`."""
    if name in RESPONSIBLE_SETTINGS:
        return MissingDatum(name, MissingKind.INSTALLATION_SETTING, name, None)
    if name in RATE_PLACES:
        return MissingDatum(name, MissingKind.TABLE_RATE, name, None)
    route = _ROUTES.get(name) or (_SETTINGS_ROUTE if "." in name else _COMPANY_ROUTE)
    return MissingDatum(name, MissingKind.COMPANY_DATA, _WORDS.get(name, name), route)


def describe_missing(missing: Iterable[str]) -> str:
    """Describes missing data in Portuguese, each with its name and the route that sets it."""
    return "; ".join(map(_description, map(missing_datum, missing)))


def _description(datum: MissingDatum) -> str:
    if datum.route is None:
        return f"{datum.name} (com quem opera o serviço)"
    return f"{datum.words} ({datum.name}, {datum.route})"
