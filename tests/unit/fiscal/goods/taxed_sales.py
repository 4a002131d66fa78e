"""Sales whose taxes are computed."""

from typing import Any

from carimbo.fiscal.layouts.nfe_v4.invoice import Invoice
from unit.fiscal.goods.support import BUYER, LISBON, RIO_DE_JANEIRO, SAO_PAULO, company, item, text_at

SIMPLES = company(taxRegime="simples")
NORMAL = company(taxRegime="normal", pisCofinsRegime="nonCumulative", defaults={"icmsRate": 18})
PRESUMED = company(taxRegime="normal", pisCofinsRegime="cumulative", defaults={"icmsRate": 18})
IN_RIO = {**BUYER, "address": RIO_DE_JANEIRO}
IN_BAHIA = {**BUYER, "address": {**SAO_PAULO, "zipcode": "40020-000", "city": "Salvador", "state": "BA"}}
ABROAD = {"foreignId": "PASS12345", "name": "John Smith", "address": LISBON}


def item_of_100(**changes: Any) -> dict[str, Any]:
    """An item of 100.00."""
    return item(quantity=1, unitValue=100, **changes)


def tax_values(invoice: Invoice, group: str, *tags: str) -> list[str | None]:
    """Returns values of a tax of the first item."""
    return [text_at(invoice, f"det/imposto/{group}/{tag}") for tag in tags]
