"""The cargo and its documents in requests for a CT-e."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated

from pydantic import Field, StringConstraints

from carimbo.fiscal.body.date_fields import Day
from carimbo.fiscal.body.fields import (
    TAKES_NUMBERS,
    Body,
    Cfop,
    Coded,
    Flag,
    Money,
    NotNegative,
    Quantity,
    RecipientRegistration,
    StateCode,
    TaxId,
    Text,
)
from carimbo.fiscal.parties.company import Name
from carimbo.fiscal.transport.request import DocumentKey
from carimbo.fiscal.transport.units import CargoUnitBody, TransportUnitBody

_Text20 = Annotated[Text, StringConstraints(max_length=20), TAKES_NUMBERS]
_Series = Annotated[Text, StringConstraints(max_length=3), TAKES_NUMBERS]
_Pin = Annotated[str, StringConstraints(pattern="^[1-9][0-9]{1,8}$")]


class CargoUnitOfMeasure(Coded):
    """The unit of a quantity of the cargo (`cUnid`)."""

    M3 = "M3", "00"
    KG = "KG", "01"
    TON = "TON", "02"
    UNIT = "UNIT", "03"
    LITERS = "LITERS", "04"
    MMBTU = "MMBTU", "05"


USUAL_MEASURE: Mapping[CargoUnitOfMeasure, str] = {
    CargoUnitOfMeasure.M3: "CUBAGEM",
    CargoUnitOfMeasure.KG: "PESO BRUTO",
    CargoUnitOfMeasure.TON: "PESO BRUTO",
    CargoUnitOfMeasure.UNIT: "VOLUMES",
    CargoUnitOfMeasure.LITERS: "LITRAGEM",
    CargoUnitOfMeasure.MMBTU: "MMBTU",
}
"""The kind of measure that a unit usually has."""


class CargoQuantityBody(Body):
    """A quantity of the cargo."""

    unit: CargoUnitOfMeasure = Field(description="Unidade: M3, KG, TON, UNIT, LITERS ou MMBTU (cUnid).")
    measure_type: Annotated[Text, StringConstraints(max_length=20)] | None = Field(
        default=None,
        description="Tipo da medida; na falta, o usual da unidade (tpMed).",
        examples=["VOLUMES"],
    )
    quantity: Annotated[Quantity, Field(gt=0)] = Field(description="Quantidade (qCarga).", examples=[1500])


class CargoBody(Body):
    """Value, main product and quantities of the cargo."""

    amount: Money | None = Field(default=None, description="Valor da carga, em reais (vCarga).")
    predominant_product: Annotated[Text, StringConstraints(max_length=60)] | None = Field(
        default=None, description="Produto predominante (proPred).", examples=["Aparelhos eletrônicos"]
    )
    other_characteristics: Annotated[Text, StringConstraints(max_length=30)] | None = Field(
        default=None, description="Outras características da carga (xOutCat)."
    )
    quantities: Annotated[tuple[CargoQuantityBody, ...], Field(max_length=100)] = Field(
        default=(), description="Quantidades da carga, uma ou mais (infQ)."
    )
    insured_amount: Annotated[Money, Field(gt=0)] | None = Field(
        default=None, description="Valor da carga para averbação (vCargaAverb)."
    )


class CarriedVehicleBody(Body):
    """A new vehicle that is carried."""

    chassis: Annotated[str, StringConstraints(pattern="^[A-Z0-9]{17}$")] = Field(
        description="Chassi, 17 letras maiúsculas e dígitos (chassi)."
    )
    color_code: Annotated[Text, StringConstraints(max_length=4), TAKES_NUMBERS] = Field(
        description="Código da cor, da montadora (cCor)."
    )
    color: Annotated[Text, StringConstraints(max_length=40)] = Field(description="Cor (xCor).")
    model_code: Annotated[Text, StringConstraints(max_length=6), TAKES_NUMBERS] = Field(
        description="Código marca e modelo, do RENAVAM (cMod)."
    )
    unit_value: Money = Field(description="Valor do veículo, em reais (vUnit).")
    freight_amount: Money = Field(description="Frete do veículo, em reais (vFrete).")


class UnitsBody(Body):
    """The units that carry the goods of a document: of transport, or of cargo."""

    transport_units: Annotated[tuple[TransportUnitBody, ...], Field(max_length=1000)] = Field(
        default=(), description="Unidades de transporte; não se usa com `cargoUnits` (infUnidTransp)."
    )
    cargo_units: Annotated[tuple[CargoUnitBody, ...], Field(max_length=1000)] = Field(
        default=(), description="Unidades de carga; não se usa com `transportUnits` (infUnidCarga)."
    )


class CarriedInvoiceBody(UnitsBody):
    """An NF-e of the cargo."""

    access_key: DocumentKey = Field(description="Chave da NF-e (chave).")
    suframa_pin: _Pin | None = Field(default=None, description="PIN da SUFRAMA (PIN).")
    expected_delivery_date: Day | None = Field(default=None, description="Data prevista da entrega (dPrev).")


class OtherDocumentType(Coded):
    """The type of another document of the cargo (`tpDoc`)."""

    DECLARATION = "declaration", "00"
    PIPELINE = "pipeline", "10"
    CFE_SAT = "cfeSat", "59"
    NFCE = "nfce", "65"
    OTHER = "other", "99"


class OtherCargoDocumentBody(UnitsBody):
    """A declaration, receipt or other document of the cargo."""

    type: OtherDocumentType = Field(description="Tipo: declaration, pipeline, cfeSat, nfce ou other (tpDoc).")
    description: Annotated[Text, StringConstraints(max_length=100)] | None = Field(
        default=None, description="Descrição, obrigatória com other (descOutros)."
    )
    number: _Text20 | None = Field(default=None, description="Número (nDoc).")
    issue_date: Day | None = Field(default=None, description="Data de emissão (dEmi).")
    amount: Annotated[Money, Field(gt=0)] | None = Field(
        default=None, description="Valor, em reais (vDocFisc)."
    )
    expected_delivery_date: Day | None = Field(default=None, description="Data prevista da entrega (dPrev).")


class PaperInvoiceBody(UnitsBody):
    """An invoice on paper."""

    model: Annotated[str, StringConstraints(pattern="^(01|04)$")] = Field(
        description="Modelo: 01 ou 04 (mod)."
    )
    series: _Series = Field(description="Série (serie).")
    number: _Text20 = Field(description="Número (nDoc).")
    issue_date: Day = Field(description="Data de emissão (dEmi).")
    cfop: Cfop = Field(description="CFOP predominante (nCFOP).")
    goods_amount: Money = Field(description="Valor dos produtos (vProd).")
    amount: Money = Field(description="Valor da nota (vNF).")
    icms_base: Money = Field(default=Decimal(0), description="Base do ICMS; na falta, 0 (vBC).")
    icms_amount: Money = Field(default=Decimal(0), description="ICMS; na falta, 0 (vICMS).")
    st_base: Money = Field(default=Decimal(0), description="Base da substituição; na falta, 0 (vBCST).")
    st_amount: Money = Field(default=Decimal(0), description="ICMS da substituição; na falta, 0 (vST).")
    waybill_number: _Text20 | None = Field(default=None, description="Número do romaneio (nRoma).")
    order_number: _Text20 | None = Field(default=None, description="Número do pedido (nPed).")
    weight_kg: Annotated[NotNegative, Field(gt=0)] | None = Field(
        default=None, description="Peso, em kg, até 3 casas (nPeso)."
    )
    suframa_pin: _Pin | None = Field(default=None, description="PIN da SUFRAMA (PIN).")
    expected_delivery_date: Day | None = Field(default=None, description="Data prevista da entrega (dPrev).")


class ContentDeclarationBody(Body):
    """An electronic declaration of content."""

    access_key: DocumentKey = Field(description="Chave da DC-e (chave).")


class CargoDocumentsBody(Body):
    """The documents of the cargo: exactly one of the lists."""

    nfes: tuple[CarriedInvoiceBody, ...] = Field(default=(), description="NF-e (infNFe).")
    others: tuple[OtherCargoDocumentBody, ...] = Field(
        default=(), description="Declarações e outros documentos (infOutros)."
    )
    dces: tuple[ContentDeclarationBody, ...] = Field(
        default=(), description="Declarações de conteúdo eletrônicas (infDCe)."
    )
    papers: tuple[PaperInvoiceBody, ...] = Field(default=(), description="Notas em papel (infNF).")
    from_invoices: Flag = Field(
        default=False,
        description=(
            "Se o que falta no pedido (partes, municípios, valor e pesos da carga) vem do XML das NF-e de"
            " `nfes` que a empresa tem."
        ),
    )


class PreviousPaperType(Coded):
    """The type of an earlier transport document on paper (`tpDoc`)."""

    ATRE = "atre", "07"
    DTA = "dta", "08"
    AIR_WAYBILL = "airWaybill", "09"
    ROAD_WAYBILL = "roadWaybill", "10"
    LOOSE_WAYBILL = "looseWaybill", "11"
    TIF = "tif", "12"
    BILL_OF_LADING = "billOfLading", "13"


class PreviousPaperBody(Body):
    """An earlier transport document on paper."""

    type: PreviousPaperType = Field(
        description=("Tipo: atre, dta, airWaybill, roadWaybill, looseWaybill, tif ou billOfLading (tpDoc).")
    )
    series: _Series = Field(description="Série (serie).")
    subseries: Annotated[Text, StringConstraints(max_length=2), TAKES_NUMBERS] | None = Field(
        default=None, description="Subsérie (subser)."
    )
    number: Annotated[Text, StringConstraints(max_length=30), TAKES_NUMBERS] = Field(
        description="Número (nDoc)."
    )
    issue_date: Day = Field(description="Data de emissão (dEmi).")


class PreviousIssuerBody(Body):
    """A carrier that transported the cargo before."""

    tax_id: TaxId = Field(description="CPF ou CNPJ.")
    name: Name = Field(description="Nome ou razão social (xNome).")
    state_registration: RecipientRegistration | None = Field(
        default=None, description="Inscrição estadual, junto com `state` (IE)."
    )
    state: StateCode | None = Field(default=None, description="UF da inscrição (UF).")


class PreviousDocumentsBody(Body):
    """The transport documents of an earlier carrier."""

    issuer: PreviousIssuerBody = Field(description="Emitente dos documentos anteriores (emiDocAnt).")
    access_keys: Annotated[tuple[DocumentKey, ...], Field(max_length=2000)] = Field(
        default=(), description="Chaves dos CT-e anteriores (idDocAntEle)."
    )
    papers: Annotated[tuple[PreviousPaperBody, ...], Field(max_length=2000)] = Field(
        default=(), description="Documentos anteriores em papel (idDocAntPap)."
    )
