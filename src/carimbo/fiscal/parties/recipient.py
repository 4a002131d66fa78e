"""Recipients and other parties in requests for SEFAZ documents."""

import re
from typing import Annotated, Any

from pydantic import BeforeValidator, Discriminator, Field, StringConstraints, Tag

from carimbo.fiscal.body.fields import (
    Body,
    Coded,
    Email,
    HouseNumber,
    Phone,
    RecipientRegistration,
    TaxId,
    Text,
)
from carimbo.fiscal.body.reading import MAY_BE_MISSING, Missing, drop_blanks_of, reading_of, without_blanks
from carimbo.fiscal.identity.tax_ids import CPF_LENGTH
from carimbo.fiscal.layouts.dfe_v1.parties import AuthorizedReader
from carimbo.fiscal.parties.address import Address, AddressLine, BrazilCode, country_letters
from carimbo.fiscal.parties.company import MunicipalRegistration, Name, Suframa, TradeName
from carimbo.fiscal.parties.party_address import NationalAddressBody, address_tag, is_in_brazil
from carimbo.fiscal.tables.geography import find_country

BRAZIL_CODE = "1058"
"""The Central Bank's code of Brazil (`cPais`)."""
EXEMPT = "ISENTO"
"""The state registration of a contributor that needs none."""
MAX_NAME_LENGTH = 60
_ELLIPSIS = "…"
_BACEN_LENGTH = 4
_BACEN_CODE = re.compile(r"[0-9]{1,4}")


def _country_code(value: Any) -> Any:
    """Returns the letters of a country; unknown digits are kept, as the Portal's table may have them."""
    if find_country(value) is None and _BACEN_CODE.fullmatch(str(value)):
        return str(value).zfill(_BACEN_LENGTH)
    return country_letters(value)


class ForeignAddress(Body):
    """An address abroad, which has no municipality and no state; only the country is required."""

    street: AddressLine | None = Field(default=None, description="Logradouro.", examples=["5th Avenue"])
    number: HouseNumber | None = Field(
        default=None, description="Número do imóvel, ou S/N.", examples=["350"]
    )
    complement: AddressLine | None = Field(default=None, description="Complemento.")
    district: AddressLine | None = Field(
        default=None, description="Bairro ou distrito.", examples=["Manhattan"]
    )
    city: AddressLine | None = Field(
        default=None,
        description="Vai no complemento do endereço (xCpl), se couber: a nota leva EXTERIOR como município.",
    )
    country_code: Annotated[str, BeforeValidator(_country_code)] = Field(
        description="País: duas letras (ISO 3166) ou o código do Banco Central (cPais).",
        examples=["US", "2496"],
    )
    country: AddressLine | None = Field(
        default=None,
        description="Nome do país; na falta, o da tabela do Banco Central (xPais).",
        examples=["ESTADOS UNIDOS"],
    )


RecipientAddress = Annotated[
    Annotated[NationalAddressBody, Tag("in Brazil")] | Annotated[ForeignAddress, Tag("abroad")],
    Discriminator(address_tag),
    drop_blanks_of(NationalAddressBody, ForeignAddress),
]


def _mark_missing(recipient: Any) -> Any:
    """Marks id and name as missing in a recipient without any id.

    With an id the name may come later, from the customer in the catalog.
    """
    if not isinstance(recipient, dict):
        return recipient
    address = recipient.get("address")
    is_abroad = isinstance(address, dict) and not is_in_brazil(address)
    given = without_blanks(recipient, reading_of(RecipientBody, clears=False))
    if "taxId" in given or "foreignId" in given or is_abroad:
        return recipient
    missing = ["taxId"] if "name" in given else ["taxId", "name"]
    return {**recipient, **dict.fromkeys(missing, Missing())}


IDENTIFIED = BeforeValidator(_mark_missing)
"""Reports a recipient without any id together with all other errors of the body."""


class Contribution(Coded):
    """The buyer's position for ICMS (`indIEDest`)."""

    CONTRIBUTOR = "contributor", "1"
    EXEMPT = "exempt", "2"
    NONE = "none", "9"


