"""Rules about the kind of service: the fields that it needs, and those that it refuses."""

from collections.abc import Iterator

from carimbo.fiscal.calendar import DatedRule, rules_on
from carimbo.fiscal.documents.cteos.rules.rule import OsCheck, OsInput
from carimbo.fiscal.layouts.filling import given_values
from carimbo.fiscal.money import total
from carimbo.fiscal.parties.recipient import Contribution
from carimbo.fiscal.rules import At, RuleBook, Severity
from carimbo.fiscal.taxes.trade import day_of_key
from carimbo.fiscal.transport.cfop import CFOPS, first_digit
from carimbo.fiscal.transport.route import follows_borders
from carimbo.fiscal.transport.rules.rule import SCHEMA_CODE, manual

RULES: RuleBook[OsCheck] = RuleBook()

PIS_COFINS_ENDED, FEDERAL_TAXES = "PIS_COFINS_ENDED", "FEDERAL_TAXES"
CFOP_ROUTE = "CFOP_ROUTE"
_SERVICE, _PLACES = manual("tipo do serviço"), manual("início e término da prestação")
_ROUTE, _TAKER, _PURPOSE = manual("percurso"), manual("tomador"), manual("finalidade")


@RULES.rule("757", _TAKER, "O transporte de pessoas ou de valores tem tomador.")
def taker_missing(document: OsInput) -> At | None:
    """Refuses a service without its taker, except excess baggage."""
    needs_taker = document.carries_passengers or document.carries_valuables
    return At("takerParty") if needs_taker and document.request.taker_party is None else None


@RULES.rule("481", _TAKER, "O documento sem tomador não indica um contribuinte do ICMS.")
def contribution_without_a_taker(document: OsInput) -> At | None:
    """Refuses excess baggage without a taker that says that the taker contributes ICMS."""
    needs_taker = document.carries_passengers or document.carries_valuables
    is_contributor = document.identification.taker_contribution != Contribution.NONE.code
    is_alone = document.request.taker_party is None and is_contributor and not needs_taker
    return At("takerContribution") if is_alone else None


@RULES.rule("752", _PLACES, "O transporte de pessoas tem os municípios de início e término.")
def places_missing(document: OsInput) -> Iterator[At]:
    """Refuses passengers without start and end; the states (751) come from the municipalities."""
    if document.carries_passengers:
        yield from _missing_places(document)


@RULES.rule(
    SCHEMA_CODE,
    _PLACES,
    "Os municípios de início e término vão juntos.",
    hint="Informe os dois municípios, ou nenhum.",
)
def half_of_the_places(document: OsInput) -> Iterator[At]:
    """Refuses one place without the other in other services."""
    missing = list(_missing_places(document))
    if not document.carries_passengers and len(missing) == 1:
        yield from missing


def _missing_places(document: OsInput) -> Iterator[At]:
    if document.request.municipality_start_ibge is None:
        yield At("municipalityStartIbge")
    if document.request.municipality_end_ibge is None:
        yield At("municipalityEndIbge")


@RULES.rule("753", _ROUTE, "O percurso não segue as divisas entre as UFs, do início ao término.")
def route_along_the_borders(document: OsInput) -> At | None:
    """Refuses a route with states that do not touch each other."""
    route = document.request.route
    if not route or any(_missing_places(document)):
        return None
    return None if follows_borders(document.start_state, route, document.end_state) else At("route")


@RULES.rule(
    SCHEMA_CODE,
    _ROUTE,
    "O percurso vai com os municípios de início e término.",
    hint="Informe os municípios, ou retire route.",
)
def route_without_places(document: OsInput) -> At | None:
    """Refuses a route without start and end; 752 refuses passengers without them."""
    is_alone = bool(document.request.route) and len(list(_missing_places(document))) > 1
    return At("route") if is_alone and not document.carries_passengers else None


@RULES.rule(
    SCHEMA_CODE,
    _PURPOSE,
    "O CT-e OS de complemento não tem este campo, que é do CT-e OS complementado.",
    hint="Retire o campo, ou emita um CT-e OS normal se há outro serviço.",
)
def complement_with_service(document: OsInput) -> Iterator[At]:
    """Refuses fields of the service in a complement, which its layout has no place for."""
    if not document.is_complement:
        return
    request = document.request
    given = {
        "serviceQuantity": request.service_quantity,
        "referencedDocuments": request.referenced_documents,
        "insurance": request.insurance,
        "vehicle": request.vehicle,
        "charter": request.charter,
        "canceledAccessKey": request.canceled_access_key,
        "gtves": request.gtves,
        "billing": request.billing,
    }
    yield from (At(path) for path, value in given.items() if value not in (None, ()))


@RULES.rule(
    SCHEMA_CODE,
    manual("modal rodoviário"),
    "O CT-e OS leva o TAF ou o registro estadual, e não os dois.",
    hint="Retire um dos dois: TAF em viagens entre estados, registro estadual dentro de um estado.",
)
def both_registrations(document: OsInput) -> At | None:
    """Refuses both registrations at once."""
    return (
        At("stateAgencyRegistration")
        if document.request.taf and document.request.state_agency_registration
        else None
    )


@RULES.rule("754", manual("documentos referenciados"), "O excesso de bagagem referencia os bilhetes.")
def baggage_without_tickets(document: OsInput) -> At | None:
    """Refuses excess baggage without the tickets of its passengers."""
    is_baggage = not (document.carries_passengers or document.carries_valuables or document.is_complement)
    return At("referencedDocuments") if is_baggage and not document.request.referenced_documents else None


# The authorities compare the CFOP of a CT-e with its route (519), but not that of a CT-e OS.
@RULES.rule(
    CFOP_ROUTE,
    manual("CFOP"),
    "O primeiro dígito do CFOP não é o do percurso.",
    hint="Use CFOP que começa com 5 dentro do estado, com 6 entre estados, e com 7 para o exterior.",
    severity=Severity.WARNS,
)
def cfop_of_the_route(document: OsInput) -> At | None:
    """Warns of a CFOP for another route."""
    states = (document.start_state, document.end_state)
    if "" in states or document.identification.cfop not in CFOPS:
        return None
    return None if document.identification.cfop.startswith(first_digit(*states)) else At("cfop")


@RULES.rule(
    FEDERAL_TAXES,
    manual("tributos federais"),
    "Os tributos federais somam mais que o valor da prestação.",
    hint="Corrija federalTaxes ou serviceAmount.",
)
def federal_taxes_above_the_price(document: OsInput) -> At | None:
    """Refuses federal taxes above the price; IBS and CBS would have no base."""
    amounts = given_values(document.request.federal_taxes).values()
    return At("federalTaxes") if total(amounts) > document.waybill.price.amount else None


@RULES.rule(
    PIS_COFINS_ENDED,
    "LC 214/2025, art. 542",
    "PIS e COFINS não existem mais na data de emissão.",
    hint="Retire federalTaxes.pis e federalTaxes.cofins, ou informe zero.",
)
def pis_and_cofins_after_their_end(document: OsInput) -> Iterator[At]:
    """Refuses amounts of PIS and COFINS after their end; a correction may be of a document from before."""
    body = document.request.federal_taxes
    if body is None or DatedRule.PIS_COFINS_ENDED not in document.rules_in_force:
        return
    days = (day_of_key(key) for key in document.request.corrected_keys)
    if any(day and DatedRule.PIS_COFINS_ENDED not in rules_on(day, document.document_type) for day in days):
        return
    if body.pis:
        yield At("federalTaxes.pis")
    if body.cofins:
        yield At("federalTaxes.cofins")
