"""How goods travel: as a body says it, and as the layout writes it."""

from typing import Annotated

from pydantic import Field, StringConstraints

from carimbo.fiscal.address import Line
from carimbo.fiscal.coded import Coded
from carimbo.fiscal.fields import Body, RecipientRegistration, StateCode, TaxId, Text
from carimbo.fiscal.goods.parties import split_tax_id
from carimbo.fiscal.layouts.nfe_v4.transport import (
    Carrier,
    RetainedTransportIcms,
    Transport,
    TransportVehicle,
    Volume,
)


class FreightMode(Coded):
    """Who hires the carriage (`modFrete`)."""

    SENDER = "sender", "0"
    RECIPIENT = "recipient", "1"
    THIRD_PARTY = "thirdParty", "2"
    OWN_BY_SENDER = "ownBySender", "3"
    OWN_BY_RECIPIENT = "ownByRecipient", "4"
    NONE = "none", "9"


class CarrierBody(Body):
    """Who carries the goods."""

    tax_id: TaxId | None = None
    name: Line | None = None
    state_registration: RecipientRegistration | None = None
    address: Line | None = None
    city: Line | None = None
    state: StateCode | None = None


class FreightBody(Body):
    """Who hires the carriage, who carries, and what is carried."""

    mode: FreightMode = FreightMode.NONE
    carrier: CarrierBody | None = None
    retained_icms: RetainedTransportIcms | None = None
    vehicle: TransportVehicle | None = None
    trailers: Annotated[tuple[TransportVehicle, ...], Field(max_length=5)] = ()
    wagon: Annotated[Text, StringConstraints(max_length=20)] | None = None
    ferry: Annotated[Text, StringConstraints(max_length=20)] | None = None
    volumes: Annotated[tuple[Volume, ...], Field(max_length=5000)] = ()


def transport(body: FreightBody | None) -> Transport:
    """The carriage of the layout; none is the rule."""
    if body is None:
        return Transport(freight_mode=FreightMode.NONE.code)
    return Transport(
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
