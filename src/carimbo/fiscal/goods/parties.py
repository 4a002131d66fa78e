"""The parties and addresses of a sale as groups of the layout of NF-e and NFC-e."""

from carimbo.fiscal.environment import Environment
from carimbo.fiscal.layouts.filling import HOMOLOGATION_NAME, in_homologation
from carimbo.fiscal.layouts.nfe_v4 import parties as layout
from carimbo.fiscal.parties.address import PartialAddress
from carimbo.fiscal.parties.company import Company
from carimbo.fiscal.parties.party_address import left_out_warning, missing_fields, missing_lines
from carimbo.fiscal.parties.recipient import (
    BRAZIL_CODE,
    EXEMPT,
    MAX_NAME_LENGTH,
    ForeignAddress,
    PlaceBody,
    RecipientAddress,
    RecipientBody,
    as_written,
    contribution_of,
    shortened_name,
    split_tax_id,
)
from carimbo.fiscal.problems import MISSING_FIELD, SCHEMA_PROBLEM, Findings, Incomplete, Problem
from carimbo.fiscal.tables.geography import find_country

_MAX_LINE_LENGTH = 60
_NAME_IS_CUT = "recipient.name: O nome é cortado em 60 caracteres, pois o leiaute não tem mais."
# In the layout the CEP is optional, and places abroad have fixed city codes (MOC 7.0, E05 to E16).
NEEDED_ABROAD = ("street", "number", "district")
NEEDED_IN_BRAZIL = (*NEEDED_ABROAD, "city", "state")
"""The lines of an address without which an NF-e can't be issued, by names of our JSON."""


def issuer_group(company: Company, destination_state: str) -> layout.Issuer:
    """Returns the issuer; with its registration as a tax substitute in the state of destination, if any."""
    is_interstate = destination_state != company.address.state
    municipal = company.municipal_registration
    return layout.Issuer(
        cnpj=company.tax_id,
        name=shortened_name(company.legal_name),
        trade_name=company.trade_name,
        address=national_address(company.address, company.phone),
        state_registration=company.registration_in(company.address.state),
        st_state_registration=company.registration_in(destination_state) if is_interstate else None,
        municipal_registration=municipal,
        # The layout allows the activity only together with the municipal registration.
        cnae_code=company.cnae_code if municipal else None,
        tax_regime=company.tax_regime.crt,
        suframa_registration=company.suframa_registration,
    )


def recipient_group(
    body: RecipientBody, environment: Environment, findings: Findings, address_rule: str | None
) -> layout.Recipient:
    """Returns the recipient; in homologation with the fixed name instead of the real one (rule 598).

    `address_rule` is the code of the rule that demands the address. Without one, an incomplete address is
    left out with a warning.
    """
    _require_one_id(body)
    cnpj, cpf = split_tax_id(body.tax_id)
    is_test = environment is Environment.HOMOLOGATION
    registration = body.state_registration
    name = shortened_name(body.name) if body.name else None
    if name != body.name and len(as_written(body.name or "")) > MAX_NAME_LENGTH:
        findings.add_warning(_NAME_IS_CUT)
    return layout.Recipient(
        cnpj=cnpj,
        cpf=cpf,
        foreign_id=body.foreign_id or ("" if body.is_foreign and not body.tax_id else None),
        name=in_homologation(HOMOLOGATION_NAME, name, MAX_NAME_LENGTH, "recipient.name") if is_test else name,
        address=recipient_address(body.address, body.phone, findings, address_rule),
        icms_contributor=contribution_of(body).code,
        state_registration=None if registration == EXEMPT else registration,
        suframa_registration=body.suframa_registration,
        municipal_registration=body.municipal_registration,
        email=body.email,
    )


def _require_one_id(body: RecipientBody) -> None:
    if body.tax_id and body.foreign_id:
        message = "Informe taxId ou foreignId, não os dois."
        source = "Leiaute da NF-e 4.00, E02"
        raise Incomplete(Problem(SCHEMA_PROBLEM, "recipient.taxId", message, source=source))
    if not (body.tax_id or body.foreign_id or body.is_foreign):
        message = "Campo obrigatório: informe CPF ou CNPJ, ou foreignId de um estrangeiro."
        raise Incomplete(Problem(MISSING_FIELD, "recipient.taxId", message))


def place_group(body: PlaceBody, usual_tax_id: str | None) -> layout.PickupOrDelivery:
    """Returns a place of pick-up or delivery; without a tax id it belongs to the party itself."""
    tax_id = body.tax_id or usual_tax_id
    # The layout requires CNPJ or CPF, which may be empty for foreigners (MOC 7.0, F02 and G02).
    cnpj, cpf = split_tax_id(tax_id) if tax_id else ("", None)
    return layout.PickupOrDelivery(
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


def recipient_address(
    address: RecipientAddress | None, phone: str | None, findings: Findings, rule: str | None
) -> layout.InvoiceAddress | None:
    """Returns the address of the recipient with the telephone; None if fields are missing.

    `rule` is the code of the rule that demands the address. Without one, an incomplete address is left out
    with a warning.
    """
    if address is None:
        return None
    is_abroad = isinstance(address, ForeignAddress)
    missing = missing_fields(address, NEEDED_ABROAD if is_abroad else NEEDED_IN_BRAZIL)
    if not missing:
        return (
            _abroad(address, phone)
            if isinstance(address, ForeignAddress)
            else national_address(address, phone)
        )
    if rule is None:
        findings.add_warning(left_out_warning("recipient.address", missing))
    else:
        findings.add_problems(_address_problem(rule, name) for name in missing)
    return None


def _address_problem(rule: str, field: str) -> Problem:
    path = f"recipient.address.{field}"
    message = f"O documento precisa do endereço do destinatário, em que falta {missing_lines([field])}."
    return Problem(rule, path, message, f"Informe {path}.", "Leiaute da NF-e 4.00, E05")


def national_address(address: PartialAddress, phone: str | None) -> layout.InvoiceAddress:
    """Returns an address in Brazil with the telephone."""
    return layout.InvoiceAddress(
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


def _abroad(address: ForeignAddress, phone: str | None) -> layout.InvoiceAddress:
    """Returns an address abroad, with the fixed codes of the layout (MOC 7.0, E10 to E12).

    The layout has no element for a city abroad, so it is added to the complement, for XML and DANFE.
    """
    own, city = address.complement or "", address.city or ""
    complement = own if city.casefold() in own.casefold() else ", ".join(filter(None, (own, city)))
    country = find_country(address.country_code)
    return layout.InvoiceAddress(
        street=address.street or "",
        number=address.number or "",
        complement=(complement if len(as_written(complement)) <= _MAX_LINE_LENGTH else own) or None,
        district=address.district or "",
        city_code="9999999",
        city="EXTERIOR",
        state="EX",
        country_code=country.code if country else address.country_code,
        country=address.country or (country.name if country else None),
        phone=phone,
    )
