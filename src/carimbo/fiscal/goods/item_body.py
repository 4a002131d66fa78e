"""The request body of an item."""

from decimal import Decimal
from typing import Annotated, Any

from pydantic import ConfigDict, Field, StringConstraints, model_validator

from carimbo.fiscal.body.fields import (
    MAY_HAVE_DOTS,
    Body,
    Cfop,
    Cnpj,
    Flag,
    GoodsOrigin,
    ItemCode,
    Money,
    Ncm,
    Notes,
    Quantity,
    Text,
    UnitValue,
)
from carimbo.fiscal.body.reading import MAY_BE_MISSING, Missing, is_blank
from carimbo.fiscal.goods.federal_taxes import ContributionBody, IpiBody, ReturnedIpiBody
from carimbo.fiscal.goods.ibs_cbs_body import IbsCbsBody
from carimbo.fiscal.goods.icms_body import IcmsBody
from carimbo.fiscal.goods.state_share import StateShareBody
from carimbo.fiscal.layouts.nfe_v4.additional import Observation
from carimbo.fiscal.layouts.nfe_v4.federal_taxes import CofinsSt, ImportTax, PisSt
from carimbo.fiscal.layouts.nfe_v4.goods import (
    Batch,
    ExportDetail,
    Firearm,
    Fuel,
    ImportDeclaration,
    Medicine,
    NewVehicle,
    PresumedIcmsCredit,
)
from carimbo.fiscal.layouts.nfe_v4.ibs_cbs import SelectiveTax
from carimbo.fiscal.layouts.nfe_v4.invoice import ReferencedItem
from carimbo.fiscal.money import ZERO

MAX_DESCRIPTION_LENGTH = 120
COUNTS = "1"
"""`indTot`: the price of the item is part of the total."""

_TAXES = frozenset(
    {
        "approximate_taxes", "icms", "pis", "cofins", "ipi", "ibs_cbs", "pis_st", "cofins_st", "import_tax",
        "state_share", "selective_tax", "referenced_item",
    }
)  # fmt: skip

BenefitCode = Annotated[str, StringConstraints(pattern=r"^[A-Z0-9]{8,10}$|^SEM CBENEF$")]
Cest = Annotated[str, StringConstraints(pattern=r"^[0-9]{7}$"), MAY_HAVE_DOTS]
Gtin = Annotated[str, StringConstraints(pattern=r"^([0-9]{8}|[0-9]{12,14}|SEM GTIN)$")]
Unit = Annotated[Text, StringConstraints(max_length=6)]
NveCode = Annotated[str, StringConstraints(pattern=r"^[A-Z]{2}[0-9]{4}$")]


