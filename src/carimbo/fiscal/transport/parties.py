"""The parties of a CT-e or CT-e OS in requests, and their groups in the document."""

from typing import Annotated, Any

from pydantic import Discriminator, Field, StringConstraints, Tag

from carimbo.fiscal.body.fields import Body, Email, HouseNumber, Phone, RecipientRegistration, TaxId, Text
from carimbo.fiscal.body.reading import drop_blanks_of
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.layouts.cte_v4 import parties as layout
from carimbo.fiscal.layouts.filling import in_homologation
from carimbo.fiscal.parties.address import AddressLine, PartialAddress
from carimbo.fiscal.parties.company import Company, MunicipalRegistration, Name, Suframa, TradeName
from carimbo.fiscal.parties.party_address import address_tag
from carimbo.fiscal.parties.recipient import (
    EXEMPT,
    MAX_NAME_LENGTH,
    ForeignAddress,
    as_written,
    shortened_name,
    split_tax_id,
)
from carimbo.fiscal.problems import MISSING_FIELD, Findings, Incomplete, Problem
from carimbo.fiscal.tables.geography import find_country, municipality_of_ibge
from carimbo.fiscal.transport.places import ABROAD, ABROAD_CITY, ABROAD_CODE, plain_name

HOMOLOGATION_NAME = "CTE EMITIDO EM AMBIENTE DE HOMOLOGACAO - SEM VALOR FISCAL"
"""Name of the parties of a CT-e in homologation, except issuer and a further taker (646 to 649)."""
_MAX_EMAIL_LENGTH = 60

_Street = Annotated[Text, StringConstraints(min_length=2, max_length=255)]
_District = Annotated[Text, StringConstraints(min_length=2, max_length=60)]


class TransportAddress(PartialAddress):
    """An address in Brazil; the municipality by its code, or by name and state."""

    street: _Street = Field(description="Logradouro.", examples=["Avenida Paulista"])
    number: HouseNumber = Field(description="Número do imóvel, ou S/N.", examples=["1000"])
    district: _District = Field(description="Bairro.", examples=["Bela Vista"])


class TransportForeignAddress(ForeignAddress):
    """An address abroad, which has no municipality and no state."""

    street: _Street = Field(description="Logradouro.", examples=["5th Avenue"])
    number: HouseNumber = Field(description="Número do imóvel, ou S/N.", examples=["350"])
    district: _District = Field(description="Bairro ou distrito.", examples=["Manhattan"])
    city: AddressLine | None = Field(default=None, description="Aceita; o CT-e leva EXTERIOR.")


PartyAddressBody = Annotated[
    Annotated[TransportAddress, Tag("in Brazil")] | Annotated[TransportForeignAddress, Tag("abroad")],
    Discriminator(address_tag),
    drop_blanks_of(TransportAddress, TransportForeignAddress),
]


class PartyBody(Body):
    """A party of the transport; one abroad has no `taxId`."""

    tax_id: TaxId | None = Field(
        default=None, description="CPF ou CNPJ, com ou sem pontuação; obrigatório no Brasil."
    )
    foreign_id: Annotated[Text, StringConstraints(max_length=20)] | None = Field(
        default=None, description="Documento de estrangeiro: aceito, mas o CT-e não o leva."
    )
    state_registration: RecipientRegistration | None = Field(
        default=None, description="Inscrição estadual, ou ISENTO (IE)."
    )
    municipal_registration: MunicipalRegistration | None = Field(
        default=None, description="Aceita, mas o CT-e não a leva."
    )
    name: Name = Field(
        description="Nome ou razão social; em homologação as partes da carga levam um texto fixo (xNome).",
        examples=["Indústria Paulista S.A."],
    )
    trade_name: TradeName | None = Field(
        default=None, description="Nome fantasia, que só o remetente e o tomador levam (xFant)."
    )
    phone: Phone | None = Field(default=None, description="Telefone com DDD (fone).")
    email: Email | None = Field(default=None, description="E-mail (email).")
    address: PartyAddressBody = Field(description="Endereço, no Brasil ou no exterior.")

    @property
    def is_foreign(self) -> bool:
        """Whether the address is abroad."""
        return isinstance(self.address, TransportForeignAddress)

    @property
    def state(self) -> str | None:
        """The letters of its state, `EX` abroad."""
        return self.address.state if isinstance(self.address, TransportAddress) else ABROAD


