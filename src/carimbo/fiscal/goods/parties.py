"""The parties and addresses of a sale, as the layout of NF-e and NFC-e writes them."""

from carimbo.fiscal.address import PartialAddress
from carimbo.fiscal.company import Company
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.findings import Findings, Incomplete
from carimbo.fiscal.homologation import HOMOLOGATION_NAME, in_homologation
from carimbo.fiscal.layouts.nfe_v4 import parties as layout
from carimbo.fiscal.parties import (
    BRAZIL_CODE,
    EXEMPT,
    LONGEST_NAME,
    ForeignAddress,
    PlaceBody,
    ReaderBody,
    RecipientAddress,
    RecipientBody,
    as_written,
    contribution_of,
    shortened_name,
    split_tax_id,
)
from carimbo.fiscal.party_address import left_out_warning, missing_fields, missing_in_words
from carimbo.fiscal.problems import MISSING_FIELD, SCHEMA_PROBLEM, Problem
from carimbo.fiscal.tables.countries import find_country

_LONGEST_LINE = 60
_NAME_IS_CUT = "recipient.name: O nome é cortado em 60 caracteres, pois o leiaute não tem mais."
# The layout has CEP as optional, and codes of its own for a municipality abroad (MOC 7.0, E05 to E16).
_NEEDED_ABROAD = ("street", "number", "district")
_NEEDED_IN_BRAZIL = (*_NEEDED_ABROAD, "city", "state")


def issuer(company: Company, destination_state: str) -> layout.Issuer:
    """Returns the company as the layout shows it, with the registration of a substitute elsewhere."""
    elsewhere = destination_state != company.address.state
    municipal = company.municipal_registration
    return layout.Issuer(
        cnpj=company.tax_id,
        name=shortened_name(company.legal_name),
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
    """Returns the buyer as the layout shows it; homologation allows nobody's name (rule 598).

    `address_rule` is the code of the rule that demands the address. Without one, an incomplete address is
    left out with a warning.
    """
    _refuse_other_than_one_id(body)
    cnpj, cpf = split_tax_id(body.tax_id)
    test = environment is Environment.HOMOLOGATION
    registration = body.state_registration
    name = shortened_name(body.name) if body.name else None
    if body.name and len(as_written(body.name)) > LONGEST_NAME:
        findings.assumed(_NAME_IS_CUT)
    return layout.Recipient(
        cnpj=cnpj,
        cpf=cpf,
        foreign_id=body.foreign_id or ("" if body.is_foreign and not body.tax_id else None),
        name=in_homologation(HOMOLOGATION_NAME, name, LONGEST_NAME, "recipient.name") if test else name,
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


def place(body: PlaceBody, usual_tax_id: str | None) -> layout.Place:
    """Returns a place of pick-up or delivery, which is the party's own unless the caller says whose."""
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
    """Returns someone who may download the document."""
    cnpj, cpf = split_tax_id(body.tax_id)
    return layout.AuthorizedReader(cnpj=cnpj, cpf=cpf)


def recipient_address(
    address: RecipientAddress | None, phone: str | None, findings: Findings, rule: str | None
) -> layout.Address | None:
    """Returns the address of a buyer as the layout shows it, with the telephone; None if lines are missing.

    `rule` is the code of the rule that demands the address. Without one, an incomplete address is left out
    with a warning.
    """
    if address is None:
        return None
    is_abroad = isinstance(address, ForeignAddress)
    missing = missing_fields(address, _NEEDED_ABROAD if is_abroad else _NEEDED_IN_BRAZIL)
    if not missing:
        return _abroad(address, phone) if isinstance(address, ForeignAddress) else national(address, phone)
    if rule is None:
        findings.assumed(left_out_warning("recipient.address", missing))
    else:
        findings.missed_all(_address_problem(rule, name) for name in missing)
    return None


def _address_problem(rule: str, field: str) -> Problem:
    path = f"recipient.address.{field}"
    message = f"O documento precisa do endereço do destinatário, em que falta {missing_in_words([field])}."
    return Problem(rule, path, message, f"Informe {path}.", "Leiaute da NF-e 4.00, E05")


def national(address: PartialAddress, phone: str | None) -> layout.Address:
    """Returns an address in Brazil as the layout shows it, with the telephone."""
    return layout.Address(
        street=address.street or "",
        number=address.number or "",
        complement=address.complement,
        district=address.district or "",
        city_code=address.city_code or "",
        city=address.city or "",
        state=address.state or "",
        zipcode=address.zipcode,
        country_code=BRAZIL_CODE,
        country="BRASIL",
        phone=phone,
    )


def _abroad(address: ForeignAddress, phone: str | None) -> layout.Address:
    """Returns an address abroad, with the codes that the layout has for it (MOC 7.0, E10 to E12).

    The layout has no element for a city abroad. It goes into the complement, so that XML and DANFE have it.
    """
    own, city = address.complement or "", address.city or ""
    complement = own if city.casefold() in own.casefold() else ", ".join(filter(None, (own, city)))
    country = find_country(address.country_code)
    return layout.Address(
        street=address.street or "",
        number=address.number or "",
        complement=(complement if len(as_written(complement)) <= _LONGEST_LINE else own) or None,
        district=address.district or "",
        city_code="9999999",
        city="EXTERIOR",
        state="EX",
        country_code=country.code if country else address.country_code,
        country=address.country or (country.name if country else None),
        phone=phone,
    )
