"""Place and day of a service: where it was provided, which municipality taxes it, and its competence."""

from dataclasses import dataclass
from datetime import date

from carimbo.fiscal.calendar import RulesInForce, rules_on
from carimbo.fiscal.documents.nfse.iss import SimplesAssessment, assessment_of
from carimbo.fiscal.documents.nfse.request import NfseRequest
from carimbo.fiscal.documents.nfse.service_facts import NO_CITY_CODE, ServiceFacts, facts_of
from carimbo.fiscal.documents.nfse.settings import NfseSettings
from carimbo.fiscal.issuance import Issuance
from carimbo.fiscal.layouts.dps_v1.service import ServicePlace
from carimbo.fiscal.layouts.dps_v1.service_note import read_note
from carimbo.fiscal.local_time import local_day
from carimbo.fiscal.municipal_agreement import Jurisdiction
from carimbo.fiscal.parties.company import Company, TaxRegime
from carimbo.fiscal.parties.party_address import NationalAddressBody
from carimbo.fiscal.problems import Incomplete, Problem
from carimbo.fiscal.tables.geography import municipality_of_ibge
from carimbo.fiscal.tables.service_codes import Incidence, NationalService


def competence_of(request: NfseRequest, issuance: Issuance) -> date:
    """Returns the competence: as given, else that of the replaced note, which is fixed (E0060, E0061).

    Else the day of the request: an authority that is out of service over midnight does not change it.
    """
    requested, replaced = requested_day(request, issuance.company), issuance.external_facts.replaced
    if requested:
        return requested
    if replaced:
        return read_note(replaced.signed).competence
    return local_day(issuance.asked_at or issuance.emission.issued_at, issuance.company.address.state)


def requested_day(request: NfseRequest, company: Company) -> date | None:
    """Returns the competence in the body, by the company's clock; None if it has none."""
    return local_day(request.competence, company.address.state) if request.competence else None


def rules_of_competence(day: date) -> RulesInForce:
    """Returns the rules of a competence; a note of December issued in January follows December's rules."""
    return rules_on(day, "nfse")


AT_TAKERS = "2"
_OUTSIDE = "2"
_UNKNOWN_CITY = "E0302"


@dataclass(frozen=True, slots=True)
class Territory:
    """The municipalities of a service; None if it is not in Brazil."""

    issuing_city: str
    service_city: str | None
    incidence_city: str | None
    place: ServicePlace


def territory_of(request: NfseRequest, company: Company, service: NationalService) -> Territory:
    """Returns place and incidence of a service (LC 116/2003, art. 3º); raises `Incomplete`."""
    own = company.address.city_code or ""
    if request.service_country_code:
        return Territory(own, None, None, ServicePlace(country_code=request.service_country_code))
    city = service_city(request, company)
    match service.incidence:
        case Incidence.PLACE:
            incidence: str | None = city
        case Incidence.TAKER:
            incidence = request.borrower.city_code
        case _:
            incidence = own
    return Territory(own, city, incidence, ServicePlace(city_code=city))


def jurisdiction_of(request: NfseRequest, company: Company, settings: NfseSettings) -> Jurisdiction:
    """Returns the municipalities to query: the company's own, and where the ISS is due.

    The rate is only needed if the ISS is not paid in the DAS of Simples.
    """
    own = company.address.city_code or ""
    try:
        facts = facts_of(request, settings)
        incidence = territory_of(request, company, facts.service).incidence_city
    except Incomplete:
        return Jurisdiction((own,))
    cities = tuple(dict.fromkeys(city for city in (own, incidence) if city))
    needs_rate = company.tax_regime is not TaxRegime.MEI and assessment_of(company) != SimplesAssessment.ALL
    day = requested_day(request, company)
    return Jurisdiction(cities, incidence if needs_rate else None, service_name(facts), day)


def service_name(facts: ServiceFacts) -> str:
    """Returns the code of a service in queries to municipalities: with dots, and with their three digits."""
    return f"{facts.service.dotted}.{facts.city_code or NO_CITY_CODE}"


def service_city(request: NfseRequest, company: Company) -> str:
    """Returns the municipality where the service was provided; raises `Incomplete`."""
    own = company.address.city_code or ""
    if request.service_city_code:
        if municipality_of_ibge(request.service_city_code) is None:
            raise Incomplete(
                Problem(_UNKNOWN_CITY, "serviceCityCode", "O código não é o de um município do IBGE.")
            )
        city = request.service_city_code
    elif request.service_location == AT_TAKERS:
        city = _takers_city(request)
    else:
        city = own
    if request.nature_of_operation == _OUTSIDE and city == own:
        raise Incomplete(
            Problem(
                "CONTRADICTION",
                "serviceLocation",
                "A natureza 2 é de serviço fora do município, e o local da prestação é o município da"
                " empresa.",
                "Informe serviceLocation 2, ou serviceCityCode com o município da prestação.",
            )
        )
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
