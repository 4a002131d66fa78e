"""CFOP: facts about the codes, and the usual code of a sale (Convênio s/nº de 1970, anexo II)."""

from carimbo.fiscal.parties.company import TaxRegime
from carimbo.fiscal.taxes.trade import Trade

WITHIN_THE_STATE, TO_ANOTHER_STATE, ABROAD = "1", "2", "3"
"""`idDest`: the destination of the goods."""

_FIRST_INBOUND = {WITHIN_THE_STATE: "1", TO_ANOTHER_STATE: "2", ABROAD: "3"}
_FIRST_OUTBOUND = {WITHIN_THE_STATE: "5", TO_ANOTHER_STATE: "6", ABROAD: "7"}
_RESOLD_GOODS = "102"
# Interstate sales have other codes for non-contributors, and for goods whose tax was retained earlier.
_TO_NON_CONTRIBUTORS = {"101": "107", "102": "108"}
_BETWEEN_STATES = {"405": "404"}
# Exports have no tax substitution.
_TO_OTHER_COUNTRIES = {"401": "101", "403": "102", "405": "102"}
# Sales of own products and of resold goods, with tax substitution, and of fuels.
_SALES = (range(101, 130), range(401, 406), range(651, 657), range(667, 668))
# Sales whose ICMS only the caller knows: to free zones, by a tax substitute, and of fuels.
_TAXED_APART = (range(109, 111), range(401, 404), range(651, 657), range(667, 668))
# Export of goods that were received for export; 5501 and 6501 only send them to the exporter.
_EXPORT_OF_RECEIVED = "7501"


def is_sale(cfop: str) -> bool:
    """Returns whether a CFOP is a sale."""
    if cfop == _EXPORT_OF_RECEIVED:
        return True
    return cfop[0] in _FIRST_OUTBOUND.values() and any(int(cfop[1:]) in codes for codes in _SALES)


def is_within_the_state(cfop: str) -> bool:
    """Returns whether a CFOP is outbound within the state."""
    return cfop.startswith(_FIRST_OUTBOUND[WITHIN_THE_STATE])


def has_usual_icms(cfop: str) -> bool:
    """Returns whether the usual CST or CSOSN applies to a sale with this CFOP."""
    return cfop[0] == "7" or not any(int(cfop[1:]) in codes for codes in _TAXED_APART)


def usual_cfop(destination: str, trade: Trade, *, inbound: bool) -> str:
    """Returns the CFOP of an item without one: the company's default, or else that of resold goods.

    It is adapted to the destination and the buyer. Inbound documents always have the code of resold goods.
    """
    if inbound:
        return _FIRST_INBOUND[destination] + _RESOLD_GOODS
    default = trade.company.defaults.cfop
    operation = default[1:] if default else _RESOLD_GOODS
    return cfop_of_sale(operation, destination, trade.company.tax_regime, trade.buyer_is_contributor)


def cfop_of_sale(operation: str, destination: str, regime: TaxRegime, buyer_is_contributor: bool) -> str:
    """Returns the CFOP of a sale; `operation` has the last three digits that it has within the state."""
    if destination == ABROAD:
        operation = _TO_OTHER_COUNTRIES.get(operation, operation)
    if destination == TO_ANOTHER_STATE:
        operation = _BETWEEN_STATES.get(operation, operation)
        # The short list of the MEI has no codes for non-contributors (NT 2024.001, N12a-90).
        if not buyer_is_contributor and regime is not TaxRegime.MEI:
            operation = _TO_NON_CONTRIBUTORS.get(operation, operation)
    return _FIRST_OUTBOUND[destination] + operation
