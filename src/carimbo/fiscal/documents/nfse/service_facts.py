"""The service of a note: its national code, municipal code, NBS and ISS, by body or settings."""

from dataclasses import dataclass
from decimal import Decimal

from carimbo.fiscal.documents.nfse.request import NfseRequest
from carimbo.fiscal.documents.nfse.settings import NfseSettings
from carimbo.fiscal.problems import Incomplete, Problem, quoted
from carimbo.fiscal.tables.service_codes import NATIONAL_SERVICES, NationalService, services_of_item

# The length in the national layout; municipalities also have longer codes.
_CITY_CODE_LENGTH = 3
# Sefin writes this code where there is none, and refuses it in a DPS (E0315).
NO_CITY_CODE = "000"
SETTINGS_ROUTE = "em PUT /v1/companies/{companyId}/settings"
MISSING_RATE = Problem(
    "MISSING",
    "iss.rate",
    "Falta a alíquota do ISS: não está no corpo, nem nas configurações da empresa.",
    f"Informe iss.rate, como 2, ou configure nfse.issRate da empresa {SETTINGS_ROUTE}.",
)
_UNKNOWN_SERVICE = "E0310"
_NATIONAL_LENGTH = len("010501")


def services_named(code: str) -> tuple[NationalService, ...]:
    """Returns the services of a national code or of an item of LC 116; an item may have several."""
    digits = code_digits(code)
    if len(digits) == _NATIONAL_LENGTH:
        service = NATIONAL_SERVICES.get(digits)
        return () if service is None else (service,)
    return services_of_item(f"{digits[:2]}.{digits[2:]}")


def service_named(code: str, advice: str) -> NationalService:
    """Returns the only service of a code; raises `Incomplete` if there are none or several.

    `advice` is the beginning of the hint, and says where to correct the code.
    """
    services = services_named(code)
    if not services:
        raise Incomplete(
            Problem(
                _UNKNOWN_SERVICE,
                "federalServiceCode",
                f"O código {quoted(code)} não está na lista nacional de serviços.",
                f"{advice} um item da LC 116, como 01.05, ou um código nacional, como 01.05.01.",
            )
        )
    if len(services) > 1:
        # Only the caller knows which part of the item was provided.
        listed = "; ".join(f"{service.dotted} {service.description}" for service in services)
        raise Incomplete(
            Problem(
                "AMBIGUOUS",
                "federalServiceCode",
                f"O item {code} tem mais de um código nacional: {listed}",
                f"{advice} o código nacional completo, com o desdobro, como {services[0].dotted}.",
                facts=(("candidates", tuple(service.dotted for service in services)),),
            )
        )
    return services[0]


def is_listed(code: str) -> bool:
    """Returns whether the national list has a code or an item."""
    return bool(services_named(code))


def code_digits(code: str) -> str:
    """Returns the digits of a code, with the leading zero that people omit in `1.05`."""
    return "".join(part.zfill(2) for part in code.split("."))


@dataclass(frozen=True, slots=True)
class ServiceFacts:
    """The facts of a service that a note needs."""

    service: NationalService
    city_code: str | None
    """The municipal code (cTribMun), if the layout can hold it."""
    nbs: str | None
    iss_rate: Decimal
    is_withheld: bool
    warning: str | None = None
    """About a municipal code that is too long for the layout."""


def facts_of(request: NfseRequest, settings: NfseSettings) -> ServiceFacts:
    """Returns the facts of the body, else of the settings; raises `Incomplete` with all that is missing.

    Validation ensures that a detailed body has code and ISS itself. A body that takes them from the catalog
    is filled earlier.
    """
    code, iss = request.federal_service_code or settings.federal_service_code, request.iss
    rate = iss.rate if iss else settings.iss_rate
    if code is None or rate is None:
        raise Incomplete(*_missing(request, code, rate))
    # The hint begins with the place where the code can be corrected.
    advice = (
        "Informe"
        if request.federal_service_code
        else "Configure em nfse.federalServiceCode da empresa, ou informe em federalServiceCode,"
    )
    service = service_named(code, advice)
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
    """Returns the settings that a shortcut body needs and that are missing, by their JSON names."""
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


def _given_city_code(
    request: NfseRequest, settings: NfseSettings, service: NationalService
) -> tuple[str, str]:
    """Returns the field with the municipal code, and the code; both empty if there is none.

    The company's own municipal code applies only to the company's own service.
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
    """Returns a warning about a municipal code that is too long for the layout."""
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
    """Returns a municipal code that the layout can hold, else None."""
    is_written = len(city_code) == _CITY_CODE_LENGTH and city_code.isdigit() and city_code != NO_CITY_CODE
    return city_code if is_written else None
