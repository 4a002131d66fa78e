"""The issued note (`infNFSe`): the authority's data and computed amounts, and the issuer's DPS."""

from datetime import datetime
from decimal import Decimal

from carimbo.fiscal.layouts.dps_v1.service_note import ServiceNote
from carimbo.fiscal.layouts.group import attribute, child, decimal, group, integer, moment, text


@group("uf")
class StateRate:
    """`uf`: the state's rate."""

    rate: Decimal = decimal("pIBSUF")
    reduction: Decimal | None = decimal("pRedAliqUF", default=None)
    effective_rate: Decimal = decimal("pAliqEfetUF")


@group("mun")
class CityRate:
    """`mun`: the municipality's rate."""

    rate: Decimal = decimal("pIBSMun")
    reduction: Decimal | None = decimal("pRedAliqMun", default=None)
    effective_rate: Decimal = decimal("pAliqEfetMun")


@group("fed")
class CbsRate:
    """`fed`: the federal rate (CBS)."""

    rate: Decimal = decimal("pCBS")
    reduction: Decimal | None = decimal("pRedAliqCBS", default=None)
    effective_rate: Decimal = decimal("pAliqEfetCBS")


@group("valores")
class ReformBase:
    """`valores`: the base, the reimbursements excluded from it, and the rates."""

    base: Decimal = decimal("vBC")
    reimbursed: Decimal | None = decimal("vCalcReeRepRes", default=None)
    state: StateRate = child("uf")
    city: CityRate = child("mun")
    cbs: CbsRate = child("fed")


@group("gIBSCredPres")
class IbsCredit:
    """`gIBSCredPres`: presumed credit of IBS."""

    rate: Decimal = decimal("pCredPresIBS")
    amount: Decimal = decimal("vCredPresIBS")


@group("gIBSUFTot")
class StateTotal:
    """`gIBSUFTot`: IBS of the state."""

    deferred: Decimal | None = decimal("vDifUF", default=None)
    amount: Decimal = decimal("vIBSUF")


@group("gIBSMunTot")
class CityTotal:
    """`gIBSMunTot`: IBS of the municipality."""

    deferred: Decimal | None = decimal("vDifMun", default=None)
    amount: Decimal = decimal("vIBSMun")


@group("gIBS")
class IbsTotal:
    """`gIBS`: IBS of state and municipality."""

    amount: Decimal = decimal("vIBSTot")
    presumed_credit: IbsCredit | None = child("gIBSCredPres", default=None)
    state: StateTotal = child("gIBSUFTot")
    city: CityTotal = child("gIBSMunTot")


@group("gCBSCredPres")
class CbsCredit:
    """`gCBSCredPres`: presumed credit of CBS."""

    rate: Decimal = decimal("pCredPresCBS")
    amount: Decimal = decimal("vCredPresCBS")


@group("gCBS")
class CbsTotal:
    """`gCBS`: CBS."""

    presumed_credit: CbsCredit | None = child("gCBSCredPres", default=None)
    deferred: Decimal | None = decimal("vDifCBS", default=None)
    amount: Decimal = decimal("vCBS")


@group("gTribRegular")
class RegularTotals:
    """`gTribRegular`: the taxes due if the condition of a suspension is not met."""

    state_rate: Decimal = decimal("pAliqEfeRegIBSUF")
    state_amount: Decimal = decimal("vTribRegIBSUF")
    city_rate: Decimal = decimal("pAliqEfeRegIBSMun")
    city_amount: Decimal = decimal("vTribRegIBSMun")
    cbs_rate: Decimal = decimal("pAliqEfeRegCBS")
    cbs_amount: Decimal = decimal("vTribRegCBS")


@group("gTribCompraGov")
class GovernmentTotals:
    """`gTribCompraGov`: the taxes without the rules for government buyers (LC 214/2025, art. 473)."""

    state_rate: Decimal = decimal("pIBSUF")
    state_amount: Decimal = decimal("vIBSUF")
    city_rate: Decimal = decimal("pIBSMun")
    city_amount: Decimal = decimal("vIBSMun")
    cbs_rate: Decimal = decimal("pCBS")
    cbs_amount: Decimal = decimal("vCBS")


@group("totCIBS")
class ReformTotals:
    """`totCIBS`: the amounts of the taxes, and the total of the note including them."""

    total: Decimal = decimal("vTotNF")
    ibs: IbsTotal = child("gIBS")
    cbs: CbsTotal = child("gCBS")
    regular: RegularTotals | None = child("gTribRegular", default=None)
    government: GovernmentTotals | None = child("gTribCompraGov", default=None)


@group("IBSCBS")
class ComputedReform:
    """`IBSCBS`: IBS and CBS as the authority computes them: where they are due, base and amounts."""

    city_code: str = text("cLocalidadeIncid", 7)
    city: str = text("xLocalidadeIncid", 600)
    government_reduction: Decimal | None = decimal("pRedutor", default=None)
    base: ReformBase = child("valores")
    totals: ReformTotals = child("totCIBS")


@group("enderNac")
class IssuerAddress:
    """`enderNac`: the registered address of the issuer."""

    street: str = text("xLgr", 255)
    number: str = text("nro", 60)
    complement: str | None = text("xCpl", 156, default=None)
    district: str = text("xBairro", 60)
    city_code: str = text("cMun", 7)
    state: str = text("UF", 2)
    zipcode: str = text("CEP", 8)


@group("emit")
class NoteIssuer:
    """`emit`: the issuer, as the authority has it registered."""

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
    """`valores`: the ISS, the withholdings, and the net amount."""

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
    """`DPS`: the signed declaration of the issuer."""

    version: str = attribute("versao", 4)
    note: ServiceNote = child("infDPS")


@group("infNFSe")
class IssuedNote:
    """`infNFSe`: the part that the authority signs."""

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
    """Sequence number among all documents of the system that generated it."""
    issuer: NoteIssuer = child("emit")
    amounts: ComputedAmounts = child("valores")
    city_notes: str | None = text("xOutInf", 2000, default=None)
    ibs_cbs: ComputedReform | None = child("IBSCBS", default=None)
    declaration: Declaration = child("DPS")
