"""Groups that only some operations need: notes, intermediary, export, purchase, sugar cane, farming."""

from decimal import Decimal

from carimbo.fiscal.layouts.group import INLINE, attribute, child, children, decimal, group, text


@group("infIntermed")
class Intermediary:
    """`infIntermed`: the marketplace or delivery platform of the sale (NT 2020.006)."""

    cnpj: str = text("CNPJ", 14, path="taxId")
    seller_id: str = text("idCadIntTran", 60)


@group("obsCont")
class Observation:
    """`obsCont`, `obsFisco`: a free named value."""

    name: str = attribute("xCampo", 20)
    value: str = text("xTexto", 60)


@group("procRef")
class Process:
    """`procRef`: the administrative or judicial process behind an operation."""

    number: str = text("nProc", 60)
    origin: str = text("indProc", 1)
    act_type: str | None = text("tpAto", 2, default=None)


@group("infAdic")
class AdditionalInformation:
    """`infAdic`: notes to the buyer and to the authority."""

    authority_notes: str | None = text("infAdFisco", 2000, default=None)
    notes: str | None = text("infCpl", 5000, default=None)
    observations: tuple[Observation, ...] = children("obsCont", 10, default=())
    authority_observations: tuple[Observation, ...] = children("obsFisco", 10, default=())
    processes: tuple[Process, ...] = children("procRef", 100, default=())


@group("exporta")
class Export:
    """`exporta`: where the goods leave the country."""

    state: str = text("UFSaidaPais", 2)
    exit_place: str = text("xLocExporta", 60)
    dispatch_place: str | None = text("xLocDespacho", 60, default=None)


@group("compra")
class Purchase:
    """`compra`: the buyer's own references to the purchase."""

    commitment_note: str | None = text("xNEmp", 22, default=None)
    order: str | None = text("xPed", 60, default=None)
    contract: str | None = text("xCont", 60, default=None)


@group("forDia")
class DailySupply:
    """`forDia`: the cane of one day of the month, in kilograms."""

    day_of_month: int = attribute("dia", 2)
    quantity: Decimal = decimal("qtde", 10)


@group("deduc")
class Deduction:
    """`deduc`: a fee deducted from the price of the cane."""

    description: str = text("xDed", 60)
    amount: Decimal = decimal("vDed")


@group("cana")
class SugarCane:
    """`cana`: a month of sugar cane bought from a supplier."""

    harvest: str = text("safra", 9)
    reference_month: str = text("ref", 7)
    supplies: tuple[DailySupply, ...] = children("forDia", 31)
    month_quantity: Decimal = decimal("qTotMes", 10)
    previous_quantity: Decimal = decimal("qTotAnt", 10)
    total_quantity: Decimal = decimal("qTotGer", 10)
    deductions: tuple[Deduction, ...] = children("deduc", 10, default=())
    amount: Decimal = decimal("vFor")
    deductions_amount: Decimal = decimal("vTotDed")
    net_amount: Decimal = decimal("vLiqFor")


@group("infSolicNFF")
class NffRequest:
    """`infSolicNFF`: the request behind a document of the simplified issuer (NFF) (NT 2021.002)."""

    request: str = text("xSolic", 5000, path=INLINE)


@group("defensivo")
class Pesticide:
    """`defensivo`: the prescription for a pesticide (NT 2024.003)."""

    prescription: str = text("nReceituario", 30)
    agronomist_cpf: str = text("CPFRespTec", 11, path="agronomistTaxId")


@group("guiaTransito")
class TransitPermit:
    """`guiaTransito`: the transit permit of animals, plants or timber (NT 2024.003)."""

    kind: str = text("tpGuia", 1)
    state: str = text("UFGuia", 2)
    series: str | None = text("serieGuia", 9, default=None)
    number: str = text("nGuia", 9)


@group("agropecuario")
class Farming:
    """`agropecuario`: papers that must accompany farming goods."""

    pesticides: tuple[Pesticide, ...] = children("defensivo", 20, default=())
    transit_permit: TransitPermit | None = child("guiaTransito", default=None)


# 4096 bits, the longest RSA key of ICP-Brasil (DOC-ICP-01.01), in Base64; the XSD sets no limit.
_RSA_BASE64 = 684


@group("RSAKeyValue")
class RsaKey:
    """`RSAKeyValue`: the issuer's public key, in Base64."""

    modulus: str = text("Modulus", _RSA_BASE64)
    exponent: str = text("Exponent", _RSA_BASE64)


@group("PAASignature")
class IssuerSignature:
    """`PAASignature`: the issuer's own signature in a document that the provider signs."""

    value: str = text("SignatureValue", _RSA_BASE64)
    key: RsaKey = child("RSAKeyValue")


@group("infPAA")
class SignatureProvider:
    """`infPAA`: the provider of signature and authorization that issues for another company."""

    cnpj: str = text("CNPJPAA", 14, path="taxId")
    signature: IssuerSignature = child("PAASignature")
