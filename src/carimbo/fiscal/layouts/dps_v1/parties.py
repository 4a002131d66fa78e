"""Who gives the service, who takes it, and the other persons of a DPS.

The provider is the company that issues, and the taker is the caller's `borrower`; they and who stands between
have one `taxId`. A supplier stands in a request body as it is: there a document says by its name which it is.
"""

from carimbo.fiscal.layouts.dps_v1.addresses import Address, PartyAddress
from carimbo.fiscal.layouts.group import INLINE, child, group, text


@group("regTrib")
class TaxRegime:
    """`regTrib`: how the provider is taxed."""

    simples: str = text("opSimpNac", 1, path="taxRegime")
    """1 outside of the Simples Nacional, 2 MEI, 3 ME or EPP."""
    simples_assessment: str | None = text("regApTribSN", 1, default=None)
    special: str = text("regEspTrib", 1, path="specialTaxRegime")


@group("prest")
class Provider:
    """`prest`: the company, as its record in the service has it."""

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
    regime: TaxRegime = child("regTrib", path=INLINE)


@group("toma")
class Taker:
    """`toma`, `interm`: who takes the service, and who stands between."""

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
    """`fornec`: who sold what is deducted."""

    cnpj: str | None = text("CNPJ", 14, default=None)
    cpf: str | None = text("CPF", 11, default=None)
    foreign_id: str | None = text("NIF", 40, default=None)
    no_foreign_id_reason: str | None = text("cNaoNIF", 1, default=None)
    caepf: str | None = text("CAEPF", 14, default=None)
    municipal_registration: str | None = text("IM", 15, default=None)
    name: str = text("xNome", 300)
    address: Address | None = child("end", default=None)
    phone: str | None = text("fone", 20, default=None)
    email: str | None = text("email", 80, default=None)
