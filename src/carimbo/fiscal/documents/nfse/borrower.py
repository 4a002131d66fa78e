"""Who takes the service: as a body gives it, and as the layout writes it."""

from typing import Annotated

from pydantic import Field, StringConstraints

from carimbo.fiscal.address import Address
from carimbo.fiscal.company import MunicipalRegistration
from carimbo.fiscal.fields import Body, Email, Phone, TaxId, Text
from carimbo.fiscal.layouts.dps_v1 import addresses as layout
from carimbo.fiscal.layouts.dps_v1.parties import Taker
from carimbo.fiscal.party_address import AnyAddress, ForeignAddressBody, NationalAddressBody
from carimbo.fiscal.taxpayer import is_cpf


class BorrowerBody(Body):
    """Who takes the service; with neither `taxId` nor a foreign address it stays unidentified."""

    tax_id: TaxId | None = Field(default=None, description="CPF ou CNPJ, com ou sem pontuação.")
    foreign_id: Annotated[Text, StringConstraints(max_length=40)] | None = Field(
        default=None, description="Identificação fiscal no país de quem é do exterior (NIF)."
    )
    no_foreign_id_reason: Annotated[str, StringConstraints(pattern="^[12]$")] | None = Field(
        default=None, description="Por que falta o NIF: 1 dispensado, 2 não exigido no país (cNaoNIF)."
    )
    name: Annotated[Text, StringConstraints(min_length=2, max_length=300)] = Field(
        description="Nome ou razão social.", examples=["Maria da Silva"]
    )
    municipal_registration: MunicipalRegistration | None = Field(
        default=None, description="Inscrição municipal (IM)."
    )
    email: Annotated[Email, StringConstraints(max_length=80)] | None = Field(
        default=None, description="E-mail que a nota leva."
    )
    phone: Phone | None = Field(default=None, description="Telefone com DDD.")
    address: AnyAddress | None = Field(default=None, description="Endereço, no Brasil ou no exterior (end).")

    @property
    def is_foreign(self) -> bool:
        """Whether the taker is abroad."""
        told = self.foreign_id or self.no_foreign_id_reason
        return bool(told) or isinstance(self.address, ForeignAddressBody)

    @property
    def is_identified(self) -> bool:
        """Whether the document may name the taker."""
        return bool(self.tax_id or self.foreign_id or self.no_foreign_id_reason)

    @property
    def is_person(self) -> bool:
        """Whether the taker is a natural person of this country."""
        return self.tax_id is not None and is_cpf(self.tax_id)

    @property
    def city_code(self) -> str | None:
        """The municipality of the taker, if it is in Brazil and known."""
        return self.address.city_code if isinstance(self.address, Address) else None


def taker_of(body: BorrowerBody | None) -> Taker | None:
    """The taker, or who stands between, as the layout shows it; one who is not identified is left out."""
    if body is None or not body.is_identified:
        return None
    return Taker(
        cnpj=None if body.is_person else body.tax_id,
        cpf=body.tax_id if body.is_person else None,
        foreign_id=body.foreign_id,
        no_foreign_id_reason=body.no_foreign_id_reason,
        municipal_registration=body.municipal_registration,
        name=body.name,
        address=_address(body.address) if body.address else None,
        phone=body.phone,
        email=body.email,
    )


def _address(body: NationalAddressBody | ForeignAddressBody) -> layout.PartyAddress:
    return layout.PartyAddress(
        national=_in_brazil(body) if isinstance(body, NationalAddressBody) else None,
        foreign=_abroad(body) if isinstance(body, ForeignAddressBody) else None,
        street=body.street,
        number=body.number,
        complement=body.complement,
        district=body.district,
    )


def _in_brazil(body: NationalAddressBody) -> layout.NationalPlace:
    return layout.NationalPlace(city_code=body.city_code or "", zipcode=body.zipcode)


def _abroad(body: ForeignAddressBody) -> layout.ForeignPlace:
    return layout.ForeignPlace(
        country_code=body.country_code,
        postal_code=body.postal_code,
        city=body.city,
        region=body.region,
    )
