"""The parties of a sale: as a body gives them, and as the layout writes them."""

from typing import Annotated, Any

from pydantic import Discriminator, Field, StringConstraints, Tag

from carimbo.fiscal.address import Address, Line
from carimbo.fiscal.company import Company, Environment, MunicipalRegistration, Name, Suframa, TradeName
from carimbo.fiscal.fields import Body, Email, Phone, RecipientRegistration, TaxId, Text
from carimbo.fiscal.goods.filling import Incomplete
from carimbo.fiscal.layouts import canonical
from carimbo.fiscal.layouts.canonical import Unwritable
from carimbo.fiscal.layouts.group import SCHEMA_PROBLEM
from carimbo.fiscal.layouts.nfe_v4 import parties as layout
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.taxpayer import is_cpf

BRAZIL = "1058"
EXEMPT = "ISENTO"
HOMOLOGATION_NAME = "NF-E EMITIDA EM AMBIENTE DE HOMOLOGACAO - SEM VALOR FISCAL"
_LONGEST_NAME = 60


class ForeignAddress(Body):
    """A place abroad: it has no municipality and no state."""

    street: Line
    number: Line
    complement: Line | None = None
    district: Line
    city: Line | None = None
    country_code: Annotated[str, StringConstraints(pattern=r"^[0-9]{4}$")] = Field(
        description="Código do país no Banco Central.", examples=["2496"]
    )
    country: Line = Field(examples=["ESTADOS UNIDOS"])


class NationalAddress(Address):
    """A place in Brazil, which may say so."""

    country_code: Annotated[str, StringConstraints(pattern="^1058$")] | None = None


def _where(value: Any) -> str:
    code = value.get("countryCode") if isinstance(value, dict) else getattr(value, "country_code", None)
    return "national" if code in (None, BRAZIL) else "foreign"


AnyAddress = Annotated[
    Annotated[NationalAddress, Tag("national")] | Annotated[ForeignAddress, Tag("foreign")],
    Discriminator(_where),
]


class RecipientBody(Body):
    """Who buys; a foreigner has `foreignId` in the place of `taxId`."""

    tax_id: TaxId | None = None
    foreign_id: Annotated[Text, StringConstraints(min_length=5, max_length=20)] | None = None
    name: Name | None = None
    trade_name: TradeName | None = Field(default=None, description="Aceito, mas a nota não o leva.")
    state_registration: RecipientRegistration | None = None
    municipal_registration: MunicipalRegistration | None = None
    suframa_registration: Suframa | None = None
    email: Email | None = None
    phone: Phone | None = None
    address: AnyAddress | None = None

    @property
    def is_foreign(self) -> bool:
        """Whether the buyer lives abroad."""
        return isinstance(self.address, ForeignAddress)


class PlaceBody(NationalAddress):
    """Where goods are picked up or delivered, and who is there."""

    tax_id: TaxId | None = None
    name: Text | None = None
    state_registration: RecipientRegistration | None = None
    email: Email | None = None
    phone: Phone | None = None


class ReaderBody(Body):
    """Someone else who may download the document."""

    tax_id: TaxId


def issuer(company: Company, destination_state: str) -> layout.Issuer:
    """The company as the layout shows it; a registration at the buyer's state is that of the substitute."""
    elsewhere = destination_state != company.address.state
    municipal = company.municipal_registration
    return layout.Issuer(
        cnpj=company.tax_id,
        name=_cut(company.legal_name),
        trade_name=company.trade_name,
        address=_national(company.address, company.phone),
        state_registration=company.registration_in(company.address.state),
        st_state_registration=company.registration_in(destination_state) if elsewhere else None,
        municipal_registration=municipal,
        # The layout takes the activity only beside the municipal registration.
        cnae_code=company.cnae_code if municipal else None,
        tax_regime=company.tax_regime.crt,
        suframa_registration=company.suframa_registration,
    )


