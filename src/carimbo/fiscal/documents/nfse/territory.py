"""Where the service was given, and which municipality taxes it."""

from dataclasses import dataclass

from carimbo.fiscal.company import Company, TaxRegime
from carimbo.fiscal.documents.nfse.competence import told_day
from carimbo.fiscal.documents.nfse.request import NfseRequest
from carimbo.fiscal.documents.nfse.service_facts import NO_CITY_CODE, ServiceFacts, facts_of
from carimbo.fiscal.documents.nfse.settings import NfseSettings
from carimbo.fiscal.documents.nfse.simples import Assessment, assessment_of
from carimbo.fiscal.findings import Incomplete
from carimbo.fiscal.layouts.dps_v1.service import ServicePlace
from carimbo.fiscal.municipal_agreement import Jurisdiction
from carimbo.fiscal.party_address import NationalAddressBody
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.tables.municipalities import municipality_of_ibge
from carimbo.fiscal.tables.national_services import Incidence, NationalService

AT_TAKERS = "2"
_OUTSIDE = "2"
_UNKNOWN_CITY = "E0302"


@dataclass(frozen=True, slots=True)
class Territory:
    """The places that matter to the tax; None where there is none in Brazil."""

    issuing_city: str
    service_city: str | None
    incidence_city: str | None
    place: ServicePlace


def territory_of(request: NfseRequest, company: Company, service: NationalService) -> Territory:
    """Settle place and incidence (LC 116/2003, art. 3º), or tell what is missing."""
    own = company.address.city_code or ""
    if request.service_country_code:
        return Territory(own, None, None, ServicePlace(country_code=request.service_country_code))
    city = service_city(request, company)
    return Territory(own, city, _incidence(request, service, own, city), ServicePlace(city_code=city))


def jurisdiction_of(request: NfseRequest, company: Company, settings: NfseSettings) -> Jurisdiction:
    """Where the company is, and where the tax is due; its rate matters if it is not paid with Simples."""
    own = company.address.city_code or ""
    try:
        facts = facts_of(request, settings)
        incidence = territory_of(request, company, facts.service).incidence_city
    except Incomplete:
        return Jurisdiction((own,))
    cities = tuple(dict.fromkeys(city for city in (own, incidence) if city))
    is_asked = company.tax_regime is not TaxRegime.MEI and assessment_of(company) != Assessment.ALL
    day = told_day(request, company)
    return Jurisdiction(cities, incidence if is_asked else None, service_name(facts), day)


def service_name(facts: ServiceFacts) -> str:
    """A service as municipalities are asked about it: with dots, and with their own three digits."""
    return f"{facts.service.dotted}.{facts.city_code or NO_CITY_CODE}"


def service_city(request: NfseRequest, company: Company) -> str:
    """The municipality where the service was given, or tell what is missing."""
    own = company.address.city_code or ""
    if told := request.service_city_code:
        if municipality_of_ibge(told) is None:
            raise Incomplete(
                Problem(_UNKNOWN_CITY, "serviceCityCode", "O código não é o de um município do IBGE.")
            )
        city = told
    elif request.service_location == AT_TAKERS:
        city = _takers_city(request)
    else:
        city = own
    if request.nature_of_operation == _OUTSIDE and city == own:
        raise Incomplete(_not_outside())
    return city


def _takers_city(request: NfseRequest) -> str:
    taker = request.borrower
    if taker.city_code:
        return taker.city_code
    is_in_brazil = isinstance(taker.address, NationalAddressBody)
    lacking = [name for name in ("city", "state") if is_in_brazil and name in taker.missing_in_address]
    paths = [f"borrower.address.{name}" for name in lacking] or ["borrower.address"]
    message = "O serviço é prestado no município do tomador, que não tem endereço no Brasil."
    hint = "Informe o endereço do tomador, ou serviceCityCode."
    raise Incomplete(*(Problem("MISSING", path, message, hint) for path in paths))


def _not_outside() -> Problem:
    return Problem(
        "CONTRADICTION",
        "serviceLocation",
        "A natureza 2 é de serviço fora do município, e o local da prestação é o município da empresa.",
        "Informe serviceLocation 2, ou serviceCityCode com o município da prestação.",
    )


def _incidence(request: NfseRequest, service: NationalService, own: str, place: str) -> str | None:
    match service.incidence:
        case Incidence.PLACE:
            return place
        case Incidence.TAKER:
            return request.borrower.city_code
        case _:
            return own
