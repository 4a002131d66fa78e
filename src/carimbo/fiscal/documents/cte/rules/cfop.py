"""Rules about the CFOP of a CT-e."""

from carimbo.fiscal.documents.cte.rules.rule import WaybillCheck, WaybillInput
from carimbo.fiscal.rules import At, RuleBook
from carimbo.fiscal.transport.cfop import CFOPS, STARTED_ELSEWHERE, first_digit
from carimbo.fiscal.transport.places import ABROAD
from carimbo.fiscal.transport.rules.rule import manual

RULES: RuleBook[WaybillCheck] = RuleBook()

_CFOP = manual("CFOP")


@RULES.rule("524", _CFOP, "A prestação começa fora da UF da empresa, e o CFOP é o 5932 ou o 6932.")
def cfop_of_a_service_that_starts_elsewhere(document: WaybillInput) -> At | None:
    """Refuses another CFOP for a service that starts in another state of Brazil than the issuer's."""
    if _starts_elsewhere(document) and _has_usual_cfop(document):
        return At("cfop", f"Esperado: {first_digit(document.start_state, document.end_state)}932.")
    return None


@RULES.rule("908", _CFOP, "A prestação começa na UF da empresa, e o CFOP não pode ser o 5932 nem o 6932.")
def cfop_of_a_service_that_starts_here(document: WaybillInput) -> At | None:
    """Refuses the CFOPs of services that start elsewhere, if this one starts in the issuer's state."""
    starts_here = document.start_state == document.issuer_state
    return At("cfop") if starts_here and document.identification.cfop in STARTED_ELSEWHERE else None


@RULES.rule("519", _CFOP, "O primeiro dígito do CFOP não é o dos locais de início e término da prestação.")
def first_digit_of_the_cfop(document: WaybillInput) -> At | None:
    """Refuses a first digit that does not fit both places; other rules refuse the CFOP as a whole."""
    cfop = document.identification.cfop
    if cfop not in CFOPS or "" in (document.start_state, document.end_state):
        return None
    if cfop_of_a_service_that_starts_elsewhere(document) or cfop_of_a_service_that_starts_here(document):
        return None
    expected = first_digit(document.start_state, document.end_state)
    return None if cfop.startswith(expected) else At("cfop", f"Esperado: {expected}.")


def _starts_elsewhere(document: WaybillInput) -> bool:
    """Returns whether the service starts in another state than the issuer's, and touches no other country."""
    places = {document.start_state, document.end_state}
    return document.start_state != document.issuer_state and places.isdisjoint({ABROAD, ""})


def _has_usual_cfop(document: WaybillInput) -> bool:
    cfop = document.identification.cfop
    return cfop in CFOPS and cfop not in STARTED_ELSEWHERE
