"""Says in Portuguese which data a company lacks, and which route sets each of them."""

from collections.abc import Iterable

# By the names that `details.missing` and the company's status have for them.
_WORDS = {
    "address": "o endereço",
    "taxRegime": "o regime tributário",
    "ibsCbsRegime": "um regime de IBS e CBS que se possa ler",
    "pisCofinsRegime": "o regime do PIS e da COFINS",
    "simplesRate": "a alíquota do Simples Nacional",
    "stateRegistration": "a inscrição estadual na UF da empresa",
    "certificate": "um certificado A1 em vigor",
    "nfce.active": "o módulo da NFC-e, que está desligado",
    "nfce.cscId": "o identificador do CSC",
    "nfce.csc": "o CSC",
    "nfce.homologation.cscId": "o identificador do CSC de homologação",
    "nfce.homologation.csc": "o CSC de homologação",
}
_ROUTES = {
    "stateRegistration": "POST /v1/companies/{companyId}/state-registrations",
    "certificate": "POST /v1/companies/{companyId}/certificate",
}
_SETTINGS = "PUT /v1/companies/{companyId}/settings"
_COMPANY = "PUT /v1/companies/{companyId}"


def in_words(missing: Iterable[str]) -> str:
    """Returns the names of missing data as words, each with the route that sets it."""
    return "; ".join(f"{_WORDS.get(name, name)} ({name}, {_route(name)})" for name in missing)


def _route(name: str) -> str:
    return _ROUTES.get(name) or (_SETTINGS if "." in name else _COMPANY)
