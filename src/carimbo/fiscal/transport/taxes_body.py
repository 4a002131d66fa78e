"""The taxes of a transport service in requests for CT-e and CT-e OS."""

from typing import Annotated

from pydantic import Field, StringConstraints

from carimbo.fiscal.body.fields import Body, Flag, Money, Percent
from carimbo.fiscal.layouts.cte_v4.taxes import ServiceFreeZoneCbs
from carimbo.fiscal.taxes.ibs_cbs import RatedIbsCbsBody, ShareBody

_TwoPlaces = Annotated[Money, Field(le=100)]


class ServiceIcmsBody(Body):
    """ICMS of the service; `cst` decides which values it has, and missing ones are computed."""

    cst: Annotated[str, StringConstraints(pattern="^(00|20|40|41|51|60|90)$")] | None = Field(
        default=None,
        description=(
            "Situação tributária: 00, 20, 40, 41, 51, 60 ou 90; na falta, 90 no Simples e quando a prestação"
            " começa em outra UF, e 00 nas demais, com aviso (CST)."
        ),
    )
    other_state: Flag | None = Field(
        default=None,
        description="Se o ICMS é devido a outra UF, com CST 90; na falta, se a prestação começa em outra UF.",
    )
    base: Money | None = Field(
        default=None, description="Base de cálculo; na falta, o valor da prestação menos a redução (vBC)."
    )
    rate: _TwoPlaces | None = Field(
        default=None,
        description=(
            "Alíquota, em percentual; na falta, a interestadual de 7 ou 12, com aviso. A interna é"
            " obrigatória (pICMS)."
        ),
        examples=[12],
    )
    amount: Money | None = Field(default=None, description="Valor do ICMS; na falta, calculado (vICMS).")
    base_reduction: Annotated[_TwoPlaces, Field(gt=0)] | None = Field(
        default=None, description="Redução da base, em percentual, com CST 20 ou 90 (pRedBC)."
    )
    credit_amount: Money | None = Field(
        default=None, description="Crédito outorgado, com CST 60 ou 90 (vCred)."
    )
    exempted_amount: Money | None = Field(
        default=None, description="ICMS desonerado, junto com `benefitCode` (vICMSDeson)."
    )
    benefit_code: Annotated[str, StringConstraints(pattern="^([A-Z0-9]{8}|[A-Z0-9]{10})$")] | None = Field(
        default=None, description="Código do benefício fiscal na UF, 8 ou 10 caracteres (cBenef)."
    )


class EndStateShareBody(Body):
    """Values of the share of the state where the service ends; the others are computed."""

    base: Money | None = Field(default=None, description="Base de cálculo na UF de término (vBCUFFim).")
    fcp_rate: _TwoPlaces | None = Field(default=None, description="Percentual do FCP (pFCPUFFim).")
    internal_rate: _TwoPlaces | None = Field(
        default=None, description="Alíquota interna da UF de término para o serviço (pICMSUFFim)."
    )
    interstate_rate: _TwoPlaces | None = Field(
        default=None, description="Alíquota interestadual (pICMSInter)."
    )
    fcp_amount: Money | None = Field(default=None, description="FCP da UF de término (vFCPUFFim).")
    destination_amount: Money | None = Field(default=None, description="ICMS da UF de término (vICMSUFFim).")
    origin_amount: Money | None = Field(default=None, description="ICMS da UF de início (vICMSUFIni).")


class GovernmentTakerBody(Body):
    """The public entity that takes the service."""

    entity_type: Annotated[str, StringConstraints(pattern="^[1-6]$")] = Field(
        description="Tipo do ente, de 1 a 6 (tpEnteGov)."
    )
    rate_reduction: Percent = Field(description="Redução das alíquotas, em percentual (pRedutor).")
    operation_type: Annotated[str, StringConstraints(pattern="^[1-4]$")] = Field(
        description="Tipo da operação, de 1 a 4 (tpOperGov)."
    )


class ServiceCbsBody(ShareBody):
    """The share of CBS, with further fields in a free trade area."""

    free_zone: ServiceFreeZoneCbs | None = Field(default=None, description="ZFM e ALC (gALCZFMCBS).")


class FreightIbsCbsBody(RatedIbsCbsBody):
    """IBS and CBS of the service."""

    cbs: ServiceCbsBody | None = Field(default=None, description="CBS (gCBS).")
