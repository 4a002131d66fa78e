"""The parties of a sale: as a body gives them, and as the layout writes them."""

from typing import Annotated, Any

from pydantic import BeforeValidator, Field, StringConstraints

from carimbo.fiscal.address import Address
from carimbo.fiscal.body_reading import reading_of, without_blanks
from carimbo.fiscal.coded import Coded
from carimbo.fiscal.company import Company, MunicipalRegistration, Name, Suframa, TradeName
from carimbo.fiscal.country_fields import BrazilCode
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.fields import Body, Email, Phone, RecipientRegistration, TaxId, Text
from carimbo.fiscal.findings import Findings, Incomplete
from carimbo.fiscal.goods.addresses import (
    BRAZIL_CODE,
    ELLIPSIS,
    ForeignAddress,
    RecipientAddress,
    as_written,
    national,
    recipient_address,
)
from carimbo.fiscal.goods.homologation import HOMOLOGATION_NAME
from carimbo.fiscal.layouts import canonical
from carimbo.fiscal.layouts.canonical import Unwritable
from carimbo.fiscal.layouts.nfe_v4 import parties as layout
from carimbo.fiscal.missing_fields import MAY_BE_MISSING, Missing
from carimbo.fiscal.party_address import is_in_brazil
from carimbo.fiscal.problems import MISSING_FIELD, SCHEMA_PROBLEM, Problem
from carimbo.fiscal.taxpayer import CPF_LENGTH

EXEMPT = "ISENTO"
_LONGEST_NAME = 60
_NAME_IS_CUT = "recipient.name: O nome é cortado em 60 caracteres, pois o leiaute não tem mais."


def _mark_missing(recipient: Any) -> Any:
    """Marks id and name as missing in a recipient without an id.

    With an id the name is looked for later: it may be that of a known customer.
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
"""Reports a recipient without any id together with everything else that is wrong with a body."""


class Contribution(Coded):
    """What the buyer is for ICMS (`indIEDest`)."""

    CONTRIBUTOR = "contributor", "1"
    EXEMPT = "exempt", "2"
    NONE = "none", "9"


class RecipientBody(Body):
    """Who buys; a foreigner has `foreignId` in the place of `taxId`."""

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
        """Whether the buyer lives abroad."""
        return isinstance(self.address, ForeignAddress)


class PlaceBody(Address):
    """Where goods are picked up or delivered, and who is there."""

    country_code: BrazilCode | None = Field(default=None, description="BR ou 1058; pode faltar.")
    tax_id: TaxId | None = Field(default=None, description="CPF ou CNPJ de quem está no local.")
    name: Text | None = Field(default=None, description="Nome ou razão social de quem está no local.")
    state_registration: RecipientRegistration | None = Field(
        default=None, description="Inscrição estadual de quem está no local."
    )
    email: Email | None = Field(default=None, description="E-mail de quem está no local.")
    phone: Phone | None = Field(default=None, description="Telefone do local, com DDD.")


class ReaderBody(Body):
    """Someone else who may download the document."""

    tax_id: TaxId = Field(description="CPF ou CNPJ de quem pode baixar o XML.")


def issuer(company: Company, destination_state: str) -> layout.Issuer:
    """The company as the layout shows it; a registration at the buyer's state is that of the substitute."""
    elsewhere = destination_state != company.address.state
    municipal = company.municipal_registration
    return layout.Issuer(
        cnpj=company.tax_id,
        name=_cut(company.legal_name),
        trade_name=company.trade_name,
        address=national(company.address, company.phone),
        state_registration=company.registration_in(company.address.state),
        st_state_registration=company.registration_in(destination_state) if elsewhere else None,
        municipal_registration=municipal,
        # The layout takes the activity only beside the municipal registration.
        cnae_code=company.cnae_code if municipal else None,
        tax_regime=company.tax_regime.crt,
        suframa_registration=company.suframa_registration,
    )


def recipient(
    body: RecipientBody, environment: Environment, findings: Findings, address_rule: str | None
) -> layout.Recipient:
    """Returns the buyer as the layout shows it; in homologation nobody's name may stand there (rule 598).

    `address_rule` is the code of the rule that demands the address. Without one, an incomplete address is
    left out with a warning.
    """
    _refuse_other_than_one_id(body)
    cnpj, cpf = split_tax_id(body.tax_id)
    test = environment is Environment.HOMOLOGATION
    registration = body.state_registration
    name = _cut(body.name) if body.name else None
    if body.name and len(as_written(body.name)) > _LONGEST_NAME:
        findings.assumed(_NAME_IS_CUT)
    return layout.Recipient(
        cnpj=cnpj,
        cpf=cpf,
        foreign_id=body.foreign_id or ("" if body.is_foreign and not body.tax_id else None),
        name=in_homologation(HOMOLOGATION_NAME, name, _LONGEST_NAME, "recipient.name") if test else name,
        address=recipient_address(body.address, body.phone, findings, address_rule),
        icms_contributor=contribution_of(body).code,
        state_registration=None if registration == EXEMPT else registration,
        suframa_registration=body.suframa_registration,
        municipal_registration=body.municipal_registration,
        email=body.email,
    )


def _refuse_other_than_one_id(body: RecipientBody) -> None:
    if body.tax_id and body.foreign_id:
        message = "Informe taxId ou foreignId, não os dois."
        source = "Leiaute da NF-e 4.00, E02"
        raise Incomplete(Problem(SCHEMA_PROBLEM, "recipient.taxId", message, source=source))
    if not (body.tax_id or body.foreign_id or body.is_foreign):
        message = "Campo obrigatório: informe CPF ou CNPJ, ou foreignId de um estrangeiro."
        raise Incomplete(Problem(MISSING_FIELD, "recipient.taxId", message))


def in_homologation(fixed: str, given: str | None, longest: int, path: str) -> str:
    """The text that homologation wants in a field, once what production would write there has been tried."""
    try:
        canonical.text(given or fixed, longest)
    except Unwritable as reason:
        raise Incomplete(Problem(SCHEMA_PROBLEM, path, f"O campo {reason}.")) from None
    return fixed


def contribution_of(body: RecipientBody) -> Contribution:
    """As the caller says, else by the registration (MOC 7.0, E16a)."""
    if body.icms_contribution:
        return body.icms_contribution
    if body.state_registration is None:
        return Contribution.NONE
    return Contribution.EXEMPT if body.state_registration == EXEMPT else Contribution.CONTRIBUTOR


def place(body: PlaceBody, usual_tax_id: str | None) -> layout.Place:
    """A place of pick-up or delivery: the party's own unless the caller says whose."""
    tax_id = body.tax_id or usual_tax_id
    # The layout wants one of the two, and lets a foreigner's be empty (MOC 7.0, F02 and G02).
    cnpj, cpf = split_tax_id(tax_id) if tax_id else ("", None)
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
        country_code=BRAZIL_CODE,
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
    return (None, tax_id) if len(tax_id) == CPF_LENGTH else (tax_id, None)


def _cut(name: str) -> str:
    """A name of the federal registry may be longer than the layout's."""
    if len(name) <= _LONGEST_NAME and ELLIPSIS not in name:
        return name
    return as_written(name)[:_LONGEST_NAME].rstrip()
