"""The cargo of a manifest in requests: its documents by municipality, insurance and main product."""

from typing import Annotated

from pydantic import Field, StringConstraints

from carimbo.fiscal.body.fields import (
    TAKES_NUMBERS,
    Body,
    CityCode,
    Cnpj,
    Coded,
    Flag,
    Ncm,
    Number,
    Quantity,
    TaxId,
    Text,
    Zipcode,
)
from carimbo.fiscal.layouts.mdfe_v3.documents import MAX_KEYS
from carimbo.fiscal.transport.request import DocumentKey
from carimbo.fiscal.transport.units import TransportUnitBody

Keys = Annotated[tuple[DocumentKey, ...], Field(max_length=MAX_KEYS)]
_Gtin = Annotated[str, StringConstraints(pattern="^([0-9]{8}|[0-9]{12,14}|SEM GTIN)$"), TAKES_NUMBERS]
_Text20 = Annotated[Text, StringConstraints(max_length=20), TAKES_NUMBERS]


class ManifestDangerousGoodsBody(Body):
    """A dangerous product."""

    un_number: Annotated[str, StringConstraints(pattern="^([0-9]{4}|ND)$"), TAKES_NUMBERS] = Field(
        description="Número ONU, 4 dígitos ou ND (nONU).", examples=["1203"]
    )
    shipping_name: Annotated[Text, StringConstraints(max_length=150)] | None = Field(
        default=None, description="Nome apropriado para embarque (xNomeAE)."
    )
    risk_class: Annotated[Text, StringConstraints(max_length=40), TAKES_NUMBERS] | None = Field(
        default=None, description="Classe ou subclasse e risco subsidiário (xClaRisco)."
    )
    packing_group: Annotated[Text, StringConstraints(max_length=6)] | None = Field(
        default=None, description="Grupo de embalagem (grEmb)."
    )
    quantity: _Text20 = Field(description="Quantidade total, com a unidade (qTotProd).", examples=["1000 L"])
    packages: Annotated[Text, StringConstraints(max_length=60)] | None = Field(
        default=None, description="Quantidade e tipo de volumes (qVolTipo)."
    )


class PartialDeliveryBody(Body):
    """How much of a CT-e is delivered."""

    total_quantity: Quantity = Field(description="Quantidade total de volumes (qtdTotal).")
    delivered_quantity: Quantity = Field(description="Quantidade entregue (qtdParcial).")


class DocumentDetailsBody(Body):
    """Further data of one document of the municipality."""

    access_key: DocumentKey = Field(description="Chave de um dos documentos do município.")
    is_redelivery: Flag = Field(default=False, description="Se é uma reentrega (indReentrega).")
    second_barcode: Annotated[str, StringConstraints(pattern="^[0-9]{36}$")] | None = Field(
        default=None, description="Segundo código de barras, 36 dígitos (SegCodBarra)."
    )
    transport_units: Annotated[tuple[TransportUnitBody, ...], Field(max_length=1000)] = Field(
        default=(), description="Unidades de transporte (infUnidTransp)."
    )
    dangerous_goods: Annotated[tuple[ManifestDangerousGoodsBody, ...], Field(max_length=100)] = Field(
        default=(), description="Produtos perigosos (peri)."
    )
    partial_delivery: PartialDeliveryBody | None = Field(
        default=None, description="Entrega parcial de um CT-e, no modal aéreo (infEntregaParcial)."
    )
    partial_nfe_access_keys: Annotated[tuple[DocumentKey, ...], Field(max_length=1000)] = Field(
        default=(), description="NF-e transportadas de um CT-e simplificado (infNFePrestParcial)."
    )


