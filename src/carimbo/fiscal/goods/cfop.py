"""CFOP: what the code of an operation says, and the usual one of a sale (Convênio s/nº de 1970, anexo II)."""

from functools import cache

from carimbo.fiscal.company import TaxRegime
from carimbo.fiscal.taxes.trade import Trade

WITHIN_THE_STATE, TO_ANOTHER_STATE, ABROAD = "1", "2", "3"
"""`idDest`: where the goods go."""

_FIRST_INBOUND = {WITHIN_THE_STATE: "1", TO_ANOTHER_STATE: "2", ABROAD: "3"}
_FIRST_OUTBOUND = {WITHIN_THE_STATE: "5", TO_ANOTHER_STATE: "6", ABROAD: "7"}
_GOODS_OF_OTHERS = "102"
# Between states, sales to non-contributors have codes of their own, and so has what was taxed earlier.
_TO_NON_CONTRIBUTORS = {"101": "107", "102": "108"}
_BETWEEN_STATES = {"405": "404"}
# Nothing is retained of what leaves the country.
_TO_OTHER_COUNTRIES = {"401": "101", "403": "102", "405": "102"}
# Sales of own and of others' goods, with substitution, of fuels.
_SALES = (range(101, 130), range(401, 406), range(651, 657), range(667, 668))
# Sales whose ICMS only the caller knows: to the free zones, by a substitute, and of fuels.
_TAXED_APART = (range(109, 111), range(401, 404), range(651, 657), range(667, 668))
# Goods received to be exported: 5501 and 6501 send them to the exporter, 7501 exports them.
_EXPORT_OF_RECEIVED = "7501"


@cache
def is_sale(cfop: str) -> bool:
    """Whether goods go out for a price."""
    if cfop == _EXPORT_OF_RECEIVED:
        return True
    return cfop[0] in _FIRST_OUTBOUND.values() and any(int(cfop[1:]) in codes for codes in _SALES)


def is_within_the_state(cfop: str) -> bool:
    """Whether goods go out and stay in the state."""
    return cfop.startswith(_FIRST_OUTBOUND[WITHIN_THE_STATE])


@cache
def is_taxed_plainly(cfop: str) -> bool:
    """Whether the usual situation of ICMS can be taken for granted in a sale by this code."""
    return cfop[0] == "7" or not any(int(cfop[1:]) in codes for codes in _TAXED_APART)


def usual_cfop(destination: str, trade: Trade, *, inbound: bool) -> str:
    """The company's usual operation, by where the goods go; else the trade of goods made by others."""
    if inbound:
        return _FIRST_INBOUND[destination] + _GOODS_OF_OTHERS
    default = trade.company.defaults.cfop
    kind = default[1:] if default else _GOODS_OF_OTHERS
    return cfop_of_sale(kind, destination, trade.company.tax_regime, trade.buyer_is_contributor)


def cfop_of_sale(kind: str, destination: str, regime: TaxRegime, buyer_is_contributor: bool) -> str:
    """The code of a kind of sale, its last three digits within the state, by where the goods go."""
    if destination == ABROAD:
        kind = _TO_OTHER_COUNTRIES.get(kind, kind)
    if destination == TO_ANOTHER_STATE:
        kind = _BETWEEN_STATES.get(kind, kind)
        # The short list of the MEI has no codes for non-contributors (NT 2024.001, N12a-90).
        if not buyer_is_contributor and regime is not TaxRegime.MEI:
            kind = _TO_NON_CONTRIBUTORS.get(kind, kind)
    return _FIRST_OUTBOUND[destination] + kind
