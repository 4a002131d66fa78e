"""The body of the NF-e that a sale of the catalog needs."""

from dataclasses import replace

from carimbo.fiscal.catalog_sale import SaleBody, SalePart, SoldLine, without_absent
from carimbo.fiscal.company import Company
from carimbo.fiscal.customer import CustomerFacts
from carimbo.fiscal.documents.nfe.settings import NfeSettings
from carimbo.fiscal.goods.cfop import ABROAD, TO_ANOTHER_STATE, WITHIN_THE_STATE, cfop_of_sale, is_sale
from carimbo.fiscal.goods.from_sale import body_of_goods, party_of
from carimbo.fiscal.goods.sale import Presence
from carimbo.fiscal.party_address import is_in_brazil


def body_of_sale(part: SalePart, settings: NfeSettings) -> SaleBody:
    """A sale that reaches the service is made at a distance: what is sold at a counter has an NFC-e."""
    buyer = party_of(part.customer) | {"stateRegistration": part.customer.state_registration}
    bound = replace(part, lines=tuple(_bound(line, part) for line in part.lines))
    return body_of_goods(bound, Presence.INTERNET, without_absent(buyer))


def _bound(line: SoldLine, part: SalePart) -> SoldLine:
    """The line with its CFOP for where the goods go: the catalog has that of sales within the state."""
    cfop = line.fiscal.get("cfop")
    destination = _destination(part.seller, part.customer)
    if destination is None or cfop is None or not _is_sale_within_the_state(cfop):
        return line
    is_contributor = part.customer.state_registration is not None
    code = cfop_of_sale(cfop[1:], destination, part.seller.tax_regime, is_contributor)
    return replace(line, fiscal={**line.fiscal, "cfop": code})


def _is_sale_within_the_state(cfop: str) -> bool:
    return cfop.startswith("5") and is_sale(cfop)


def _destination(seller: Company, customer: CustomerFacts) -> str | None:
    if customer.address is None:
        return None
    if not is_in_brazil(customer.address):
        return ABROAD
    is_near = customer.address.get("state") == seller.address.state
    return WITHIN_THE_STATE if is_near else TO_ANOTHER_STATE
