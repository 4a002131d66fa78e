"""Makes the request body of an NFC-e from a sale of the catalog."""

from dataclasses import replace
from typing import Any

from carimbo.fiscal.catalog.sale import AnyItem, SaleDocumentBody, SalePart
from carimbo.fiscal.documents.nfce.document import NAME
from carimbo.fiscal.documents.nfce.settings import NfceSettings
from carimbo.fiscal.goods.federal_taxes import TAXED_IPI
from carimbo.fiscal.goods.from_sale import body_of_goods, is_shipped, party_of, without_ended_taxes
from carimbo.fiscal.goods.presence import Presence
from carimbo.fiscal.parties.customer import CustomerFacts
from carimbo.fiscal.parties.party_address import is_in_brazil


def body_of_sale(part: SalePart, settings: NfceSettings) -> SaleDocumentBody:
    """Returns the body of the NFC-e of a sale; only a home delivery may have freight (rule 753)."""
    presence = Presence.DELIVERY if is_shipped(part) else Presence.IN_PERSON
    lines = (without_untaxed_ipi(without_ended_taxes(line, NAME, part.day)) for line in part.lines)
    sold = replace(part, lines=tuple(lines))
    return body_of_goods(sold, presence, recipient_of(part.customer))


def without_untaxed_ipi(item: AnyItem) -> AnyItem:
    """Returns an item without an IPI that is not due: receipts have none (rule 742).

    An IPI that is due stays, and the rule refuses the receipt: such goods need an NF-e.
    """
    ipi = item.fiscal.get("ipi")
    if not ipi or ipi["cst"] in TAXED_IPI:
        return item
    return replace(item, fiscal={name: value for name, value in item.fiscal.items() if name != "ipi"})


def recipient_of(customer: CustomerFacts | None) -> dict[str, Any] | None:
    """Returns a customer as the recipient of a receipt.

    Receipts name only customers with a document, and never have a state registration (rule 789).
    """
    if customer is None or not customer.id_fields:
        return None
    buyer = party_of(customer)
    has_address = customer.address is not None and is_in_brazil(customer.address)
    return buyer if has_address else {name: value for name, value in buyer.items() if name != "address"}
