"""The share of the buyer's state in the ICMS of a sale to a consumer there: as told, and computed."""

from decimal import Decimal
from typing import Any

from pydantic import Field

from carimbo.fiscal.fields import Body, Money, Percent
from carimbo.fiscal.findings import Findings, Incomplete
from carimbo.fiscal.goods.line import Line
from carimbo.fiscal.layouts.filling import fill, given_values, required
from carimbo.fiscal.layouts.nfe_v4.federal_taxes import StateShare
from carimbo.fiscal.layouts.nfe_v4.icms import Icms
from carimbo.fiscal.money import ZERO, percent
from carimbo.fiscal.taxes.icms import destination_amount, interstate_rate
from carimbo.fiscal.taxes.trade import Trade
from carimbo.fiscal.taxes.usual_icms_rate import usual_rate

# All of the difference belongs to the state of destination since 2019 (ADCT, art. 99).
_WHOLE = Decimal(100)
_FUND = frozenset({"fcp_rate", "fcp_base", "fcp_amount"})


class StateShareBody(Body):
    """What the caller may say of the share; the rest is computed."""

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


def state_share_group(
    body: StateShareBody | None,
    icms: Icms | None,
    line: Line,
    trade: Trade,
    ipi: Decimal,
    findings: Findings,
) -> StateShare | None:
    """Make the group where the seller owes the share, or where the caller tells it."""
    base = getattr(icms, "base", None)
    is_due = base is not None and line.is_sale and trade.owes_the_buyers_state
    if body is None and not is_due:
        return None
    # What the seller's state takes off its base is not taken off the other's (Convênio ICMS 153/2015).
    if base is None or getattr(icms, "base_reduction", None):
        base = line.value + ipi
    given = given_values(body)
    computed = _computed(given, base, line, trade, findings)
    if "fcp_rate" not in computed:
        given = _without_a_fund(given, line)
    return fill(StateShare, given, f"{line.path}.stateShare", lambda: "ICMS da UF de destino", computed)


def _without_a_fund(given: dict[str, Any], line: Line) -> dict[str, Any]:
    """What was told where no rate of the poverty fund is known, or zero is told: then it has no amount."""
    if given.get("fcp_amount") or given.get("fcp_base"):
        raise Incomplete(required(f"{line.path}.stateShare.fcpRate", "valores do FCP"))
    return {name: value for name, value in given.items() if name not in _FUND}


def _computed(
    given: dict[str, Any], base: Decimal, line: Line, trade: Trade, findings: Findings
) -> dict[str, Any]:
    base = given.get("base", base)
    internal, fund = _rates(given, line, trade, findings)
    between = given.get("interstate_rate")
    if between is None:
        between = interstate_rate(trade.company.address.state, trade.destination_state, line.origin)
    return {
        "base": base,
        "internal_rate": internal,
        "interstate_rate": between,
        "destination_share": _WHOLE,
        "destination_amount": destination_amount(base, internal, between),
        "origin_amount": ZERO,
        **_fcp(given, base, fund),
    }


def _rates(
    given: dict[str, Any], line: Line, trade: Trade, findings: Findings
) -> tuple[Decimal, Decimal | None]:
    fund = given.get("fcp_rate")
    if "internal_rate" in given:
        return given["internal_rate"], fund
    path = f"{line.path}.stateShare.internalRate"
    usual = usual_rate(trade.destination_state, path, findings, with_fund=fund is None)
    return usual.rate, usual.fcp if fund is None else fund


def _fcp(given: dict[str, Any], base: Decimal, rate: Decimal | None) -> dict[str, Any]:
    if not rate:
        return {}
    base = given.get("fcp_base", base)
    return {"fcp_base": base, "fcp_rate": rate, "fcp_amount": percent(base, rate)}
