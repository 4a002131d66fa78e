"""IBS and CBS of an item, as a body gives them."""

from typing import Annotated

from pydantic import Field, StringConstraints

from carimbo.fiscal.fields import Body, Money, Percent
from carimbo.fiscal.layouts.nfe_v4.ibs_cbs import (
    CreditReversal,
    CreditTransfer,
    FreeZoneCbs,
    FreeZoneCredit,
    GovernmentPurchaseTaxes,
    OperationCredit,
    PeriodAdjustment,
    Refund,
    RegularTaxation,
)
from carimbo.fiscal.layouts.nfe_v4.ibs_cbs_single_phase import SinglePhase


class DeferralBody(Body):
    """The part of a share that is paid later."""

    rate: Percent = Field(description="Percentual do diferimento (pDif).")
    amount: Money | None = Field(default=None, description="Valor do diferimento (vDif).")


class ReductionBody(Body):
    """What the law takes off a rate."""

    rate: Percent = Field(description="Percentual da redução de alíquota (pRedAliq).")
    effective_rate: Percent | None = Field(
        default=None, description="Alíquota depois da redução (pAliqEfet)."
    )


class ShareBody(Body):
    """One share of IBS and CBS; fields that are absent are computed."""

    rate: Percent | None = Field(default=None, description="Alíquota (pIBSUF, pIBSMun ou pCBS).")
    deferral: DeferralBody | None = Field(default=None, description="Diferimento (gDif).")
    refund: Refund | None = Field(default=None, description="Devolução de tributos (gDevTrib).")
    reduction: ReductionBody | None = Field(default=None, description="Redução da alíquota (gRed).")
    amount: Money | None = Field(default=None, description="Valor (vIBSUF, vIBSMun ou vCBS).")


class CbsBody(ShareBody):
    """The share of CBS, which has more fields in a free trade area."""

    free_zone: FreeZoneCbs | None = Field(default=None, description="ZFM e ALC (gALCZFMCBS).")


class IbsCbsBody(Body):
    """IBS and CBS of an item: by rates on `base`, or by one of the groups that special codes ask for."""

    cst: Annotated[str, StringConstraints(pattern=r"^[0-9]{3}$")] | None = Field(
        default=None, description="Situação tributária (CST); na falta, o começo da classificação."
    )
    tax_class_code: Annotated[str, StringConstraints(pattern=r"^[0-9]{6}$")] | None = Field(
        default=None, description="Classificação tributária (cClassTrib).", examples=["000001"]
    )
    is_donation: Annotated[str, StringConstraints(pattern="^1$")] | None = Field(
        default=None, description="1 em doações (indDoacao)."
    )
    base: Money | None = Field(default=None, description="Base de cálculo (vBC).")
    state: ShareBody | None = Field(default=None, description="IBS do estado (gIBSUF).")
    city: ShareBody | None = Field(default=None, description="IBS do município (gIBSMun).")
    ibs_amount: Money | None = Field(default=None, description="Valor do IBS (vIBS).")
    cbs: CbsBody | None = Field(default=None, description="CBS (gCBS).")
    regular_taxation: RegularTaxation | None = Field(
        default=None, description="Tributação se a condição não se cumprir (gTribRegular)."
    )
    government_purchase: GovernmentPurchaseTaxes | None = Field(
        default=None, description="Tributos sem a redução das compras do governo (gTribCompraGov)."
    )
    single_phase: SinglePhase | None = Field(default=None, description="Monofasia (gIBSCBSMono).")
    credit_transfer: CreditTransfer | None = Field(
        default=None, description="Transferência de crédito (gTransfCred)."
    )
    period_adjustment: PeriodAdjustment | None = Field(
        default=None, description="Ajuste de competência (gAjusteCompet)."
    )
    credit_reversal: CreditReversal | None = Field(
        default=None, description="Estorno de crédito (gEstornoCred)."
    )
    operation_credit: OperationCredit | None = Field(
        default=None, description="Crédito presumido da operação (gCredPresOper)."
    )
    free_zone_credit: FreeZoneCredit | None = Field(
        default=None, description="Crédito presumido da Zona Franca (gCredPresIBSZFM)."
    )
