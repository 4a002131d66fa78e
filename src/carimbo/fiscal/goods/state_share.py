"""The share of the buyer's state in the ICMS of a sale to a consumer (DIFAL): body and computation."""

from decimal import Decimal
from typing import Any, NamedTuple

from pydantic import Field

from carimbo.fiscal.body.fields import Body, Money, Percent
from carimbo.fiscal.goods.applicable_taxes import TaxedItem
from carimbo.fiscal.goods.icms import IcmsTerms
from carimbo.fiscal.layouts.filling import given_values, missing_value
from carimbo.fiscal.layouts.layout import construct
from carimbo.fiscal.layouts.nfe_v4.federal_taxes import StateShare
from carimbo.fiscal.layouts.nfe_v4.icms import Icms
from carimbo.fiscal.money import ZERO, percent
from carimbo.fiscal.problems import Findings, Incomplete
from carimbo.fiscal.taxes.icms import assumed_icms_rate, destination_amount, interstate_rate
from carimbo.fiscal.taxes.trade import Trade

# The whole difference belongs to the state of destination since 2019 (ADCT, art. 99).
_WHOLE = Decimal(100)
_FUND = frozenset({"fcp_rate", "fcp_base", "fcp_amount"})


class StateShareBody(Body):
    """Values of the share that a request may give; the others are computed."""

    base: Money | None = Field(default=None, description="Base de cálculo na UF de destino (vBCUFDest).")
    fcp_base: Money | None = Field(default=None, description="Base do FCP na UF de destino (vBCFCPUFDest).")
    fcp_rate: Percent | None = Field(default=None, description="Percentual do FCP (pFCPUFDest).")
    internal_rate: Percent | None = Field(
        default=None, description="Alíquota interna da UF de destino para o produto (pICMSUFDest)."
    )
    interstate_rate: Percent | None = Field(
        default=None, description="Alíquota interestadual: 4, 7 ou 12 (pICMSInter)."
    )
    destination_share: Percent | None = Field(
        default=None, description="Percentual da partilha: 100 desde 2019 (pICMSInterPart)."
    )
    fcp_amount: Money | None = Field(default=None, description="FCP da UF de destino (vFCPUFDest).")
    destination_amount: Money | None = Field(default=None, description="ICMS da UF de destino (vICMSUFDest).")
    origin_amount: Money | None = Field(default=None, description="ICMS da UF de origem (vICMSUFRemet).")


class ShareTerms(NamedTuple):
    """How the share of the buyer's state is computed: everything but the amounts."""

    given: dict[str, Any]
    internal_rate: Decimal
    interstate_rate: Decimal
    fcp_rate: Decimal | None

    def group_of(self, icms: Icms | None, value: Decimal, ipi: Decimal) -> StateShare:
        """Returns the group of an item with this ICMS, this value, and this IPI on top of it."""
        base = getattr(icms, "base", None)
        # A base reduction of the seller's state does not reduce the base of the other (Convênio ICMS
        # 153/2015).
        if base is None or getattr(icms, "base_reduction", None):
            base = value + ipi
        base = self.given.get("base", base)
        values = {
            "base": base,
            "internal_rate": self.internal_rate,
            "interstate_rate": self.interstate_rate,
            "destination_share": _WHOLE,
            "destination_amount": destination_amount(base, self.internal_rate, self.interstate_rate),
            "origin_amount": ZERO,
        }
        if self.fcp_rate:
            fcp_base = self.given.get("fcp_base", base)
            amount = percent(fcp_base, self.fcp_rate)
            values |= {"fcp_base": fcp_base, "fcp_rate": self.fcp_rate, "fcp_amount": amount}
        return construct(StateShare, {**values, **self.given})


def state_share_terms(
    body: StateShareBody | None, icms: IcmsTerms | None, item: TaxedItem, trade: Trade, findings: Findings
) -> ShareTerms | None:
    """Returns how the share is computed, if the seller owes it or the request gives it; else None."""
    is_due = icms is not None and icms.has_base and item.is_sale and trade.owes_the_buyers_state
    if body is None and not is_due:
        return None
    given = given_values(body)
    internal, fund = _rates(given, item, trade, findings)
    interstate = given.get("interstate_rate")
    if interstate is None:
        interstate = interstate_rate(trade.company.address.state, trade.destination_state, item.origin)
    if not fund:
        # Without a rate, or with a rate of zero, the poverty fund gets no amount.
        if given.get("fcp_amount") or given.get("fcp_base"):
            raise Incomplete(missing_value(f"{item.path}.stateShare.fcpRate", "valores do FCP"))
        given = {name: value for name, value in given.items() if name not in _FUND}
    return ShareTerms(given, internal, interstate, fund)


def _rates(
    given: dict[str, Any], item: TaxedItem, trade: Trade, findings: Findings
) -> tuple[Decimal, Decimal | None]:
    """Returns the internal rate of the destination state, and the rate of its poverty fund."""
    fund = given.get("fcp_rate")
    if "internal_rate" in given:
        return given["internal_rate"], fund
    path = f"{item.path}.stateShare.internalRate"
    usual = assumed_icms_rate(trade.destination_state, path, findings, with_fund=fund is None)
    return usual.rate, usual.fcp if fund is None else fund
