"""What the authority makes of a DPS (`infNFSe`): its own data around the declaration of the issuer."""

from datetime import datetime
from decimal import Decimal

from carimbo.fiscal.layouts.dps_v1.computed_reform import ComputedReform
from carimbo.fiscal.layouts.dps_v1.service_note import ServiceNote
from carimbo.fiscal.layouts.group import attribute, child, decimal, group, integer, moment, text


@group("enderNac")
class IssuerAddress:
    """`enderNac`: where the issuer is registered."""

    street: str = text("xLgr", 255)
    number: str = text("nro", 60)
    complement: str | None = text("xCpl", 156, default=None)
    district: str = text("xBairro", 60)
    city_code: str = text("cMun", 7)
    state: str = text("UF", 2)
    zipcode: str = text("CEP", 8)


@group("emit")
class NoteIssuer:
    """`emit`: who issued, as the authority has it registered."""

    cnpj: str | None = text("CNPJ", 14, default=None)
    cpf: str | None = text("CPF", 11, default=None)
    municipal_registration: str | None = text("IM", 15, default=None)
    name: str = text("xNome", 300)
    trade_name: str | None = text("xFant", 150, default=None)
    address: IssuerAddress = child("enderNac")
    phone: str | None = text("fone", 20, default=None)
    email: str | None = text("email", 80, default=None)


@group("valores")
class ComputedAmounts:
    """`valores`: the ISS, what is withheld, and what is left to be paid."""

    deduction: Decimal | None = decimal("vCalcDR", default=None)
    benefit_kind: str | None = text("tpBM", 1, default=None)
    benefit: Decimal | None = decimal("vCalcBM", default=None)
    base: Decimal | None = decimal("vBC", default=None)
    rate: Decimal | None = decimal("pAliqAplic", default=None)
    iss: Decimal | None = decimal("vISSQN", default=None)
    withheld: Decimal | None = decimal("vTotalRet", default=None)
    net: Decimal = decimal("vLiq")


@group("DPS")
class Declaration:
    """`DPS`: what the issuer signed."""

    version: str = attribute("versao", 4)
    note: ServiceNote = child("infDPS")


@group("infNFSe")
class IssuedNote:
    """`infNFSe`: everything that the authority signs."""

    id: str = attribute("Id", 53)
    issue_city: str = text("xLocEmi", 150)
    service_place: str = text("xLocPrestacao", 150)
    number: int = integer("nNFSe")
    incidence_city_code: str | None = text("cLocIncid", 7, default=None)
    incidence_city: str | None = text("xLocIncid", 150, default=None)
    national_service: str = text("xTribNac", 600)
    city_service: str | None = text("xTribMun", 600, default=None)
    nbs: str | None = text("xNBS", 600, default=None)
    application_version: str = text("verAplic", 20)
    generator: str = text("ambGer", 1)
    """1 the municipality's own system, 2 the national one."""
    emission_type: str = text("tpEmis", 1)
    emission_process: str | None = text("procEmi", 1, default=None)
    status: str = text("cStat", 3)
    processed_at: datetime = moment("dhProc")
    document_number: int = integer("nDFSe")
    """Place of the note among all documents of its system."""
    issuer: NoteIssuer = child("emit")
    amounts: ComputedAmounts = child("valores")
    city_notes: str | None = text("xOutInf", 2000, default=None)
    ibs_cbs: ComputedReform | None = child("IBSCBS", default=None)
    declaration: Declaration = child("DPS")
