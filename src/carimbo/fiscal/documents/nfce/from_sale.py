"""The body of the NFC-e that a sale of the catalog needs."""

from dataclasses import replace
from typing import Any

from carimbo.fiscal.catalog_sale import AnyItem, SaleBody, SalePart
from carimbo.fiscal.customer import CustomerFacts
from carimbo.fiscal.documents.nfce.document import NAME
from carimbo.fiscal.documents.nfce.settings import NfceSettings
from carimbo.fiscal.goods.federal_taxes import TAXED_IPI
from carimbo.fiscal.goods.from_sale import body_of_goods, in_force, is_shipped, party_of
from carimbo.fiscal.goods.presence import Presence
from carimbo.fiscal.party_address import is_in_brazil


def body_of_sale(part: SalePart, settings: NfceSettings) -> SaleBody:
    """What is shipped is delivered at home, which alone may have freight (rule 753)."""
    presence = Presence.DELIVERY if is_shipped(part) else Presence.IN_PERSON
    lines = (sold_by_receipt(in_force(line, NAME, part.day)) for line in part.lines)
    sold = replace(part, lines=tuple(lines))
    return body_of_goods(sold, presence, recipient_of(part.customer))


def sold_by_receipt(item: AnyItem) -> AnyItem:
    """Returns an item without an IPI that is not due: receipts have none (rule 742).

    An IPI that is due stays, and the rule refuses the receipt: such goods need an NF-e.
    """
    ipi = item.fiscal.get("ipi")
    if not ipi or ipi["cst"] in TAXED_IPI:
        return item
    return replace(item, fiscal={name: value for name, value in item.fiscal.items() if name != "ipi"})


def recipient_of(customer: CustomerFacts | None) -> dict[str, Any] | None:
    """Returns a customer as the recipient of a receipt.

    Receipts name who has a document, and never a registration as a contributor (rule 789).
    """
    if customer is None or not customer.known_as:
        return None
    buyer = party_of(customer)
    is_near = customer.address is not None and is_in_brazil(customer.address)
    return buyer if is_near else {name: value for name, value in buyer.items() if name != "address"}
