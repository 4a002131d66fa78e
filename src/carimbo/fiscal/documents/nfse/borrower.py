"""Who takes the service: as a body gives it, and as the layout writes it."""

from typing import Annotated

from pydantic import Field, StringConstraints

from carimbo.fiscal.company import MunicipalRegistration
from carimbo.fiscal.fields import Body, Email, Phone, TaxId, Text
from carimbo.fiscal.layouts.dps_v1 import addresses as layout
from carimbo.fiscal.layouts.dps_v1.parties import Taker
from carimbo.fiscal.party_address import (
    AnyAddress,
    ForeignAddressBody,
    NationalAddressBody,
    left_out_warning,
    missing_fields,
)
from carimbo.fiscal.taxpayer import is_cpf

# What `end` of the layout has no default for; the municipality's code follows from city and state.
_NEEDED_IN_BRAZIL = ("street", "number", "district", "city", "state", "zipcode")
_NEEDED_ABROAD = ("street", "number", "district", "city", "region", "postalCode")


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
        return self.address.city_code if isinstance(self.address, NationalAddressBody) else None

    @property
    def missing_in_address(self) -> tuple[str, ...]:
        """The fields that the layout needs and the address lacks, by the names of our JSON."""
        if self.address is None:
            return ()
        is_abroad = isinstance(self.address, ForeignAddressBody)
        return missing_fields(self.address, _NEEDED_ABROAD if is_abroad else _NEEDED_IN_BRAZIL)

    def address_gaps(self, path: str) -> tuple[str, ...]:
        """Returns the paths of all that keeps the note from having the address: none if it has it whole."""
        if self.address is None:
            return (path,)
        return tuple(f"{path}.{name}" for name in self.missing_in_address)

    def address_warning(self, path: str) -> str | None:
        """Returns the warning about an address that is too incomplete for the note."""
        missing = self.missing_in_address if self.is_identified else ()
        return left_out_warning(path, missing) if missing else None


def taker_of(body: BorrowerBody | None) -> Taker | None:
    """Returns the taker, or the intermediary, as the layout shows it, if it is identified.

    An incomplete address is left out.
    """
    if body is None or not body.is_identified:
        return None
    return Taker(
        cnpj=None if body.is_person else body.tax_id,
        cpf=body.tax_id if body.is_person else None,
        foreign_id=body.foreign_id,
        no_foreign_id_reason=body.no_foreign_id_reason,
        municipal_registration=body.municipal_registration,
        name=body.name,
        address=_address(body.address) if body.address and not body.missing_in_address else None,
        phone=body.phone,
        email=body.email,
    )


def _address(body: NationalAddressBody | ForeignAddressBody) -> layout.PartyAddress:
    return layout.PartyAddress(
        national=_in_brazil(body) if isinstance(body, NationalAddressBody) else None,
        foreign=_abroad(body) if isinstance(body, ForeignAddressBody) else None,
        street=body.street or "",
        number=body.number or "",
        complement=body.complement,
        district=body.district or "",
    )


def _in_brazil(body: NationalAddressBody) -> layout.NationalPlace:
    return layout.NationalPlace(city_code=body.city_code or "", zipcode=body.zipcode or "")


def _abroad(body: ForeignAddressBody) -> layout.ForeignPlace:
    return layout.ForeignPlace(
        country_code=body.country_code,
        postal_code=body.postal_code or "",
        city=body.city or "",
        region=body.region or "",
    )
