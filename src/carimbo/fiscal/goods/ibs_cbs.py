"""IBS and CBS of an item, as a body gives them."""

from typing import Annotated

from pydantic import Field, StringConstraints
from pydantic.alias_generators import to_camel

from carimbo.fiscal.fields import Body, Money
from carimbo.fiscal.goods.filling import Incomplete, required
from carimbo.fiscal.layouts.nfe_v4.ibs_cbs import (
    Cbs,
    CityIbs,
    CreditReversal,
    CreditTransfer,
    FreeZoneCredit,
    GovernmentPurchaseTaxes,
    IbsCbs,
    OperationCredit,
    PeriodAdjustment,
    RegularTaxation,
    StateIbs,
    TaxedByRate,
)
from carimbo.fiscal.layouts.nfe_v4.ibs_cbs_single_phase import SinglePhase

_BY_RATE = ("base", "state", "city", "ibs_amount", "cbs")


class IbsCbsBody(Body):
    """IBS and CBS of an item: by rates on `base`, or by one of the groups that special codes ask for."""

    cst: Annotated[str, StringConstraints(pattern=r"^[0-9]{3}$")] = Field(
        default="000", description="Situação tributária do IBS e da CBS (CST)."
    )
    tax_class_code: Annotated[str, StringConstraints(pattern=r"^[0-9]{6}$")] = Field(
        default="000001", description="Classificação tributária (cClassTrib)."
    )
    is_donation: Annotated[str, StringConstraints(pattern="^1$")] | None = Field(
        default=None, description="1 em doações (indDoacao)."
    )
    base: Money | None = Field(default=None, description="Base de cálculo (vBC).")
    state: StateIbs | None = Field(default=None, description="IBS do estado (gIBSUF).")
    city: CityIbs | None = Field(default=None, description="IBS do município (gIBSMun).")
    ibs_amount: Money | None = Field(default=None, description="Valor do IBS (vIBS).")
    cbs: Cbs | None = Field(default=None, description="CBS (gCBS).")
    regular_taxation: RegularTaxation | None = None
    government_purchase: GovernmentPurchaseTaxes | None = None
    single_phase: SinglePhase | None = None
    credit_transfer: CreditTransfer | None = None
    period_adjustment: PeriodAdjustment | None = None
    credit_reversal: CreditReversal | None = None
    operation_credit: OperationCredit | None = None
    free_zone_credit: FreeZoneCredit | None = None


def ibs_cbs_group(body: IbsCbsBody, path: str) -> IbsCbs:
    """Put the caller's values into the groups of the layout."""
    return IbsCbs(
        cst=body.cst,
        tax_class=body.tax_class_code,
        is_donation=body.is_donation,
        by_rate=_by_rate(body, path),
        single_phase=body.single_phase,
        credit_transfer=body.credit_transfer,
        period_adjustment=body.period_adjustment,
        credit_reversal=body.credit_reversal,
        operation_credit=body.operation_credit,
        free_zone_credit=body.free_zone_credit,
    )


def _by_rate(body: IbsCbsBody, path: str) -> TaxedByRate | None:
    base, state, city, ibs_amount, cbs = body.base, body.state, body.city, body.ibs_amount, body.cbs
    if base is None or state is None or city is None or ibs_amount is None or cbs is None:
        _refuse_a_part(body, path)
        return None
    return TaxedByRate(
        base=base,
        state=state,
        city=city,
        ibs_amount=ibs_amount,
        cbs=cbs,
        regular_taxation=body.regular_taxation,
        government_purchase=body.government_purchase,
    )


def _refuse_a_part(body: IbsCbsBody, path: str) -> None:
    """A tax by rates is told whole or not at all."""
    missing = [name for name in _BY_RATE if getattr(body, name) is None]
    if len(missing) < len(_BY_RATE) or body.regular_taxation or body.government_purchase:
        raise Incomplete(
            *(required(f"{path}.{to_camel(name)}", "IBS e CBS por alíquota") for name in missing)
        )
