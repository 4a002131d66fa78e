"""The body of a request for an NF-e."""

from typing import Annotated

from pydantic import Field

from carimbo.fiscal.coded import Coded
from carimbo.fiscal.fields import Day, Flag, Moment
from carimbo.fiscal.goods.parties import PlaceBody, RecipientBody
from carimbo.fiscal.goods.sale import SaleBody
from carimbo.fiscal.layouts.nfe_v4.additional import Export, Farming, Purchase, SugarCane
from carimbo.fiscal.layouts.nfe_v4.billing import Billing
from carimbo.fiscal.layouts.nfe_v4.identification import AdvancePayment, GovernmentPurchase, Reference
from carimbo.fiscal.layouts.nfe_v4.totals import WithheldTaxes


class Purpose(Coded):
    """What the document is for (`finNFe`)."""

    NORMAL = "normal", "1"
    COMPLEMENT = "complement", "2"
    ADJUSTMENT = "adjustment", "3"
    RETURN = "return", "4"
    CREDIT = "credit", "5"
    DEBIT = "debit", "6"


class Operation(Coded):
    """Which way the goods go (`tpNF`)."""

    OUTBOUND = "outbound", "1"
    INBOUND = "inbound", "0"


class NfeRequest(SaleBody):
    """An NF-e to be issued: recipient and items are enough, the rest has defaults."""

    recipient: RecipientBody
    final_consumer: Flag | None = None
    operation: Operation = Operation.OUTBOUND
    purpose: Purpose = Purpose.NORMAL
    debit_type: Annotated[str, Field(pattern=r"^[0-9]{2}$")] | None = None
    credit_type: Annotated[str, Field(pattern=r"^[0-9]{2}$")] | None = None
    supply_place_code: Annotated[str, Field(pattern=r"^[0-9]{6}$")] | None = None
    ibs_taxable_city_code: Annotated[str, Field(pattern=r"^[0-9]{7}$")] | None = None
    departed_at: Moment | None = None
    expected_delivery_date: Day | None = None
    references: Annotated[tuple[Reference, ...], Field(max_length=999)] = ()
    government_purchase: GovernmentPurchase | None = None
    advance_payment: AdvancePayment | None = None
    billing: Billing | None = None
    pickup_address: PlaceBody | None = None
    delivery_address: PlaceBody | None = None
    export: Export | None = None
    purchase: Purchase | None = None
    sugar_cane: SugarCane | None = None
    farming: Farming | None = None
    withheld_taxes: WithheldTaxes | None = None
