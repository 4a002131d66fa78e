"""Issuer, recipient, and places of pickup and delivery of an invoice.

In the caller's JSON every party has `address` and, beside it, `phone`; the layout has the telephone among the
lines of the address, or the address among those of the party. Hence the paths.
"""

from carimbo.fiscal.layouts.group import INLINE, child, group, text


@group("enderDest")
class InvoiceAddress:
    """`enderEmit`, `enderDest`: the address of a party, with its telephone."""

    street: str = text("xLgr", 60, path="address.street")
    number: str = text("nro", 60, path="address.number")
    complement: str | None = text("xCpl", 60, path="address.complement", default=None)
    district: str = text("xBairro", 60, path="address.district")
    city_code: str = text("cMun", 7, path="address.cityCode")
    city: str = text("xMun", 60, path="address.city")
    state: str = text("UF", 2, path="address.state")
    zipcode: str | None = text("CEP", 8, path="address.zipcode", default=None)
    country_code: str | None = text("cPais", 4, path="address.countryCode", default=None)
    country: str | None = text("xPais", 60, path="address.country", default=None)
    phone: str | None = text("fone", 14, default=None)


@group("emit")
class Issuer:
    """`emit`: the company that issues."""

    cnpj: str | None = text("CNPJ", 14, path="taxId", default=None)
    cpf: str | None = text("CPF", 11, path="taxId", default=None)
    name: str = text("xNome", 60, path="legalName")
    trade_name: str | None = text("xFant", 60, default=None)
    address: InvoiceAddress = child("enderEmit", path=INLINE)
    state_registration: str | None = text("IE", 14, path="stateRegistrations", default=None)
    st_state_registration: str | None = text("IEST", 14, path="stateRegistrations", default=None)
    municipal_registration: str | None = text("IM", 15, default=None)
    cnae_code: str | None = text("CNAE", 7, default=None)
    tax_regime: str = text("CRT", 1)
    suframa_registration: str | None = text("ISUFEmit", 9, default=None)


@group("dest")
class Recipient:
    """`dest`: the buyer or recipient of the goods."""

    cnpj: str | None = text("CNPJ", 14, path="taxId", default=None)
    cpf: str | None = text("CPF", 11, path="taxId", default=None)
    foreign_id: str | None = text("idEstrangeiro", 20, default=None, may_be_empty=True)
    """Passport or similar; empty for a foreigner without a document."""
    name: str | None = text("xNome", 60, default=None)
    address: InvoiceAddress | None = child("enderDest", path=INLINE, default=None)
    icms_contributor: str = text("indIEDest", 1)
    state_registration: str | None = text("IE", 14, default=None)
    suframa_registration: str | None = text("ISUF", 9, default=None)
    municipal_registration: str | None = text("IM", 15, default=None)
    email: str | None = text("email", 60, default=None)


@group("entrega")
class PickupOrDelivery:
    """`retirada`, `entrega`: where goods are picked up or delivered, when it is not at the parties' own."""

    cnpj: str | None = text("CNPJ", 14, path="taxId", default=None, may_be_empty=True)
    cpf: str | None = text("CPF", 11, path="taxId", default=None)
    name: str | None = text("xNome", 60, default=None)
    street: str = text("xLgr", 60)
    number: str = text("nro", 60)
    complement: str | None = text("xCpl", 60, default=None)
    district: str = text("xBairro", 60)
    city_code: str = text("cMun", 7)
    city: str = text("xMun", 60)
    state: str = text("UF", 2)
    zipcode: str | None = text("CEP", 8, default=None)
    country_code: str | None = text("cPais", 4, default=None)
    country: str | None = text("xPais", 60, default=None)
    phone: str | None = text("fone", 14, default=None)
    email: str | None = text("email", 60, default=None)
    state_registration: str | None = text("IE", 14, default=None)


@group("infRespTec")
class TechnicalResponsible:
    """`infRespTec`: the technical contact for the software (NT 2018.005)."""

    cnpj: str = text("CNPJ", 14, path="taxId")
    contact: str = text("xContato", 60)
    email: str = text("email", 60)
    phone: str = text("fone", 14)
    csrt_id: str | None = text("idCSRT", 2, default=None)
    csrt_hash: str | None = text("hashCSRT", 28, default=None)
