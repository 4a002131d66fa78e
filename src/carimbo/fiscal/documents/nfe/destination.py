"""Where the goods of an NF-e go (`idDest`), and the state whose rates hold there."""

from typing import NamedTuple

from carimbo.fiscal.company import Company
from carimbo.fiscal.documents.nfe.request import NfeRequest, Operation, Purpose
from carimbo.fiscal.documents.nfe.terms import presence_of
from carimbo.fiscal.goods.cfop import ABROAD, TO_ANOTHER_STATE, WITHIN_THE_STATE
from carimbo.fiscal.goods.freight import FreightMode
from carimbo.fiscal.goods.presence import Presence
from carimbo.fiscal.parties import ForeignAddress
from carimbo.fiscal.taxes.trade import ABROAD as EXTERIOR

_BY_FIRST_DIGIT = {
    "1": WITHIN_THE_STATE,
    "2": TO_ANOTHER_STATE,
    "3": ABROAD,
    "5": WITHIN_THE_STATE,
    "6": TO_ANOTHER_STATE,
    "7": ABROAD,
}


class GoodsDestination(NamedTuple):
    """The destination of the goods of one document."""

    code: str
    """`idDest`: 1 within the state, 2 to another state, 3 abroad."""
    state: str
    """Letters of the state, `EX` for another country."""


def destination_of(request: NfeRequest, company: Company) -> GoodsDestination:
    """Returns where the goods go: as the caller says, else by the buyer and the states of both parties."""
    state = _state(request, company)
    code = request.destination.code if request.destination else None
    if code is None and (request.recipient.foreign_id or request.recipient.is_foreign):
        code = _of_foreigner(request, company, state)
    if code is None:
        code = _by_states(state, company.address.state)
    if code == WITHIN_THE_STATE and state == EXTERIOR:
        state = company.address.state
    return GoodsDestination(code, state)


def _of_foreigner(request: NfeRequest, company: Company, state: str) -> str | None:
    """Returns where the goods of a foreigner go; None where the addresses decide.

    A foreigner who takes goods along in the shop buys within the state, wherever he or she lives: nothing is
    exported (Orientação de Preenchimento da NF-e 2.0, venda a turista estrangeiro). The caller says so by
    `presence`, or by a CFOP of internal sales: an export that lacks its data must not become a taxed sale.
    """
    by_cfop = _by_cfops(request)
    is_sale = request.operation is Operation.OUTBOUND and request.purpose is Purpose.NORMAL
    if by_cfop == ABROAD or not is_sale:
        return by_cfop
    is_said = request.presence is not None or by_cfop == WITHIN_THE_STATE
    if is_said and by_cfop in (None, WITHIN_THE_STATE) and _is_taken_along(request, company):
        return WITHIN_THE_STATE
    return None if state == EXTERIOR else by_cfop


def _state(request: NfeRequest, company: Company) -> str:
    """Returns the delivery's state, else the buyer's (LC 87/1996, art. 11, § 7º)."""
    address = request.delivery_address or request.recipient.address
    if isinstance(address, ForeignAddress):
        return EXTERIOR
    return (address and address.state) or company.address.state


def _by_states(destination: str, origin: str) -> str:
    if destination == EXTERIOR:
        return ABROAD
    return WITHIN_THE_STATE if destination == origin else TO_ANOTHER_STATE


def _by_cfops(request: NfeRequest) -> str | None:
    """Returns what the caller's CFOPs agree on; None if there are none, or they contradict each other."""
    digits = {cfop[0] for item in request.items if (cfop := item.cfop or request.cfop)}
    codes = {_BY_FIRST_DIGIT[digit] for digit in digits if digit in _BY_FIRST_DIGIT}
    return codes.pop() if len(codes) == 1 else None


def _is_taken_along(request: NfeRequest, company: Company) -> bool:
    """Returns whether the goods are handed over in the shop, and nothing speaks of exporting them."""
    is_carried = request.freight is not None and request.freight.mode is not FreightMode.NONE
    is_exported = request.export is not None or any(item.export_details for item in request.items)
    in_shop = presence_of(request, company) is Presence.IN_PERSON and request.delivery_address is None
    return in_shop and not is_carried and not is_exported