class RecipientBody(Body):
    """The buyer; a foreigner has `foreignId` instead of `taxId`."""

    tax_id: Annotated[TaxId | None, MAY_BE_MISSING] = Field(
        default=None, description="CPF ou CNPJ, com ou sem pontuação."
    )
    foreign_id: Annotated[Text, StringConstraints(min_length=5, max_length=20)] | None = Field(
        default=None, description="Passaporte ou outro documento de estrangeiro (idEstrangeiro)."
    )
    name: Annotated[Name | None, MAY_BE_MISSING] = Field(
        default=None,
        description="Nome ou razão social; em homologação a nota leva um texto fixo (xNome).",
        examples=["Maria da Silva"],
    )
    trade_name: TradeName | None = Field(default=None, description="Aceito, mas a nota não o leva.")
    state_registration: RecipientRegistration | None = Field(
        default=None,
        description="Inscrição estadual, ou ISENTO; sem ela o comprador não é contribuinte (indIEDest).",
    )
    icms_contribution: Contribution | None = Field(
        default=None,
        description="Situação no ICMS: contributor, exempt ou none; na falta, pela inscrição (indIEDest).",
    )
    municipal_registration: MunicipalRegistration | None = Field(
        default=None, description="Inscrição municipal (IM)."
    )
    suframa_registration: Suframa | None = Field(default=None, description="Inscrição na SUFRAMA (ISUF).")
    email: Email | None = Field(default=None, description="E-mail que a nota leva.")
    phone: Phone | None = Field(default=None, description="Telefone com DDD; só vai na nota com o endereço.")
    address: RecipientAddress | None = Field(
        default=None, description="Endereço, no Brasil ou no exterior; obrigatório na NF-e (enderDest)."
    )

    @property
    def is_foreign(self) -> bool:
        """Whether the buyer's address is abroad."""
        return isinstance(self.address, ForeignAddress)


class PlaceBody(Address):
    """The address where goods are picked up or delivered, with the party there."""

    country_code: BrazilCode | None = Field(default=None, description="BR ou 1058; pode faltar.")
    tax_id: TaxId | None = Field(default=None, description="CPF ou CNPJ de quem está no local.")
    name: Text | None = Field(default=None, description="Nome ou razão social de quem está no local.")
    state_registration: RecipientRegistration | None = Field(
        default=None, description="Inscrição estadual de quem está no local."
    )
    email: Email | None = Field(default=None, description="E-mail de quem está no local.")
    phone: Phone | None = Field(default=None, description="Telefone do local, com DDD.")


class ReaderBody(Body):
    """A further person or company that may download the document."""

    tax_id: TaxId = Field(description="CPF ou CNPJ de quem pode baixar o XML.")


def contribution_of(body: RecipientBody) -> Contribution:
    """Returns the caller's value, else the one that follows from the registration (MOC 7.0, E16a)."""
    if body.icms_contribution:
        return body.icms_contribution
    if body.state_registration is None:
        return Contribution.NONE
    return Contribution.EXEMPT if body.state_registration == EXEMPT else Contribution.CONTRIBUTOR


def split_tax_id(tax_id: str | None) -> tuple[str | None, str | None]:
    """Returns CNPJ and CPF, one of them None: each has its own element."""
    if tax_id is None:
        return None, None
    return (None, tax_id) if len(tax_id) == CPF_LENGTH else (tax_id, None)


def reader_group(body: ReaderBody) -> AuthorizedReader:
    """Returns a person or company that may download the document."""
    cnpj, cpf = split_tax_id(body.tax_id)
    return AuthorizedReader(cnpj=cnpj, cpf=cpf)


def shortened_name(name: str) -> str:
    """Returns a name cut to the length of the layouts; names in the federal registry may be longer."""
    if len(name) <= MAX_NAME_LENGTH and _ELLIPSIS not in name:
        return name
    return as_written(name)[:MAX_NAME_LENGTH].rstrip()


def as_written(line: str) -> str:
    """Returns a line with its length in the document, where an ellipsis becomes three dots.

    It is the only character that becomes longer in the document.
    """
    return " ".join(line.split()).replace(_ELLIPSIS, "...")
