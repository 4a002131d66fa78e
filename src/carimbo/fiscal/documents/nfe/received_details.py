"""Parties, items and totals of a received NF-e."""

from decimal import Decimal
from typing import Any

from carimbo.fiscal.documents.nfe.received_file import invoice_in
from carimbo.fiscal.goods.items import NO_GTIN
from carimbo.fiscal.goods.preview import lines_of
from carimbo.fiscal.layouts.layout import json_name, layout_of
from carimbo.fiscal.layouts.nfe_v4.invoice import Invoice
from carimbo.fiscal.layouts.nfe_v4.totals import InvoiceTotals
from carimbo.fiscal.layouts.reading import UnreadableDocument, read_group
from carimbo.fiscal.layouts.received_part import ReceivedPart
from carimbo.fiscal.layouts.sefaz.received_files import read_party
from carimbo.fiscal.receiving import ReceivedDetails

_PARTIES = {
    "issuer": "emit",
    "recipient": "dest",
    "carrier": "transp/transporta",
    "pickup": "retirada",
    "delivery": "entrega",
}
# The fields of a product in the lines of our documents, for those that our layout can't read.
_PRODUCT_TEXTS = {
    "sku": "cProd",
    "gtin": "cEAN",
    "description": "xProd",
    "ncm": "NCM",
    "cest": "CEST",
    "cfop": "CFOP",
    "unit": "uCom",
}
_PRODUCT_NUMBERS = {
    "quantity": "qCom",
    "unitValue": "vUnCom",
    "amount": "vProd",
    "discount": "vDesc",
    "freight": "vFrete",
    "insurance": "vSeg",
    "other": "vOutro",
}
_REFORM_TOTALS = {
    "selectiveTaxAmount": "ISTot/vIS",
    "ibsCbsBase": "IBSCBSTot/vBCIBSCBS",
    "ibsAmount": "IBSCBSTot/gIBS/vIBS",
    "cbsAmount": "IBSCBSTot/gCBS/vCBS",
    "amountWithReformTaxes": "vNFTot",
}


def details(xml: bytes) -> ReceivedDetails:
    """Reads what a whole NF-e says; items and totals have exact decimals by the names of our JSON."""
    invoice = invoice_in(xml)
    return ReceivedDetails(
        nature=invoice.text("ide/natOp"),
        parties=[read_party(role, part) for role, path in _PARTIES.items() for part in invoice.parts(path)],
        items=_items(invoice),
        totals=_totals(invoice),
        additional_information=invoice.text("infAdic/infCpl"),
    )


def _items(invoice: ReceivedPart) -> list[dict[str, Any]]:
    """Returns the items with their taxes, or only the products if our layout can't read the document."""
    try:
        return [dict(line) for line in lines_of(read_group(Invoice, invoice.element))]
    except UnreadableDocument:
        return [_product(position, line) for position, line in enumerate(invoice.parts("det"), 1)]


def _product(position: int, line: ReceivedPart) -> dict[str, Any]:
    texts = {name: line.text(f"prod/{tag}") for name, tag in _PRODUCT_TEXTS.items()}
    numbers = {name: line.number(f"prod/{tag}") for name, tag in _PRODUCT_NUMBERS.items()}
    product = {name: value for name, value in (texts | numbers).items() if value not in (None, NO_GTIN)}
    return {"number": position, **product}


def _totals(invoice: ReceivedPart) -> dict[str, Decimal]:
    """Returns the totals by the names that a preview of ours has, those of IBS and CBS without groups."""
    paths = {
        json_name(name, element): f"ICMSTot/{element.tag}"
        for name, element in layout_of(InvoiceTotals).inner.items()
    }
    numbers = {name: invoice.number(f"total/{path}") for name, path in (paths | _REFORM_TOTALS).items()}
    return {name: number for name, number in numbers.items() if number is not None}