class ItemBody(Body):
    """An item of a sale."""

    model_config = ConfigDict(
        json_schema_extra={"anyOf": [{"required": ["unitValue"]}, {"required": ["netUnitValue"]}]}
    )

    @model_validator(mode="before")
    @classmethod
    def require_price(cls, given: Any) -> Any:
        """Marks the price as missing in an item with neither `unitValue` nor `netUnitValue`."""
        if not isinstance(given, dict):
            return given
        has_price = any(not is_blank(given.get(name)) for name in ("unitValue", "netUnitValue"))
        return given if has_price else {**given, "unitValue": Missing()}

    @property
    def gives_taxes(self) -> bool:
        """Whether the request says how the item is taxed; a correction refers to taxes of another item."""
        return not self.model_fields_set.isdisjoint(_TAXES)

    @property
    def price(self) -> Decimal:
        """The gross price of a unit; zero until it is computed from a net price."""
        return ZERO if self.unit_value is None else self.unit_value

    description: Annotated[Text, StringConstraints(max_length=MAX_DESCRIPTION_LENGTH)] = Field(
        description="Descrição do produto (xProd).", examples=["Caneca de porcelana 300 ml"]
    )
    quantity: Quantity = Field(
        description="Quantidade na unidade `unit`, até 4 casas decimais (qCom): maior que 0 em toda venda.",
        examples=[2],
    )
    unit_value: Annotated[UnitValue | None, MAY_BE_MISSING] = Field(
        default=None,
        description=(
            "Preço de uma unidade, em reais, com até 10 casas decimais (vUnCom): o que o comprador paga, com"
            " IBS e CBS a partir de 2027."
        ),
        examples=[35.9],
    )
    net_unit_value: UnitValue | None = Field(
        default=None,
        description=(
            "Preço de uma unidade sem ICMS, IBS, CBS e IS, em lugar de `unitValue`: o que o comprador paga é"
            " calculado; só a partir de 2027."
        ),
    )
    sku: ItemCode | None = Field(
        default=None,
        description=(
            "Código do produto na empresa; o de um produto do catálogo traz os campos fiscais que faltam;"
            " na falta, ITEM001, ITEM002 e assim por diante (cProd)."
        ),
    )
    ncm: Ncm | None = Field(
        default=None,
        description="Código NCM com 8 dígitos; 00 no que não é mercadoria; na falta, o padrão da empresa.",
        examples=["69120000"],
    )
    cfop: Cfop | None = Field(default=None, description="CFOP do item; na falta, o do documento.")
    unit: Unit = Field(
        default="UN", description="Unidade de venda; na falta, UN (uCom).", examples=["UN", "KG", "CX"]
    )
    gtin: Gtin | None = Field(
        default=None,
        description="GTIN (código EAN) do produto; na falta, a nota leva SEM GTIN (cEAN).",
        examples=["7891000315507"],
    )
    cest: Cest | None = Field(
        default=None,
        description="Código CEST, com 7 dígitos, de produtos sujeitos a substituição tributária.",
        examples=["2104600"],
    )
    origin: GoodsOrigin | None = Field(
        default=None,
        description="Origem da mercadoria, de 0 a 8; na falta, a padrão da empresa, ou 0, nacional (orig).",
    )
    benefit_code: BenefitCode | None = Field(
        default=None,
        description="Código de benefício fiscal da UF, ou SEM CBENEF (cBenef).",
        examples=["SP010001"],
    )
    barcode: Annotated[Text, StringConstraints(min_length=3, max_length=30)] | None = Field(
        default=None, description="Código de barras que não é GTIN (cBarra)."
    )
    taxable_barcode: Annotated[Text, StringConstraints(min_length=3, max_length=30)] | None = Field(
        default=None, description="Código de barras da unidade tributável que não é GTIN (cBarraTrib)."
    )
    used_good: Annotated[str, StringConstraints(pattern="^1$")] | None = Field(
        default=None, description="1 se é bem móvel usado (indBemMovelUsado)."
    )
    ibs_zfm_credit_type: Annotated[str, StringConstraints(pattern="^[0-4]$")] | None = Field(
        default=None,
        description="Tipo do crédito presumido do IBS na Zona Franca de Manaus (tpCredPresIBSZFM).",
    )
    taxable_gtin: Gtin | None = Field(
        default=None, description="GTIN da unidade tributável; na falta, o de `gtin` (cEANTrib)."
    )
    taxable_unit: Unit | None = Field(
        default=None, description="Unidade tributável; na falta, a de `unit` (uTrib)."
    )
    taxable_quantity: Quantity | None = Field(
        default=None, description="Quantidade tributável; na falta, a de `quantity` (qTrib)."
    )
    taxable_unit_value: UnitValue | None = Field(
        default=None, description="Preço da unidade tributável; na falta, o de `unitValue` (vUnTrib)."
    )
    discount: Money | None = Field(
        default=None,
        description="Desconto no item, em reais; não se usa com o desconto do documento (vDesc).",
    )
    freight: Money | None = Field(
        default=None,
        description="Frete cobrado no item, em reais; não se usa com `freight.amount` (vFrete).",
    )
    insurance: Money | None = Field(
        default=None, description="Seguro cobrado no item, em reais; não se usa com o do documento (vSeg)."
    )
    other: Money | None = Field(
        default=None,
        description="Outras despesas do item, em reais; não se usa com as do documento (vOutro).",
    )
    counts_in_total: Flag = Field(
        default=True, description="Se o preço do item entra no total da nota; na falta, sim (indTot)."
    )
    approximate_taxes: Money | None = Field(
        default=None,
        description=(
            "Valor aproximado dos tributos do item, em reais (vTotTrib); na falta, na venda a consumidor,"
            " pelas alíquotas `defaults.approximateTaxRates` da empresa."
        ),
    )
    notes: Annotated[Notes, StringConstraints(max_length=500)] | None = Field(
        default=None, description="Informações adicionais do produto (infAdProd)."
    )
    nve_codes: Annotated[tuple[NveCode, ...], Field(max_length=8)] = Field(
        default=(), description="Códigos NVE, em operações de comércio exterior.", examples=[["AA0001"]]
    )
    relevant_scale: Annotated[str, StringConstraints(pattern="^[SN]$")] | None = Field(
        default=None, description="S se produzido em escala relevante, N se não (indEscala)."
    )
    manufacturer_tax_id: Cnpj | None = Field(
        default=None, description="CNPJ do fabricante, quando não há escala relevante (CNPJFab)."
    )
    ipi_exception: Annotated[str, StringConstraints(pattern=r"^[0-9]{2,3}$")] | None = Field(
        default=None, description="Exceção da tabela do IPI, com 2 ou 3 dígitos (EXTIPI)."
    )
    purchase_order: Annotated[Text, StringConstraints(max_length=15)] | None = Field(
        default=None, description="Número do pedido de compra do cliente (xPed)."
    )
    purchase_order_item: Annotated[str, StringConstraints(pattern=r"^[0-9]{1,6}$")] | None = Field(
        default=None, description="Item do pedido de compra do cliente (nItemPed)."
    )
    import_content_id: Annotated[Text, StringConstraints(max_length=36)] | None = Field(
        default=None, description="Número da ficha de conteúdo de importação (nFCI)."
    )
    recopi_number: Annotated[str, StringConstraints(pattern=r"^[0-9]{20}$")] | None = Field(
        default=None, description="Número do RECOPI, de papel imune (nRECOPI)."
    )
    presumed_credits: Annotated[tuple[PresumedIcmsCredit, ...], Field(max_length=4)] = Field(
        default=(), description="Créditos presumidos de ICMS do item (gCred)."
    )
    import_declarations: Annotated[tuple[ImportDeclaration, ...], Field(max_length=100)] = Field(
        default=(), description="Declarações de importação (DI)."
    )
    export_details: Annotated[tuple[ExportDetail, ...], Field(max_length=500)] = Field(
        default=(), description="Drawback e exportação indireta (detExport)."
    )
    batches: Annotated[tuple[Batch, ...], Field(max_length=500)] = Field(
        default=(), description="Lotes pelos quais o produto é rastreado (rastro)."
    )
    vehicle: NewVehicle | None = Field(default=None, description="Dados de veículo novo (veicProd).")
    medicine: Medicine | None = Field(default=None, description="Dados de medicamento (med).")
    firearms: Annotated[tuple[Firearm, ...], Field(max_length=500)] = Field(
        default=(), description="Dados das armas de fogo (arma)."
    )
    fuel: Fuel | None = Field(default=None, description="Dados de combustível ou lubrificante (comb).")
    observation: Observation | None = Field(
        default=None, description="Observação de uso livre do item (obsItem)."
    )
    referenced_item: ReferencedItem | None = Field(
        default=None, description="Item de outro documento a que este se refere (DFeReferenciado)."
    )
    icms: IcmsBody | None = Field(
        default=None,
        description="ICMS; na falta, o da venda comum: CSOSN 102 no Simples e no MEI, CST 00 nos outros.",
    )
    pis: ContributionBody | None = Field(
        default=None,
        description=(
            "PIS; na falta, CST 01 (08 se exportado) no regime normal e 49 nos outros; a partir de 2027, 08 e"
            " 49, sem valor."
        ),
    )
    cofins: ContributionBody | None = Field(
        default=None,
        description=(
            "COFINS; na falta, CST 01 (08 se exportado) no regime normal e 49 nos outros; a partir de 2027,"
            " 08 e 49, sem valor."
        ),
    )
    ipi: IpiBody | None = Field(default=None, description="IPI; na falta, a nota não o leva.")
    ibs_cbs: IbsCbsBody | None = Field(
        default=None,
        description=(
            "IBS e CBS; na falta, tributação integral no regime normal, e no Simples que optou pelo regime"
            " regular (`ibsCbsRegime`), e nada nos outros (IBSCBS)."
        ),
    )
    pis_st: PisSt | None = Field(default=None, description="PIS por substituição tributária (PISST).")
    cofins_st: CofinsSt | None = Field(
        default=None, description="COFINS por substituição tributária (COFINSST)."
    )
    import_tax: ImportTax | None = Field(default=None, description="Imposto de importação (II).")
    state_share: StateShareBody | None = Field(
        default=None,
        description="ICMS da UF de destino; na falta, calculado quando o vendedor o deve (ICMSUFDest).",
    )
    selective_tax: SelectiveTax | None = Field(default=None, description="Imposto seletivo (IS).")
    returned_ipi: ReturnedIpiBody | None = Field(
        default=None, description="IPI de mercadoria devolvida (impostoDevol)."
    )
