"""Freight and transport of goods: request body, and group of the layout."""

from typing import Annotated

from pydantic import Field, StringConstraints

from carimbo.fiscal.body.fields import Body, Coded, Money, RecipientRegistration, StateCode, TaxId, Text
from carimbo.fiscal.layouts.nfe_v4.transport import (
    Carrier,
    GoodsTransport,
    RetainedTransportIcms,
    TransportVehicle,
    Volume,
)
from carimbo.fiscal.parties.address import AddressLine
from carimbo.fiscal.parties.recipient import split_tax_id


class FreightMode(Coded):
    """The party that hires the transport (`modFrete`)."""

    SENDER = "sender", "0"
    RECIPIENT = "recipient", "1"
    THIRD_PARTY = "thirdParty", "2"
    OWN_BY_SENDER = "ownBySender", "3"
    OWN_BY_RECIPIENT = "ownByRecipient", "4"
    NONE = "none", "9"


class CarrierBody(Body):
    """The carrier of the goods."""

    tax_id: TaxId | None = Field(default=None, description="CPF ou CNPJ do transportador.")
    name: AddressLine | None = Field(default=None, description="Nome ou razão social do transportador.")
    state_registration: RecipientRegistration | None = Field(
        default=None, description="Inscrição estadual do transportador, ou ISENTO."
    )
    address: AddressLine | None = Field(default=None, description="Endereço em uma linha (xEnder).")
    city: AddressLine | None = Field(default=None, description="Nome do município.")
    state: StateCode | None = Field(default=None, description="Sigla da UF.")


class FreightBody(Body):
    """Freight mode and amount, carrier, vehicles and volumes."""

    mode: FreightMode = Field(
        default=FreightMode.NONE,
        description=(
            "Quem contrata o frete (modFrete): sender (remetente), recipient (destinatário), thirdParty"
            " (terceiros), ownBySender e ownByRecipient (transporte próprio) ou none (sem frete), o padrão."
        ),
    )
    amount: Money | None = Field(
        default=None,
        description="Frete, em reais, repartido pelo preço dos itens; não se usa com `items[].freight`.",
    )
    carrier: CarrierBody | None = Field(default=None, description="Transportador (transporta).")
    retained_icms: RetainedTransportIcms | None = Field(
        default=None, description="ICMS do frete retido do transportador (retTransp)."
    )
    vehicle: TransportVehicle | None = Field(default=None, description="Veículo (veicTransp).")
    trailers: Annotated[tuple[TransportVehicle, ...], Field(max_length=5)] = Field(
        default=(), description="Reboques do veículo (reboque)."
    )
    wagon: Annotated[Text, StringConstraints(max_length=20)] | None = Field(
        default=None, description="Identificação do vagão (vagao)."
    )
    ferry: Annotated[Text, StringConstraints(max_length=20)] | None = Field(
        default=None, description="Identificação da balsa (balsa)."
    )
    volumes: Annotated[tuple[Volume, ...], Field(max_length=5000)] = Field(
        default=(), description="Volumes transportados (vol)."
    )


_NONE = GoodsTransport(freight_mode=FreightMode.NONE.code)


def transport_group(body: FreightBody | None) -> GoodsTransport:
    """Returns the transport group; most documents have no freight."""
    if body is None:
        return _NONE
    return GoodsTransport(
        freight_mode=body.mode.code,
        carrier=_carrier(body.carrier) if body.carrier else None,
        retained_icms=body.retained_icms,
        vehicle=body.vehicle,
        trailers=body.trailers,
        wagon=body.wagon,
        ferry=body.ferry,
        volumes=body.volumes,
    )


def _carrier(body: CarrierBody) -> Carrier:
    cnpj, cpf = split_tax_id(body.tax_id)
    return Carrier(
        cnpj=cnpj,
        cpf=cpf,
        name=body.name,
        state_registration=body.state_registration,
        address=body.address,
        city=body.city,
        state=body.state,
    )