def recipient(body: RecipientBody, environment: Environment) -> layout.Recipient:
    """The buyer as the layout shows it; in homologation nobody's name may stand there (rule 598)."""
    cnpj, cpf = split_tax_id(body.tax_id)
    test = environment is Environment.HOMOLOGATION
    registration = body.state_registration
    name = _cut(body.name) if body.name else None
    return layout.Recipient(
        cnpj=cnpj,
        cpf=cpf,
        foreign_id=body.foreign_id or ("" if body.is_foreign and not body.tax_id else None),
        name=in_homologation(HOMOLOGATION_NAME, name, _LONGEST_NAME, "recipient.name") if test else name,
        address=_address(body),
        icms_contributor=contribution_of(body),
        state_registration=None if registration == EXEMPT else registration,
        suframa_registration=body.suframa_registration,
        municipal_registration=body.municipal_registration,
        email=body.email,
    )


def in_homologation(fixed: str, given: str | None, longest: int, path: str) -> str:
    """The text that homologation wants in a field, once what production would write there has been tried."""
    try:
        canonical.text(given or fixed, longest)
    except Unwritable as reason:
        raise Incomplete(Problem(SCHEMA_PROBLEM, path, f"O campo {reason}.")) from None
    return fixed


def contribution_of(body: RecipientBody) -> str:
    """`indIEDest`: 1 contributor, 2 exempt from registration, 9 neither (MOC 7.0, E16a)."""
    if body.state_registration is None:
        return "9"
    return "2" if body.state_registration == EXEMPT else "1"


def place(body: PlaceBody) -> layout.Place:
    """A place of pick-up or delivery."""
    cnpj, cpf = split_tax_id(body.tax_id)
    return layout.Place(
        cnpj=cnpj,
        cpf=cpf,
        name=body.name,
        street=body.street,
        number=body.number,
        complement=body.complement,
        district=body.district,
        city_code=body.city_code or "",
        city=body.city,
        state=body.state,
        zipcode=body.zipcode,
        country_code=BRAZIL,
        country="BRASIL",
        phone=body.phone,
        email=body.email,
        state_registration=body.state_registration,
    )


def reader(body: ReaderBody) -> layout.AuthorizedReader:
    """Someone who may download the document."""
    cnpj, cpf = split_tax_id(body.tax_id)
    return layout.AuthorizedReader(cnpj=cnpj, cpf=cpf)


def split_tax_id(tax_id: str | None) -> tuple[str | None, str | None]:
    """CNPJ and CPF have each an element of its own."""
    if tax_id is None:
        return None, None
    return (None, tax_id) if is_cpf(tax_id) else (tax_id, None)


def _address(body: RecipientBody) -> layout.Address | None:
    if body.address is None:
        return None
    if isinstance(body.address, ForeignAddress):
        return _abroad(body.address, body.phone)
    return _national(body.address, body.phone)


def _national(address: Address, phone: str | None) -> layout.Address:
    return layout.Address(
        street=address.street,
        number=address.number,
        complement=address.complement,
        district=address.district,
        city_code=address.city_code or "",
        city=address.city,
        state=address.state,
        zipcode=address.zipcode,
        country_code=BRAZIL,
        country="BRASIL",
        phone=phone,
    )


def _abroad(address: ForeignAddress, phone: str | None) -> layout.Address:
    """An address abroad, with the codes that the layout has for it (MOC 7.0, E10 to E12)."""
    return layout.Address(
        street=address.street,
        number=address.number,
        complement=address.complement,
        district=address.district,
        city_code="9999999",
        city="EXTERIOR",
        state="EX",
        country_code=address.country_code,
        country=address.country,
        phone=phone,
    )


def _cut(name: str) -> str:
    """A name of the federal registry may be longer than the layout's."""
    # The one character that becomes longer when it is written.
    return " ".join(name.split()).replace("…", "...")[:_LONGEST_NAME].rstrip()
