"""The road mode of a manifest in requests: vehicles, owners, drivers and what ANTT asks for."""

from typing import Annotated

from pydantic import Field, StringConstraints

from carimbo.fiscal.body.fields import (
    TAKES_NUMBERS,
    Body,
    Cnpj,
    Coded,
    Cpf,
    Integer,
    Money,
    RecipientRegistration,
    StateCode,
    StateOrAbroad,
    TaxId,
    Text,
)
from carimbo.fiscal.documents.mdfe.mode import ManifestMode, RoadKind
from carimbo.fiscal.layouts.mdfe_v3.road import MAX_DRIVERS, MAX_TRAILERS
from carimbo.fiscal.transport.request import Plate

Rntrc = Annotated[str, StringConstraints(pattern="^[0-9]{8}$"), TAKES_NUMBERS]
PersonName = Annotated[Text, StringConstraints(min_length=2, max_length=60)]
_Kilograms = Annotated[Integer, Field(ge=0, le=999_999)]


class WheelType(Coded):
    """The kind of vehicle that drives (`tpRod`)."""

    TRUCK = "truck", "01"
    TOCO = "toco", "02"
    TRACTOR = "tractor", "03"
    VAN = "van", "04"
    UTILITY = "utility", "05"
    OTHER = "other", "06"


class BodyType(Coded):
    """The kind of bodywork (`tpCar`)."""

    NONE = "none", "00"
    OPEN = "open", "01"
    CLOSED = "closed", "02"
    BULK = "bulk", "03"
    CONTAINER = "container", "04"
    SIDER = "sider", "05"


class ManifestOwnerType(Coded):
    """The kind of carrier that owns the vehicle (`tpProp`)."""

    AGGREGATED_TAC = "aggregatedTac", "0"
    INDEPENDENT_TAC = "independentTac", "1"
    OTHER = "other", "2"


class TollVoucherType(Coded):
    """How a toll voucher is used (`tpValePed`)."""

    TAG = "tag", "01"
    PLATE = "plate", "04"


class ManifestOwnerBody(Body):
    """The owner of a vehicle that is not the issuer's."""

    tax_id: TaxId = Field(description="CPF ou CNPJ.")
    rntrc: Rntrc = Field(description="RNTRC do proprietário, 8 dígitos (RNTRC).", examples=["87654321"])
    name: PersonName = Field(description="Nome ou razão social (xNome).")
    type: ManifestOwnerType | None = Field(
        default=None,
        description=(
            "Tipo: aggregatedTac, independentTac ou other; obrigatório com CPF, e other na falta com CNPJ"
            " (tpProp)."
        ),
    )
    state_registration: RecipientRegistration | None = Field(
        default=None, description="Inscrição estadual, junto com `state` (IE)."
    )
    state: StateCode | None = Field(default=None, description="UF da inscrição (UF).")


class _AnyVehicleBody(Body):
    """What vehicles that drive and vehicles that are drawn share."""

    plate: Plate = Field(description="Placa, com ou sem hífen (placa).", examples=["ABC1D23"])
    code: Annotated[Text, StringConstraints(max_length=10), TAKES_NUMBERS] | None = Field(
        default=None, description="Código interno do veículo (cInt)."
    )
    renavam: Annotated[str, StringConstraints(pattern="^[0-9]{9,11}$"), TAKES_NUMBERS] | None = Field(
        default=None, description="RENAVAM, de 9 a 11 dígitos (RENAVAM)."
    )
    state: StateOrAbroad | None = Field(default=None, description="UF do licenciamento; EX no exterior (UF).")
    tare_kg: _Kilograms = Field(description="Tara, em kg (tara).", examples=[8300])
    capacity_m3: Annotated[Integer, Field(ge=0, le=999)] | None = Field(
        default=None, description="Capacidade, em m³ (capM3)."
    )
    owner: ManifestOwnerBody | None = Field(
        default=None, description="Proprietário, se não é a empresa (prop)."
    )


class ManifestVehicleBody(_AnyVehicleBody):
    """The vehicle that drives."""

    capacity_kg: _Kilograms | None = Field(default=None, description="Capacidade, em kg (capKG).")
    wheel_type: WheelType = Field(
        description="Rodado: truck, toco, tractor (cavalo mecânico), van, utility ou other (tpRod)."
    )
    body_type: BodyType | None = Field(
        default=None,
        description=(
            "Carroceria: none, open, closed, bulk, container ou sider; none na falta, com tractor (tpCar)."
        ),
    )


