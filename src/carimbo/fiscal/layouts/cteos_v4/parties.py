"""The parties of a CT-e OS: issuer and taker."""

from carimbo.fiscal.layouts.cte_v4.parties import CarrierAddress, WaybillAddress
from carimbo.fiscal.layouts.group import INLINE, child, group, text


@group("emit")
class OsIssuer:
    """`emit`: the carrier, which is a company with a state registration."""

    cnpj: str = text("CNPJ", 14, path="taxId")
    state_registration: str = text("IE", 14, path="stateRegistrations")
    """Empty only in documents that a rule refuses (229)."""
    st_state_registration: str | None = text("IEST", 14, path="stateRegistrations", default=None)
    name: str = text("xNome", 60, path="legalName")
    trade_name: str | None = text("xFant", 60, default=None)
    address: CarrierAddress = child("enderEmit", path=INLINE)
    tax_regime: str = text("CRT", 1)
    suframa_registration: str | None = text("ISUFEmit", 9, default=None)


@group("toma")
class OsTaker:
    """`toma`: the party that takes the service."""

    cnpj: str | None = text("CNPJ", 14, path="taxId", default=None, may_be_empty=True)
    cpf: str | None = text("CPF", 11, path="taxId", default=None)
    state_registration: str | None = text("IE", 14, default=None)
    name: str = text("xNome", 60)
    trade_name: str | None = text("xFant", 60, default=None)
    phone: str | None = text("fone", 14, default=None)
    address: WaybillAddress = child("enderToma")
    email: str | None = text("email", 60, default=None)
