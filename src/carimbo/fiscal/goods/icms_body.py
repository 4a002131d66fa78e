"""The request body of the ICMS of an item."""

from collections.abc import Mapping
from typing import Annotated, ClassVar

from pydantic import Field, StringConstraints

from carimbo.fiscal.body.fields import Body, Money, Percent, Quantity, Rate, StateCode
from carimbo.fiscal.goods.unsupported_groups import EXPECTED_ICMS, unsupported_field_message

Code1 = Annotated[str, StringConstraints(pattern=r"^[0-9]$")]
Cst = Annotated[str, StringConstraints(pattern=r"^[0-9]{2}$")]
Code2 = Annotated[str, StringConstraints(pattern=r"^[0-9]{1,2}$")]
Code3 = Annotated[str, StringConstraints(pattern=r"^[0-9]{3}$")]
Code10 = Annotated[str, StringConstraints(pattern=r"^[A-Z0-9]{8,10}$")]


class IcmsBody(Body):
    """ICMS of an item; `cst` or `csosn` decides which values it has, and missing ones are computed."""

    refused_names: ClassVar[Mapping[str, str]] = {"expectedAmount": unsupported_field_message(*EXPECTED_ICMS)}

    cst: Cst | None = Field(default=None, description="Situação tributária do ICMS (CST), regime normal.")
    csosn: Code3 | None = Field(
        default=None, description="Situação tributária do ICMS no Simples Nacional (CSOSN)."
    )
    base_mode: Code1 | None = Field(
        default=None,
        description="Modalidade da base (modBC): 0 MVA, 1 pauta, 2 preço tabelado, 3 valor da operação.",
    )
    base_reduction: Percent | None = Field(
        default=None, description="Redução da base de cálculo, em percentual (pRedBC)."
    )
    base_reduction_benefit_code: Code10 | None = Field(
        default=None, description="Código de benefício fiscal da redução da base (cBenefRBC)."
    )
    base: Money | None = Field(default=None, description="Base de cálculo (vBC).")
    rate: Percent | None = Field(default=None, description="Alíquota, em percentual (pICMS).")
    operation_amount: Money | None = Field(
        default=None, description="Valor do ICMS da operação, como se não houvesse diferimento (vICMSOp)."
    )
    deferral_rate: Percent | None = Field(default=None, description="Percentual do diferimento (pDif).")
    deferral_amount: Money | None = Field(default=None, description="Valor do ICMS diferido (vICMSDif).")
    amount: Money | None = Field(default=None, description="Valor do ICMS (vICMS).")
    fcp_base: Money | None = Field(default=None, description="Base de cálculo do FCP (vBCFCP).")
    fcp_rate: Percent | None = Field(default=None, description="Percentual do FCP (pFCP).")
    fcp_amount: Money | None = Field(default=None, description="Valor do FCP (vFCP).")
    fcp_deferral_rate: Percent | None = Field(
        default=None, description="Percentual do diferimento do FCP (pFCPDif)."
    )
    fcp_deferral_amount: Money | None = Field(default=None, description="Valor do FCP diferido (vFCPDif).")
    effective_fcp_amount: Money | None = Field(default=None, description="Valor efetivo do FCP (vFCPEfet).")
    st_base_mode: Code1 | None = Field(
        default=None, description="Modalidade da base da substituição tributária (modBCST)."
    )
    st_mva: Rate | None = Field(default=None, description="Margem de valor agregado, em percentual (pMVAST).")
    st_base_reduction: Percent | None = Field(
        default=None, description="Redução da base da substituição, em percentual (pRedBCST)."
    )
    st_base: Money | None = Field(default=None, description="Base de cálculo da substituição (vBCST).")
    st_rate: Percent | None = Field(
        default=None, description="Alíquota da substituição, em percentual (pICMSST)."
    )
    st_amount: Money | None = Field(default=None, description="Valor do ICMS da substituição (vICMSST).")
    st_fcp_base: Money | None = Field(
        default=None, description="Base de cálculo do FCP da substituição (vBCFCPST)."
    )
    st_fcp_rate: Percent | None = Field(
        default=None, description="Percentual do FCP da substituição (pFCPST)."
    )
    st_fcp_amount: Money | None = Field(default=None, description="Valor do FCP da substituição (vFCPST).")
    st_exempted_amount: Money | None = Field(
        default=None, description="Valor do ICMS da substituição desonerado (vICMSSTDeson)."
    )
    st_exemption_reason: Code2 | None = Field(
        default=None, description="Motivo da desoneração da substituição (motDesICMSST)."
    )
    exempted_amount: Money | None = Field(default=None, description="Valor do ICMS desonerado (vICMSDeson).")
    exemption_reason: Code2 | None = Field(default=None, description="Motivo da desoneração (motDesICMS).")
    exemption_is_deducted: Code1 | None = Field(
        default=None, description="1 se o valor desonerado deduz do item, 0 se não (indDeduzDeson)."
    )
    retained_base: Money | None = Field(
        default=None, description="Base da substituição retida antes (vBCSTRet)."
    )
    retained_rate: Percent | None = Field(
        default=None, description="Alíquota suportada pelo consumidor final, com FCP (pST)."
    )
    substitute_amount: Money | None = Field(
        default=None, description="ICMS próprio do substituto (vICMSSubstituto)."
    )
    retained_amount: Money | None = Field(
        default=None, description="ICMS da substituição retido antes (vICMSSTRet)."
    )
    retained_fcp_base: Money | None = Field(
        default=None, description="Base do FCP retido antes (vBCFCPSTRet)."
    )
    retained_fcp_rate: Percent | None = Field(
        default=None, description="Percentual do FCP retido antes (pFCPSTRet)."
    )
    retained_fcp_amount: Money | None = Field(default=None, description="FCP retido antes (vFCPSTRet).")
    effective_base_reduction: Percent | None = Field(
        default=None, description="Redução da base efetiva (pRedBCEfet)."
    )
    effective_base: Money | None = Field(default=None, description="Base efetiva (vBCEfet).")
    effective_rate: Percent | None = Field(default=None, description="Alíquota efetiva (pICMSEfet).")
    effective_amount: Money | None = Field(default=None, description="ICMS efetivo (vICMSEfet).")
    credit_rate: Percent | None = Field(
        default=None, description="Alíquota de crédito do Simples Nacional (pCredSN)."
    )
    credit_amount: Money | None = Field(
        default=None, description="Crédito do ICMS que o comprador pode aproveitar (vCredICMSSN)."
    )
    operation_base_share: Percent | None = Field(
        default=None, description="Percentual da base da operação própria (pBCOp), na partilha."
    )
    st_state: StateCode | None = Field(
        default=None, description="UF a que a substituição é devida (UFST), na partilha."
    )
    st_destination_base: Money | None = Field(
        default=None, description="Base da substituição da UF de destino (vBCSTDest)."
    )
    st_destination_amount: Money | None = Field(
        default=None, description="Substituição da UF de destino (vICMSSTDest)."
    )
    single_phase_quantity: Quantity | None = Field(
        default=None, description="Quantidade tributada na tributação monofásica (qBCMono)."
    )
    single_phase_rate: Quantity | None = Field(default=None, description="Alíquota ad rem (adRemICMS).")
    single_phase_amount: Money | None = Field(
        default=None, description="ICMS monofásico próprio (vICMSMono)."
    )
    single_phase_operation_amount: Money | None = Field(
        default=None, description="ICMS monofásico da operação (vICMSMonoOp)."
    )
    single_phase_withholding_quantity: Quantity | None = Field(
        default=None, description="Quantidade sujeita a retenção (qBCMonoReten)."
    )
    single_phase_withholding_rate: Quantity | None = Field(
        default=None, description="Alíquota ad rem sujeita a retenção (adRemICMSReten)."
    )
    single_phase_withholding_amount: Money | None = Field(
        default=None, description="ICMS monofásico sujeito a retenção (vICMSMonoReten)."
    )
    single_phase_rate_reduction: Percent | None = Field(
        default=None, description="Redução da alíquota ad rem, em percentual (pRedAdRem)."
    )
    single_phase_rate_reduction_reason: Code1 | None = Field(
        default=None, description="Motivo da redução da alíquota ad rem (motRedAdRem)."
    )
    single_phase_deferral_amount: Money | None = Field(
        default=None, description="ICMS monofásico diferido (vICMSMonoDif)."
    )
    single_phase_deferral_quantity: Quantity | None = Field(
        default=None, description="Quantidade diferida (qBCMonoDif)."
    )
    single_phase_deferral_rate: Quantity | None = Field(
        default=None, description="Alíquota ad rem diferida (adRemICMSDif)."
    )
    single_phase_retained_quantity: Quantity | None = Field(
        default=None, description="Quantidade retida antes (qBCMonoRet)."
    )
    single_phase_retained_rate: Quantity | None = Field(
        default=None, description="Alíquota ad rem retida antes (adRemICMSRet)."
    )
    single_phase_retained_amount: Money | None = Field(
        default=None, description="ICMS monofásico retido antes (vICMSMonoRet)."
    )
