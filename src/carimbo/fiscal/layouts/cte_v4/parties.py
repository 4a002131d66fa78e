"""The parties of a CT-e: issuer, sender, dispatcher, receiver, recipient and taker.

The layout has the CEP before the state, and a party abroad with an empty CNPJ.
"""

from carimbo.fiscal.layouts.group import INLINE, child, group, text


@group("enderToma")
class WaybillAddress:
    """`enderReme`, `enderExped`, `enderReceb`, `enderDest`, `enderToma`: the address of a party."""

    street: str = text("xLgr", 255)
    number: str = text("nro", 60)
    complement: str | None = text("xCpl", 60, default=None)
    district: str = text("xBairro", 60)
    city_code: str = text("cMun", 7)
    city: str = text("xMun", 60)
    zipcode: str | None = text("CEP", 8, default=None)
    state: str = text("UF", 2)
    country_code: str | None = text("cPais", 4, default=None)
    country: str | None = text("xPais", 60, default=None)


@group("enderEmit")
class CarrierAddress:
    """`enderEmit`: the address of the carrier, with its telephone."""

    street: str = text("xLgr", 60, path="address.street")
    number: str = text("nro", 60, path="address.number")
    complement: str | None = text("xCpl", 60, path="address.complement", default=None)
    district: str = text("xBairro", 60, path="address.district")
    city_code: str = text("cMun", 7, path="address.cityCode")
    city: str = text("xMun", 60, path="address.city")
    zipcode: str | None = text("CEP", 8, path="address.zipcode", default=None)
    state: str = text("UF", 2, path="address.state")
    phone: str | None = text("fone", 14, default=None)


@group("emit")
class WaybillIssuer:
    """`emit`: the carrier."""

    cnpj: str | None = text("CNPJ", 14, path="taxId", default=None)
    cpf: str | None = text("CPF", 11, path="taxId", default=None)
    state_registration: str | None = text("IE", 14, path="stateRegistrations", default=None)
    st_state_registration: str | None = text("IEST", 14, path="stateRegistrations", default=None)
    name: str = text("xNome", 60, path="legalName")
    trade_name: str | None = text("xFant", 60, default=None)
    address: CarrierAddress = child("enderEmit", path=INLINE)
    tax_regime: str = text("CRT", 1)
    suframa_registration: str | None = text("ISUFEmit", 9, default=None)


@group("rem")
class CargoSender:
    """`rem`: the sender of the cargo."""

    cnpj: str | None = text("CNPJ", 14, path="taxId", default=None, may_be_empty=True)
    cpf: str | None = text("CPF", 11, path="taxId", default=None)
    state_registration: str | None = text("IE", 14, default=None)
    name: str = text("xNome", 60)
    trade_name: str | None = text("xFant", 60, default=None)
    phone: str | None = text("fone", 14, default=None)
    address: WaybillAddress = child("enderReme")
    email: str | None = text("email", 60, default=None)


@group("exped")
class CargoDispatcher:
    """`exped`: the party that hands the cargo over to this carrier."""

    cnpj: str | None = text("CNPJ", 14, path="taxId", default=None, may_be_empty=True)
    cpf: str | None = text("CPF", 11, path="taxId", default=None)
    state_registration: str | None = text("IE", 14, default=None)
    name: str = text("xNome", 60)
    phone: str | None = text("fone", 14, default=None)
    address: WaybillAddress = child("enderExped")
    email: str | None = text("email", 60, default=None)


@group("receb")
class CargoReceiver:
    """`receb`: the party that takes the cargo from this carrier."""

    cnpj: str | None = text("CNPJ", 14, path="taxId", default=None, may_be_empty=True)
    cpf: str | None = text("CPF", 11, path="taxId", default=None)
    state_registration: str | None = text("IE", 14, default=None)
    name: str = text("xNome", 60)
    phone: str | None = text("fone", 14, default=None)
    address: WaybillAddress = child("enderReceb")
    email: str | None = text("email", 60, default=None)


@group("dest")
class CargoRecipient:
    """`dest`: the recipient of the cargo."""

    cnpj: str | None = text("CNPJ", 14, path="taxId", default=None, may_be_empty=True)
    cpf: str | None = text("CPF", 11, path="taxId", default=None)
    state_registration: str | None = text("IE", 14, default=None)
    name: str = text("xNome", 60)
    phone: str | None = text("fone", 14, default=None)
    suframa_registration: str | None = text("ISUF", 9, default=None)
    address: WaybillAddress = child("enderDest")
    email: str | None = text("email", 60, default=None)


@group("toma3")
class TakerByRole:
    """`toma3`: one of the other parties takes the service: sender, dispatcher, receiver or recipient."""

    role: str = text("toma", 1, path="taker")


@group("toma4")
class OtherTaker:
    """`toma4`: a further party takes the service."""

    role: str = text("toma", 1, path="/taker", default="4")
    cnpj: str | None = text("CNPJ", 14, path="taxId", default=None, may_be_empty=True)
    cpf: str | None = text("CPF", 11, path="taxId", default=None)
    state_registration: str | None = text("IE", 14, default=None)
    name: str = text("xNome", 60)
    trade_name: str | None = text("xFant", 60, default=None)
    phone: str | None = text("fone", 14, default=None)
    address: WaybillAddress = child("enderToma")
    email: str | None = text("email", 60, default=None)


CargoParty = CargoSender | CargoDispatcher | CargoReceiver | CargoRecipient | OtherTaker
"""A party other than the issuer."""