class UnloadingBody(Body):
    """A municipality of unloading with its documents."""

    city_code: CityCode | None = Field(
        default=None,
        description="Código IBGE do município de descarga; obrigatório sem fromDocuments (cMunDescarga).",
        examples=["3106200"],
    )
    cte_access_keys: Keys = Field(default=(), description="Chaves dos CT-e descarregados ali (infCTe).")
    nfe_access_keys: Keys = Field(default=(), description="Chaves das NF-e descarregadas ali (infNFe).")
    mdfe_access_keys: Keys = Field(
        default=(), description="Chaves dos MDF-e dos veículos embarcados, no aquaviário (infMDFeTransp)."
    )
    details: Annotated[tuple[DocumentDetailsBody, ...], Field(max_length=1000)] = Field(
        default=(), description="Mais dados de um documento, pela chave dele."
    )

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of all its documents."""
        return (*self.cte_access_keys, *self.nfe_access_keys, *self.mdfe_access_keys)


class InsuranceParty(Coded):
    """Who insured the cargo (`respSeg`)."""

    ISSUER = "issuer", "1"
    CONTRACTOR = "contractor", "2"


class CargoInsuranceBody(Body):
    """An insurance of the cargo."""

    responsible: InsuranceParty = Field(
        default=InsuranceParty.ISSUER,
        description="Responsável: issuer (o emitente), o padrão, ou contractor (respSeg).",
    )
    responsible_tax_id: TaxId | None = Field(
        default=None, description="CPF ou CNPJ do responsável; obrigatório com contractor."
    )
    insurer_name: Annotated[Text, StringConstraints(max_length=30)] | None = Field(
        default=None, description="Seguradora, até 30 caracteres, junto com `insurerTaxId` (xSeg)."
    )
    insurer_tax_id: Cnpj | None = Field(default=None, description="CNPJ da seguradora (CNPJ).")
    policy_number: _Text20 | None = Field(default=None, description="Número da apólice (nApol).")
    endorsements: Annotated[
        tuple[Annotated[Text, StringConstraints(max_length=40), TAKES_NUMBERS], ...],
        Field(max_length=1000),
    ] = Field(default=(), description="Números das averbações (nAver).")


class CargoType(Coded):
    """The kind of cargo (`tpCarga`)."""

    SOLID_BULK = "solidBulk", "01"
    LIQUID_BULK = "liquidBulk", "02"
    REFRIGERATED = "refrigerated", "03"
    CONTAINERIZED = "containerized", "04"
    GENERAL = "general", "05"
    NEO_BULK = "neoBulk", "06"
    DANGEROUS_SOLID_BULK = "dangerousSolidBulk", "07"
    DANGEROUS_LIQUID_BULK = "dangerousLiquidBulk", "08"
    DANGEROUS_REFRIGERATED = "dangerousRefrigerated", "09"
    DANGEROUS_CONTAINERIZED = "dangerousContainerized", "10"
    DANGEROUS_GENERAL = "dangerousGeneral", "11"
    PRESSURIZED_BULK = "pressurizedBulk", "12"


class FullLoadPlaceBody(Body):
    """Where a full load is loaded or unloaded: a CEP, or coordinates."""

    zipcode: Zipcode | None = Field(default=None, description="CEP; este, ou as coordenadas (CEP).")
    latitude: Annotated[Number, Field(ge=-90, le=90, decimal_places=6)] | None = Field(
        default=None, description="Latitude, até 6 casas (latitude).", examples=[-25.428954]
    )
    longitude: Annotated[Number, Field(ge=-180, le=180, decimal_places=6)] | None = Field(
        default=None, description="Longitude, até 6 casas (longitude).", examples=[-49.267137]
    )


class FullLoadBody(Body):
    """The ends of the way of a single document."""

    loading: FullLoadPlaceBody = Field(description="Local de carregamento (infLocalCarrega).")
    unloading: FullLoadPlaceBody = Field(description="Local de descarregamento (infLocalDescarrega).")


class MainProductBody(Body):
    """The predominant product."""

    cargo_type: CargoType = Field(
        description=(
            "Tipo de carga: solidBulk, liquidBulk, refrigerated, containerized, general, neoBulk,"
            " dangerousSolidBulk, dangerousLiquidBulk, dangerousRefrigerated, dangerousContainerized,"
            " dangerousGeneral ou pressurizedBulk (tpCarga)."
        )
    )
    description: Annotated[Text, StringConstraints(max_length=120)] = Field(
        description="Descrição (xProd).", examples=["Aparelhos eletrônicos"]
    )
    gtin: _Gtin | None = Field(default=None, description="GTIN, ou SEM GTIN (cEAN).")
    ncm: Ncm | None = Field(
        default=None, description="NCM; obrigatório com um só documento de carga de terceiros (NCM)."
    )
    full_load: FullLoadBody | None = Field(
        default=None,
        description="Locais da carga lotação; obrigatórios com um só documento de carga de terceiros.",
    )