class RecipientPartyBody(PartyBody):
    """The recipient of the cargo."""

    suframa_registration: Suframa | None = Field(default=None, description="Inscrição na SUFRAMA (ISUF).")


def issuer_values(company: Company, taker_state: str | None) -> dict[str, Any]:
    """Returns the fields of the carrier; with its registration as a tax substitute in the taker's state."""
    address = company.address
    is_interstate = taker_state not in (None, ABROAD, address.state)
    return {
        "cnpj": company.tax_id,
        "state_registration": company.registration_in(address.state),
        "st_state_registration": (
            company.registration_in(taker_state) if taker_state and is_interstate else None
        ),
        "name": shortened_name(company.legal_name),
        "trade_name": company.trade_name,
        "address": layout.CarrierAddress(
            street=address.street,
            number=address.number,
            complement=address.complement,
            district=address.district,
            city_code=address.city_code or "",
            city=plain_name(address.city),
            zipcode=address.zipcode,
            state=address.state,
            phone=company.phone,
        ),
        "tax_regime": company.tax_regime.crt,
        "suframa_registration": company.suframa_registration,
    }


def party_values(
    body: PartyBody, path: str, environment: Environment | None, findings: Findings
) -> dict[str, Any]:
    """Returns the fields that the groups of all parties share.

    In homologation the name is a fixed text; a further taker has its real name there too (no environment).
    """
    if body.tax_id is None and not body.is_foreign:
        message = "Campo obrigatório: informe CPF ou CNPJ, ou um endereço no exterior."
        raise Incomplete(Problem(MISSING_FIELD, f"{path}.taxId", message))
    _warn_of_unwritten(body, path, findings)
    name = shortened_name(body.name)
    if environment is Environment.HOMOLOGATION:
        name = in_homologation(HOMOLOGATION_NAME, name, MAX_NAME_LENGTH, f"{path}.name")
    # The layout requires CNPJ or CPF; the CNPJ of a party abroad is empty.
    cnpj, cpf = split_tax_id(body.tax_id) if body.tax_id else ("", None)
    return {
        "cnpj": cnpj,
        "cpf": cpf,
        "state_registration": body.state_registration,
        "name": name,
        "phone": body.phone,
        "address": _address_group(body.address, path),
        "email": body.email if body.email and len(body.email) <= _MAX_EMAIL_LENGTH else None,
    }


def _warn_of_unwritten(body: PartyBody, path: str, findings: Findings) -> None:
    if len(as_written(body.name)) > MAX_NAME_LENGTH:
        findings.add_warning(f"{path}.name: O nome é cortado em 60 caracteres, pois o leiaute não tem mais.")
    if body.foreign_id:
        findings.add_warning(f"{path}.foreignId: O CT-e não tem campo para o documento de estrangeiro.")
    if body.email and len(body.email) > _MAX_EMAIL_LENGTH:
        findings.add_warning(f"{path}.email: O e-mail tem mais de 60 caracteres e fica fora do CT-e.")


def _address_group(address: TransportAddress | TransportForeignAddress, path: str) -> layout.WaybillAddress:
    if isinstance(address, TransportAddress):
        if address.city_code is None or address.city is None or address.state is None:
            message = "Campo obrigatório: informe o município e a UF, ou cityCode (código IBGE)."
            raise Incomplete(Problem(MISSING_FIELD, f"{path}.address.city", message))
        municipality = municipality_of_ibge(address.city_code)
        return layout.WaybillAddress(
            street=address.street,
            number=address.number,
            complement=address.complement,
            district=address.district,
            city_code=address.city_code,
            city=plain_name(municipality.name if municipality else address.city),
            zipcode=address.zipcode,
            state=address.state,
        )
    country = find_country(address.country_code)
    return layout.WaybillAddress(
        street=address.street,
        number=address.number,
        complement=address.complement,
        district=address.district,
        city_code=ABROAD_CODE,
        city=ABROAD_CITY,
        state=ABROAD,
        country_code=country.code if country else address.country_code,
        country=address.country or (country.name if country else None),
    )


def is_registered(registration: str | None) -> bool:
    """Returns whether a state registration has digits."""
    return registration not in (None, EXEMPT)
