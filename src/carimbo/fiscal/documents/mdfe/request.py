"""The body of a request for a manifest."""

from typing import Annotated, Any

from pydantic import BeforeValidator, Field, StringConstraints

from carimbo.fiscal.body.date_fields import IsoDay, LocalMoment
from carimbo.fiscal.body.fields import (
    TAKES_NUMBERS,
    Body,
    CityCode,
    Coded,
    ExternalId,
    Flag,
    Money,
    Notes,
    Quantity,
    StateOrAbroad,
    Text,
)
from carimbo.fiscal.body.transmit import Transmit
from carimbo.fiscal.documents.mdfe.cargo_body import CargoInsuranceBody, MainProductBody, UnloadingBody
from carimbo.fiscal.documents.mdfe.modes_body import ManifestModeBody
from carimbo.fiscal.documents.mdfe.payment_body import ManifestPaymentBody
from carimbo.fiscal.documents.mdfe.road_body import DriverBody, ManifestRoadBody
from carimbo.fiscal.layouts.dfe_v1.route import MAX_ROUTE_STATES
from carimbo.fiscal.layouts.mdfe_v3.documents import MAX_UNLOADING_CITIES
from carimbo.fiscal.layouts.mdfe_v3.identification import MAX_LOADING_CITIES
from carimbo.fiscal.layouts.mdfe_v3.road import MAX_DRIVERS
from carimbo.fiscal.parties.recipient import ReaderBody
from carimbo.fiscal.transport.request import TechResponsibleBody


class IssuerType(Coded):
    """The kind of issuer (`tpEmit`)."""

    CARRIER = "carrier", "1"
    OWN_CARGO = "ownCargo", "2"
    GLOBALIZED_CARRIER = "globalizedCarrier", "3"


class CarrierType(Coded):
    """The kind of carrier that was hired (`tpTransp`)."""

    ETC = "etc", "1"
    TAC = "tac", "2"
    CTC = "ctc", "3"


class CargoWeightUnit(Coded):
    """The unit of the weight (`cUnid`)."""

    KG = "KG", "01"
    TON = "TON", "02"


class AdditionalBody(Body):
    """Notes for everybody and for the tax office."""

    notes: Annotated[Notes, StringConstraints(max_length=5000)] | None = Field(
        default=None, description="Informações complementares (infCpl)."
    )
    authority_notes: Annotated[Notes, StringConstraints(max_length=2000)] | None = Field(
        default=None, description="Informações de interesse do fisco (infAdFisco)."
    )


def _notes_of_text(additional: Any) -> Any:
    return {"notes": additional} if isinstance(additional, str) else additional


