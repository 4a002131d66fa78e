"""The service that a code of the national list (`cTribNac`), or an item of LC 116, stands for."""

from carimbo.fiscal.findings import Incomplete
from carimbo.fiscal.problems import Problem, quoted
from carimbo.fiscal.tables.national_services import NATIONAL_SERVICES, NationalService, services_of_item

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
    """Returns the only service of a code, or raises what is wrong with it.

    `advice` begins the hint: it says where to correct the code, and the hint goes on with what to write.
    """
    services = services_named(code)
    if not services:
        raise Incomplete(_unknown(code, advice))
    if len(services) > 1:
        raise Incomplete(_several(code, services, advice))
    return services[0]


def is_listed(code: str) -> bool:
    """Returns whether the national list has a code or an item."""
    return bool(services_named(code))


def code_digits(code: str) -> str:
    """Returns the digits of a code, with the zero that people leave out of `1.05`."""
    return "".join(part.zfill(2) for part in code.split("."))


def _unknown(code: str, advice: str) -> Problem:
    return Problem(
        _UNKNOWN_SERVICE,
        "federalServiceCode",
        f"O código {quoted(code)} não está na lista nacional de serviços.",
        f"{advice} um item da LC 116, como 01.05, ou um código nacional, como 01.05.01.",
    )


def _several(code: str, services: tuple[NationalService, ...], advice: str) -> Problem:
    """Only the caller knows which part of an item was done."""
    listed = "; ".join(f"{service.dotted} {service.description}" for service in services)
    return Problem(
        "AMBIGUOUS",
        "federalServiceCode",
        f"O item {code} tem mais de um código nacional: {listed}",
        f"{advice} o código nacional completo, com o desdobro, como {services[0].dotted}.",
        facts=(("candidates", tuple(service.dotted for service in services)),),
    )
