"""IBS and CBS as the authority computes them (`IBSCBS` of an NFS-e)."""

from decimal import Decimal

from carimbo.fiscal.layouts.group import child, decimal, group, text


@group("uf")
class StateRate:
    """`uf`: what the state takes of the base."""

    rate: Decimal = decimal("pIBSUF")
    reduction: Decimal | None = decimal("pRedAliqUF", default=None)
    effective_rate: Decimal = decimal("pAliqEfetUF")


@group("mun")
class CityRate:
    """`mun`: what the municipality takes of the base."""

    rate: Decimal = decimal("pIBSMun")
    reduction: Decimal | None = decimal("pRedAliqMun", default=None)
    effective_rate: Decimal = decimal("pAliqEfetMun")


@group("fed")
class CbsRate:
    """`fed`: what the Union takes of the base."""

    rate: Decimal = decimal("pCBS")
    reduction: Decimal | None = decimal("pRedAliqCBS", default=None)
    effective_rate: Decimal = decimal("pAliqEfetCBS")


@group("valores")
class ReformBase:
    """`valores`: the base, what was left out of it, and the rates."""

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
    """`gIBS`: IBS of both."""

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
    """`gTribRegular`: what would be due if the condition of a suspension is not met."""

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
    """`totCIBS`: the amounts of the taxes, and the total of the note with them."""

    total: Decimal = decimal("vTotNF")
    ibs: IbsTotal = child("gIBS")
    cbs: CbsTotal = child("gCBS")
    regular: RegularTotals | None = child("gTribRegular", default=None)
    government: GovernmentTotals | None = child("gTribCompraGov", default=None)


@group("IBSCBS")
class ComputedReform:
    """`IBSCBS`: where the taxes are due, of what, and how much."""

    city_code: str = text("cLocalidadeIncid", 7)
    city: str = text("xLocalidadeIncid", 600)
    government_reduction: Decimal | None = decimal("pRedutor", default=None)
    base: ReformBase = child("valores")
    totals: ReformTotals = child("totCIBS")