class MdfeRequest(Body):
    """A manifest to issue."""

    issuer_type: IssuerType | None = Field(
        default=None,
        description=(
            "Emitente: carrier (transportador), ownCargo (carga própria) ou globalizedCarrier; na falta,"
            " carrier se há CT-e e ownCargo se não há (tpEmit)."
        ),
    )
    carrier_type: CarrierType | None = Field(
        default=None,
        description=(
            "Transportador contratado: etc, tac ou ctc; na falta, pelo proprietário do veículo (tpTransp)."
        ),
    )
    uf_start: StateOrAbroad | None = Field(
        default=None, description="UF de carregamento; na falta, a do município (UFIni)."
    )
    uf_end: StateOrAbroad | None = Field(
        default=None, description="UF de descarregamento; na falta, a do primeiro município (UFFim)."
    )
    from_documents: Flag = Field(
        default=False,
        description=(
            "Preenche o que falta a partir das NF-e ou dos CT-e da própria empresa: municípios, valor, peso e"
            " contratantes. Pode vir também na consulta."
        ),
    )
    municipality_start_ibge: CityCode | None = Field(
        default=None,
        description="Código IBGE do município de carregamento; obrigatório sem fromDocuments (cMunCarrega).",
        examples=["3550308"],
    )
    loading_city_codes: Annotated[tuple[CityCode, ...], Field(max_length=MAX_LOADING_CITIES - 1)] = Field(
        default=(), description="Códigos IBGE dos outros municípios de carregamento (infMunCarrega)."
    )
    route: Annotated[tuple[StateOrAbroad, ...], Field(max_length=MAX_ROUTE_STATES)] = Field(
        default=(),
        description=(
            "UFs entre a de início e a de fim, na ordem da viagem; na falta, por rodovia, o caminho com menos"
            " UFs, com aviso (UFPer)."
        ),
        examples=[["MG"]],
    )
    trip_starts_at: LocalMoment | None = Field(
        default=None,
        description="Início previsto da viagem; sem fuso, no da empresa (dhIniViagem).",
        examples=["2026-11-24T06:00:00-03:00"],
    )
    green_channel: Flag = Field(default=False, description="Se usa o canal verde (indCanalVerde).")
    later_loading: Flag = Field(
        default=False,
        description=(
            "Se a carga é embarcada depois, e as NF-e são incluídas por evento (indCarregaPosterior)."
        ),
    )
    transmit: Transmit = Field(
        default=Transmit.NOW, description="now, o padrão, ou later, que só guarda o MDF-e."
    )
    modal: ManifestModeBody = Field(description="Modal com os dados dele (infModal).")
    drivers: Annotated[tuple[DriverBody, ...], Field(max_length=MAX_DRIVERS)] = Field(
        default=(), description="Condutores, de 1 a 10 por rodovia; aqui ou em `modal.drivers` (condutor)."
    )
    documents: Annotated[tuple[UnloadingBody, ...], Field(max_length=MAX_UNLOADING_CITIES)] = Field(
        default=(), description="Documentos por município de descarga (infDoc)."
    )
    cargo_total_amount: Money | None = Field(
        default=None, description="Valor da carga, em reais; zero na falta, com laterLoading (vCarga)."
    )
    cargo_quantity: Quantity | None = Field(
        default=None, description="Peso bruto da carga; zero na falta, com laterLoading (qCarga)."
    )
    cargo_unit: CargoWeightUnit = Field(
        default=CargoWeightUnit.KG, description="Unidade do peso: KG, o padrão, ou TON (cUnid)."
    )
    insurance: Annotated[tuple[CargoInsuranceBody, ...], Field(max_length=100)] = Field(
        default=(), description="Seguros da carga, obrigatórios ao transportador por rodovia (seg)."
    )
    predominant_product: MainProductBody | None = Field(
        default=None,
        description="Produto predominante, obrigatório no transporte de carga de terceiros (prodPred).",
    )
    payments: Annotated[tuple[ManifestPaymentBody, ...], Field(max_length=100)] = Field(
        default=(),
        description="Pagamentos do frete, obrigatórios com um só documento de carga de terceiros (infPag).",
    )
    seals: Annotated[
        tuple[Annotated[Text, StringConstraints(max_length=60), TAKES_NUMBERS], ...], Field(max_length=1000)
    ] = Field(default=(), description="Lacres da carga (lacres).")
    aut_xml: Annotated[tuple[ReaderBody, ...], Field(max_length=10)] = Field(
        default=(), description="Quem mais pode baixar o XML (autXML)."
    )
    additional: Annotated[AdditionalBody, BeforeValidator(_notes_of_text)] | None = Field(
        default=None, description="Informações adicionais; um texto vale como `notes` (infAdic)."
    )
    tech_responsible: TechResponsibleBody | None = Field(
        default=None, description="Responsável técnico; na falta, o da instalação (infRespTec)."
    )
    issue_date: IsoDay | None = Field(
        default=None,
        description="Data e hora de emissão; sem fuso, no da empresa; na falta, ou com o dia de hoje, agora"
        " (dhEmi).",
        examples=["2026-11-24T05:40:00-03:00"],
    )
    external_id: ExternalId | None = Field(
        default=None,
        description="Identificador no sistema de quem chama; o mesmo não cria um segundo documento.",
    )

    @property
    def effective_issuer_type(self) -> IssuerType:
        """The caller's type, else a carrier if there are CT-e."""
        if self.issuer_type is not None:
            return self.issuer_type
        has_waybills = any(city.cte_access_keys for city in self.documents)
        return IssuerType.CARRIER if has_waybills else IssuerType.OWN_CARGO

    @property
    def road(self) -> ManifestRoadBody | None:
        """The data of the road; None in other modes."""
        return self.modal if isinstance(self.modal, ManifestRoadBody) else None

    @property
    def all_drivers(self) -> tuple[DriverBody, ...]:
        """The drivers, wherever they are given."""
        return self.drivers or (self.road.drivers if self.road else ())

    @property
    def loading_cities(self) -> tuple[str, ...]:
        """All municipalities of loading."""
        first = (self.municipality_start_ibge,) if self.municipality_start_ibge else ()
        return (*first, *self.loading_city_codes)
