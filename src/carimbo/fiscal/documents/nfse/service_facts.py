"""Which service it is and how the municipality taxes it: told by the body, or by the company's settings."""

from dataclasses import dataclass
from decimal import Decimal

from carimbo.fiscal.documents.nfse.request import NfseRequest
from carimbo.fiscal.documents.nfse.settings import NfseSettings
from carimbo.fiscal.findings import Incomplete
from carimbo.fiscal.problems import Problem, quoted
from carimbo.fiscal.tables.national_services import NATIONAL_SERVICES, NationalService, services_of_item

# What the national layout has room for; municipalities have longer codes of their own.
_CITY_CODE_LENGTH = 3
# What Sefin writes where there is none, and refuses to be told (E0315).
NO_CITY_CODE = "000"
_MISSING = "MISSING"
_UNKNOWN_SERVICE = "E0310"
# How hints begin: a code of the settings is corrected there, as one in the body changes its form.
_BODY, _SETTINGS = "Informe", "Configure em nfse.federalServiceCode da empresa"


@dataclass(frozen=True, slots=True)
class ServiceFacts:
    """What a document needs to know of its service."""

    service: NationalService
    city_code: str | None
    """As the layout writes it (cTribMun), if the municipality's code fits there."""
    nbs: str | None
    iss_rate: Decimal
    is_withheld: bool


def facts_of(request: NfseRequest, settings: NfseSettings) -> ServiceFacts:
    """Settle what the service is, or tell all that is missing in body and settings alike."""
    code = request.federal_service_code or settings.federal_service_code
    rate = request.iss.rate if request.iss else settings.iss_rate
    if code is None or rate is None:
        raise Incomplete(*_missing(code, rate))
    return ServiceFacts(
        service=_service(code, _BODY if request.federal_service_code else _SETTINGS),
        city_code=written_city_code(_told_city_code(request, settings)[1]),
        nbs=request.nbs or settings.nbs,
        iss_rate=rate,
        is_withheld=request.iss.is_withheld if request.iss else False,
    )


def _missing(code: str | None, rate: Decimal | None) -> list[Problem]:
    lacking = (
        ("federalServiceCode", "nfse.federalServiceCode", code),
        ("iss.rate", "nfse.issRate", rate),
    )
    return [
        Problem(
            _MISSING,
            field,
            "Falta no corpo e nas configurações da empresa.",
            f"Informe {field} ou configure {setting} na empresa.",
        )
        for field, setting, value in lacking
        if value is None
    ]


def _service(told: str, ask: str) -> NationalService:
    """The service of a code of the national list, or of an item that has only one."""
    digits = code_digits(told)
    if len(digits) == len("010101"):
        service = NATIONAL_SERVICES.get(digits)
        if service is None:
            raise Incomplete(_unknown(told, ask))
        return service
    found = services_of_item(f"{digits[:2]}.{digits[2:]}")
    if not found:
        raise Incomplete(_unknown(told, ask))
    if len(found) > 1:
        raise Incomplete(_several(told, found, ask))
    return found[0]


def is_listed(told: str) -> bool:
    """Whether a code of the national list, or an item of it, is one that there is."""
    digits = code_digits(told)
    return digits in NATIONAL_SERVICES or bool(services_of_item(f"{digits[:2]}.{digits[2:]}"))


def code_digits(told: str) -> str:
    """The digits of a code, with the zero that people leave out of `1.05`."""
    return "".join(part.zfill(2) for part in told.split("."))


def _unknown(told: str, ask: str) -> Problem:
    return Problem(
        _UNKNOWN_SERVICE,
        "federalServiceCode",
        f"O código {quoted(told)} não está na lista nacional de serviços.",
        f"{ask} um item da LC 116, como 01.05, ou um código nacional, como 01.05.01.",
    )


def _several(told: str, found: tuple[NationalService, ...], ask: str) -> Problem:
    """Nobody but the caller knows which part of an item was done."""
    listed = "; ".join(f"{one.dotted} {one.description}" for one in found)
    return Problem(
        "AMBIGUOUS",
        "federalServiceCode",
        f"O item {told} tem mais de um código nacional: {listed}",
        f"{ask} o código nacional completo, com o desdobro, como {found[0].dotted}.",
        facts=(("candidates", tuple(one.dotted for one in found)),),
    )


def left_out_city_code(request: NfseRequest, settings: NfseSettings) -> str | None:
    """What to tell of a municipality's code that the layout has no room for."""
    field, told = _told_city_code(request, settings)
    national = request.federal_service_code
    # Sales tell the national code where there is no other, for the detailed form wants one.
    is_filler = told in ("", NO_CITY_CODE) or (national is not None and told == code_digits(national))
    if is_filler or written_city_code(told):
        return None
    return (
        f"{field}: O código municipal {quoted(told)} não vai na nota: o leiaute nacional só tem lugar para os"
        f" de {_CITY_CODE_LENGTH} dígitos."
    )


def _told_city_code(request: NfseRequest, settings: NfseSettings) -> tuple[str, str]:
    """The field that tells the municipality's code, and the code."""
    told = (
        ("cityServiceCode", request.city_service_code),
        ("serviceCode", request.service_code),
        ("nfse.cityServiceCode", settings.city_service_code),
    )
    return next(((field, code) for field, code in told if code), ("", ""))


def written_city_code(told: str) -> str | None:
    """A municipality's code as the layout takes it, if it does."""
    is_written = len(told) == _CITY_CODE_LENGTH and told.isdigit() and told != NO_CITY_CODE
    return told if is_written else None
