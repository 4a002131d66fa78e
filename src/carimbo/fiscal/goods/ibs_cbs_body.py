"""IBS and CBS in requests for NF-e and NFC-e."""

from pydantic import Field

from carimbo.fiscal.layouts.nfe_v4.ibs_cbs import (
    CreditTransfer,
    FreeZoneCbs,
    FreeZoneCredit,
    OperationCredit,
    PeriodAdjustment,
    SinglePhase,
)
from carimbo.fiscal.taxes.ibs_cbs import RatedIbsCbsBody, ShareBody


class CbsBody(ShareBody):
    """The share of CBS, with further fields in a free trade area."""

    free_zone: FreeZoneCbs | None = Field(default=None, description="ZFM e ALC (gALCZFMCBS).")


class IbsCbsBody(RatedIbsCbsBody):
    """IBS and CBS of an item: by rates on `base`, or by a group that special codes require."""

    cbs: CbsBody | None = Field(default=None, description="CBS (gCBS).")
    single_phase: SinglePhase | None = Field(default=None, description="Monofasia (gIBSCBSMono).")
    credit_transfer: CreditTransfer | None = Field(
        default=None, description="Transferência de crédito (gTransfCred)."
    )
    period_adjustment: PeriodAdjustment | None = Field(
        default=None, description="Ajuste de competência (gAjusteCompet)."
    )
    operation_credit: OperationCredit | None = Field(
        default=None, description="Crédito presumido da operação (gCredPresOper)."
    )
    free_zone_credit: FreeZoneCredit | None = Field(
        default=None, description="Crédito presumido da Zona Franca (gCredPresIBSZFM)."
    )
