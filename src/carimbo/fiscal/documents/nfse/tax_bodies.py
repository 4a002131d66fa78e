"""The taxes in a request for an NFS-e: ISS, federal taxes, IBS and CBS, and the approximate total."""

from decimal import Decimal
from typing import Annotated

from pydantic import Field, StringConstraints

from carimbo.fiscal.documents.nfse.plain_codes import PLAIN_CODES
from carimbo.fiscal.fields import Body, Flag, Money, NoteKey, Percent
from carimbo.fiscal.layouts.dps_v1.ibs_cbs import Property

# The CST of PIS and COFINS that the layout has (TSTipoCST).
_CST = r"^(0[0-9]|49|5[0-6]|6[0-7]|7[0-5]|9[89])$"


class IssBody(Body):
    """The tax of the municipality."""

    rate: Percent = Field(description="Alíquota do ISS, em percentual; 0 é válida.", examples=[2])
    is_withheld: Flag = Field(default=False, description="Se o tomador retém o ISS (tpRetISSQN).")


class IbsCbsBody(Body):
    """How the service is taxed by the reform."""

    cst: Annotated[str, StringConstraints(pattern=r"^[0-9]{3}$")] = Field(
        default="000", description="Situação tributária de IBS e CBS (CST)."
    )
    tax_class_code: Annotated[str, StringConstraints(pattern=r"^[0-9]{6}$")] = Field(
        default="000001", description="Classificação tributária (cClassTrib)."
    )
    operation_indicator: Annotated[str, StringConstraints(pattern=r"^[0-9]{6}$")] | None = Field(
        default=None,
        description=(
            "Indicador da operação; na falta, 100301 se a tabela oficial o tem para o serviço, ou então o da"
            " tabela (cIndOp)."
        ),
        examples=["100301"],
    )
    operation_type: Annotated[str, StringConstraints(pattern=r"^[1-5]$")] | None = Field(
        default=None,
        description="Tipo da operação, de 1 a 5, nos itens 10.05, 15.09, 17.12 e 25.05 (tpOper).",
    )
    referenced_keys: Annotated[tuple[NoteKey, ...], Field(max_length=99)] = Field(
        default=(), description="Chaves das NFS-e referidas, com operationType 2 ou 3 (refNFSe)."
    )
    personal_use: Flag | None = Field(
        default=None,
        description="Se o serviço é de uso ou consumo pessoal; na falta, se o tomador tem CPF (indFinal).",
    )
    property: Annotated[Property | None, PLAIN_CODES] = Field(
        default=None,
        description=(
            "Imóvel, por cibCode ou address; obrigatório com os indicadores que começam por 02, mas não em"
            " serviço de construção (imovel)."
        ),
    )


class WithholdingBody(Body):
    """A federal tax on the service."""

    rate: Percent = Field(description="Alíquota, em percentual.", examples=[0.65])
    is_withheld: Flag = Field(default=False, description="Se o tomador retém o tributo.")


class OwnDebitBody(Body):
    """PIS and COFINS that the provider owes up to 2026; whatever is absent follows the company's regime."""

    pis_rate: Annotated[Percent, Field(decimal_places=2)] | None = Field(
        default=None, description="Alíquota do PIS; na falta, a do regime (pAliqPis).", examples=[1.65]
    )
    cofins_rate: Annotated[Percent, Field(decimal_places=2)] | None = Field(
        default=None, description="Alíquota da COFINS; na falta, a do regime (pAliqCofins).", examples=[7.6]
    )
    base: Money | None = Field(
        default=None,
        description=(
            "Base de cálculo, em reais; na falta, o valor do serviço sem o desconto incondicionado"
            " (vBCPisCofins)."
        ),
    )
    cst: Annotated[str, StringConstraints(pattern=_CST)] | None = Field(
        default=None,
        description="Situação tributária de PIS e COFINS; na falta, 01, ou 08 na exportação (CST).",
    )


class TaxesBody(Body):
    """Federal taxes: what the taker withholds, and the provider's own debit of PIS and COFINS."""

    pis: WithholdingBody | None = Field(
        default=None,
        description=(
            "PIS retido (vRetCSLL); sem retenção, a alíquota do débito próprio (pAliqPis). Só até a"
            " competência 12/2026."
        ),
    )
    cofins: WithholdingBody | None = Field(
        default=None,
        description=(
            "COFINS retida (vRetCSLL); sem retenção, a alíquota do débito próprio (pAliqCofins). Só até a"
            " competência 12/2026."
        ),
    )
    csll: WithholdingBody | None = Field(default=None, description="CSLL, se retida (vRetCSLL).")
    ir: WithholdingBody | None = Field(default=None, description="Imposto de renda, se retido (vRetIRRF).")
    inss: WithholdingBody | None = Field(
        default=None, description="Contribuição previdenciária, se retida (vRetCP)."
    )
    own_debit: OwnDebitBody | None = Field(
        default=None,
        description=(
            "Débito próprio de PIS e COFINS, no lugar do calculado pelo regime (piscofins). Só até a"
            " competência 12/2026."
        ),
    )
    pis_cofins_cst: Annotated[str, StringConstraints(pattern=r"^[0-9]{2}$")] | None = Field(
        default=None, description="O mesmo que ownDebit.cst, que prevalece (CST)."
    )


class TotalTaxesBody(Body):
    """The approximate taxes on the price, in percent (Lei 12.741/2012)."""

    federal: Percent = Field(description="Tributos federais (pTotTribFed).", examples=[13.45])
    state: Percent = Field(default=Decimal(0), description="Tributos estaduais (pTotTribEst).")
    city: Percent | None = Field(
        default=None, description="Tributos municipais; na falta, a alíquota do ISS (pTotTribMun)."
    )
