"""Provider, taker and the other persons of a DPS, with their addresses.

The provider is the company that issues, and the taker is the caller's `borrower`; these two and the
intermediary have one `taxId` in the caller's JSON. A supplier is used in request bodies as declared here, so
its `cnpj` and `cpf` are separate fields.
"""

from carimbo.fiscal.layouts.group import INLINE, child, group, text


@group("endNac")
class NationalPlace:
    """`endNac`: municipality and CEP of an address in Brazil."""

    city_code: str = text("cMun", 7)
    zipcode: str = text("CEP", 8)


@group("endExt")
class ForeignPlace:
    """`endExt`: country, city and postal code of an address abroad."""

    country_code: str = text("cPais", 2)
    """Two letters of ISO 3166."""
    postal_code: str = text("cEndPost", 11)
    city: str = text("xCidade", 60)
    region: str = text("xEstProvReg", 60)


@group("endExt")
class ForeignSite:
    """`endExt` of a building site or an event, whose country is in another group."""

    postal_code: str = text("cEndPost", 11)
    city: str = text("xCidade", 60)
    region: str = text("xEstProvReg", 60)


@group("end")
class PartyAddress:
    """`end` of provider, taker and intermediary; in the caller's JSON the city is a field of the address."""

    national: NationalPlace | None = child("endNac", path=INLINE, default=None)
    foreign: ForeignPlace | None = child("endExt", path=INLINE, default=None)
    street: str = text("xLgr", 255)
    number: str = text("nro", 60)
    complement: str | None = text("xCpl", 156, default=None)
    district: str = text("xBairro", 60)


@group("end")
class ServiceAddress:
    """`end` of suppliers and recipients."""

    national: NationalPlace | None = child("endNac", default=None)
    foreign: ForeignPlace | None = child("endExt", default=None)
    street: str = text("xLgr", 255)
    number: str = text("nro", 60)
    complement: str | None = text("xCpl", 156, default=None)
    district: str = text("xBairro", 60)


@group("end")
class SiteAddress:
    """`end` of a building site, an event or a property."""

    zipcode: str | None = text("CEP", 8, default=None)
    foreign: ForeignSite | None = child("endExt", default=None)
    street: str = text("xLgr", 255)
    number: str = text("nro", 60)
    complement: str | None = text("xCpl", 156, default=None)
    district: str = text("xBairro", 60)


@group("regTrib")
class ProviderRegime:
    """`regTrib`: how the provider is taxed."""

    simples: str = text("opSimpNac", 1, path="taxRegime")
    """1 outside of the Simples Nacional, 2 MEI, 3 ME or EPP."""
    simples_assessment: str | None = text("regApTribSN", 1, default=None)
    special: str = text("regEspTrib", 1, path="specialTaxRegime")


@group("prest")
class Provider:
    """`prest`: the company that issues."""

    cnpj: str | None = text("CNPJ", 14, path="taxId", default=None)
    cpf: str | None = text("CPF", 11, path="taxId", default=None)
    foreign_id: str | None = text("NIF", 40, default=None)
    no_foreign_id_reason: str | None = text("cNaoNIF", 1, default=None)
    caepf: str | None = text("CAEPF", 14, default=None)
    municipal_registration: str | None = text("IM", 15, default=None)
    name: str | None = text("xNome", 300, path="legalName", default=None)
    address: PartyAddress | None = child("end", default=None)
    phone: str | None = text("fone", 20, default=None)
    email: str | None = text("email", 80, default=None)
    regime: ProviderRegime = child("regTrib", path=INLINE)


@group("toma")
class Taker:
    """`toma`, `interm`: the taker or the intermediary of the service."""

    cnpj: str | None = text("CNPJ", 14, path="taxId", default=None)
    cpf: str | None = text("CPF", 11, path="taxId", default=None)
    foreign_id: str | None = text("NIF", 40, default=None)
    no_foreign_id_reason: str | None = text("cNaoNIF", 1, default=None)
    caepf: str | None = text("CAEPF", 14, default=None)
    municipal_registration: str | None = text("IM", 15, default=None)
    name: str = text("xNome", 300)
    address: PartyAddress | None = child("end", default=None)
    phone: str | None = text("fone", 20, default=None)
    email: str | None = text("email", 80, default=None)


@group("fornec")
class Person:
    """`fornec`: the supplier of what is deducted."""

    cnpj: str | None = text("CNPJ", 14, default=None)
    cpf: str | None = text("CPF", 11, default=None)
    foreign_id: str | None = text("NIF", 40, default=None)
    no_foreign_id_reason: str | None = text("cNaoNIF", 1, default=None)
    caepf: str | None = text("CAEPF", 14, default=None)
    municipal_registration: str | None = text("IM", 15, default=None)
    name: str = text("xNome", 300)
    address: ServiceAddress | None = child("end", default=None)
    phone: str | None = text("fone", 20, default=None)
    email: str | None = text("email", 80, default=None)
