"""Which service a note is of and how its municipality taxes it: by the body or the settings."""

from dataclasses import dataclass
from decimal import Decimal

from carimbo.fiscal.documents.nfse.national_code import code_digits, service_named, services_named
from carimbo.fiscal.documents.nfse.request import NfseRequest
from carimbo.fiscal.documents.nfse.settings import NfseSettings
from carimbo.fiscal.findings import Incomplete
from carimbo.fiscal.problems import Problem, quoted
from carimbo.fiscal.tables.national_services import NationalService

# What the national layout has room for; municipalities have longer codes of their own.
_CITY_CODE_LENGTH = 3
# What Sefin writes where there is none, and refuses to be told (E0315).
NO_CITY_CODE = "000"
SETTINGS_ROUTE = "em PUT /v1/companies/{companyId}/settings"
MISSING_RATE = Problem(
    "MISSING",
    "iss.rate",
    "Falta a alíquota do ISS: não está no corpo, nem nas configurações da empresa.",
    f"Informe iss.rate, como 2, ou configure nfse.issRate da empresa {SETTINGS_ROUTE}.",
)


@dataclass(frozen=True, slots=True)
class ServiceFacts:
    """What a document needs to know of its service."""

    service: NationalService
    city_code: str | None
    """As the layout writes it (cTribMun), if the municipality's code fits there."""
    nbs: str | None
    iss_rate: Decimal
    is_withheld: bool
    warning: str | None = None
    """About a municipal code that the layout has no room for."""


def facts_of(request: NfseRequest, settings: NfseSettings) -> ServiceFacts:
    """Returns the facts of the body, else of the settings; raises all that is missing.

    A detailed body has code and ISS itself, as its validation demands. A body that takes them from the
    catalog is filled before.
    """
    code, iss = request.federal_service_code or settings.federal_service_code, request.iss
    rate = iss.rate if iss else settings.iss_rate
    if code is None or rate is None:
        raise Incomplete(*_missing(request, code, rate))
    service = service_named(code, _advice(request))
    field, city_code = _given_city_code(request, settings, service)
    return ServiceFacts(
        service=service,
        city_code=written_city_code(city_code),
        nbs=request.nbs or settings.nbs,
        iss_rate=rate,
        is_withheld=iss.is_withheld if iss else False,
        warning=_left_out(field, city_code, request),
    )


def missing_for_shortcut(settings: NfseSettings) -> tuple[str, ...]:
    """Returns the settings without which a shortcut body has to say more, by their names in our JSON."""
    code = settings.federal_service_code
    is_settled = code is not None and len(services_named(code)) == 1
    lacking = (("nfse.federalServiceCode", not is_settled), ("nfse.issRate", settings.iss_rate is None))
    return tuple(name for name, is_lacking in lacking if is_lacking)


def _missing(request: NfseRequest, code: str | None, rate: Decimal | None) -> list[Problem]:
    problems = []
    if code is None:
        city_code = quoted(request.service_code) if request.service_code else None
        in_catalog = f", nem no catálogo, em um serviço com cityServiceCode {city_code}" if city_code else ""
        problems.append(
            Problem(
                "MISSING",
                "federalServiceCode",
                "Falta o código do serviço: não está no corpo, nem nas configurações da empresa"
                f"{in_catalog}.",
                "Informe federalServiceCode, como 01.05, ou configure nfse.federalServiceCode da empresa"
                f" {SETTINGS_ROUTE}.",
            )
        )
    if rate is None:
        problems.append(MISSING_RATE)
    return problems


def _advice(request: NfseRequest) -> str:
    """Returns how a hint about the code begins: with the place that the code came from."""
    if request.federal_service_code:
        return "Informe"
    return "Configure em nfse.federalServiceCode da empresa, ou informe em federalServiceCode,"


def _given_city_code(
    request: NfseRequest, settings: NfseSettings, service: NationalService
) -> tuple[str, str]:
    """Returns the field that has the municipality's code, and the code; both empty if there is none.

    The company's own code belongs to the company's own service, and to no other.
    """
    usual = settings.federal_service_code
    is_usual = usual is None or service in services_named(usual)
    given = (
        ("cityServiceCode", request.city_service_code),
        ("serviceCode", request.service_code),
        ("nfse.cityServiceCode", settings.city_service_code if is_usual else None),
    )
    return next(((field, code) for field, code in given if code), ("", ""))


def _left_out(field: str, city_code: str, request: NfseRequest) -> str | None:
    """Returns a warning about a municipality's code that the layout has no room for."""
    national = request.federal_service_code
    # Sales repeat the national code in cityServiceCode, which makes their bodies detailed.
    is_filler = city_code in ("", NO_CITY_CODE) or (
        national is not None and city_code == code_digits(national)
    )
    if is_filler or written_city_code(city_code):
        return None
    return (
        f"{field}: O código municipal {quoted(city_code)} não vai na nota: o leiaute nacional só tem lugar"
        f" para os de {_CITY_CODE_LENGTH} dígitos."
    )


def written_city_code(city_code: str) -> str | None:
    """Returns a municipality's code as the layout takes it, or None if it does not."""
    is_written = len(city_code) == _CITY_CODE_LENGTH and city_code.isdigit() and city_code != NO_CITY_CODE
    return city_code if is_written else None