class TrailerBody(_AnyVehicleBody):
    """A vehicle that is drawn."""

    capacity_kg: _Kilograms = Field(description="Capacidade, em kg (capKG).", examples=[27000])
    body_type: BodyType = Field(
        description="Carroceria: none, open, closed, bulk, container ou sider (tpCar)."
    )


class DriverBody(Body):
    """A driver."""

    name: PersonName = Field(description="Nome (xNome).", examples=["João Batista Pereira"])
    tax_id: Cpf = Field(description="CPF.")


class CiotBody(Body):
    """The code of a transport operation."""

    ciot: Annotated[str, StringConstraints(pattern="^[0-9]{12}$"), TAKES_NUMBERS] = Field(
        description="CIOT, 12 dígitos (CIOT).", examples=["123456789012"]
    )
    tax_id: TaxId = Field(description="CPF ou CNPJ de quem gerou o CIOT.")


class ContractBody(Body):
    """The contract of a contractor."""

    number: Annotated[Text, StringConstraints(min_length=2, max_length=20), TAKES_NUMBERS] = Field(
        description="Número do contrato (NroContrato)."
    )
    amount: Annotated[Money, Field(gt=0)] = Field(
        description="Valor global do contrato, em reais (vContratoGlobal)."
    )


class ContractorBody(Body):
    """Who contracted the transport."""

    tax_id: TaxId | None = Field(default=None, description="CPF ou CNPJ; este ou `foreignId`.")
    foreign_id: Annotated[str, StringConstraints(pattern=r"^[!-ÿ]{2,20}$"), TAKES_NUMBERS] | None = Field(
        default=None, description="Documento de estrangeiro, sem espaços (idEstrangeiro)."
    )
    name: PersonName | None = Field(default=None, description="Nome ou razão social (xNome).")
    contract: ContractBody | None = Field(default=None, description="Contrato (infContrato).")


class TollVoucherBody(Body):
    """A toll voucher that was bought in advance."""

    supplier_tax_id: Cnpj = Field(description="CNPJ do fornecedor (CNPJForn).")
    payer_tax_id: TaxId | None = Field(default=None, description="CPF ou CNPJ de quem pagou.")
    purchase_number: Annotated[str, StringConstraints(pattern="^[0-9]{1,20}$"), TAKES_NUMBERS] | None = Field(
        default=None, description="Número do comprovante, até 20 dígitos (nCompra)."
    )
    amount: Money = Field(description="Valor, em reais (vValePed).")
    type: TollVoucherType | None = Field(default=None, description="Tipo: tag ou plate (tpValePed).")


class ManifestRoadBody(Body):
    """Transport by road."""

    kind: RoadKind = Field(default=ManifestMode.ROAD, description="Modal: 1 ou road (rodoviário), o padrão.")
    rntrc: Rntrc | None = Field(
        default=None,
        description=(
            "RNTRC, 8 dígitos; na falta, nos transportadores, o da configuração cte.rntrc da empresa (RNTRC)."
        ),
    )
    vehicle: ManifestVehicleBody = Field(description="Veículo de tração (veicTracao).")
    trailers: Annotated[tuple[TrailerBody, ...], Field(max_length=MAX_TRAILERS)] = Field(
        default=(), description="Reboques, até 3 (veicReboque)."
    )
    drivers: Annotated[tuple[DriverBody, ...], Field(max_length=MAX_DRIVERS)] = Field(
        default=(), description="Condutores, se não estão na raiz (condutor)."
    )
    ciots: Annotated[tuple[CiotBody, ...], Field(max_length=100)] = Field(
        default=(),
        description=(
            "CIOT da operação, obrigatório a quem transporta carga de terceiros ou contrata veículo"
            " (infCIOT)."
        ),
    )
    contractors: Annotated[tuple[ContractorBody, ...], Field(max_length=1000)] = Field(
        default=(),
        description=(
            "Contratantes; na falta, com proprietário do veículo, a própria empresa (infContratante)."
        ),
    )
    toll_vouchers: Annotated[tuple[TollVoucherBody, ...], Field(max_length=1000)] = Field(
        default=(), description="Vales-pedágio (valePed)."
    )
    toll_axles: Annotated[Integer, Field(ge=2, le=99)] | None = Field(
        default=None, description="Eixos do conjunto; obrigatório com vale-pedágio (categCombVeic)."
    )
    port_scheduling_code: Annotated[Text, StringConstraints(max_length=16), TAKES_NUMBERS] | None = Field(
        default=None, description="Código de agendamento no porto (codAgPorto)."
    )
    seals: Annotated[
        tuple[Annotated[Text, StringConstraints(max_length=20), TAKES_NUMBERS], ...], Field(max_length=100)
    ] = Field(default=(), description="Lacres dos veículos (lacRodo).")
