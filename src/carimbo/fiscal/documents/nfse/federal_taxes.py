"""Federal taxes of a declaration (`tribFed`), and the approximate total of all taxes (`totTrib`)."""

from decimal import Decimal

from carimbo.fiscal.calendar import RulesInForce
from carimbo.fiscal.company import Company, TaxRegime
from carimbo.fiscal.documents.nfse.own_debit import OwnDebit, revenue_of
from carimbo.fiscal.documents.nfse.request import NfseRequest
from carimbo.fiscal.documents.nfse.tax_bodies import TaxesBody
from carimbo.fiscal.documents.nfse.withholdings import (
    Withholdings,
    warn_of_csll_rate,
    warn_of_dispensed,
    withholdings_of,
)
from carimbo.fiscal.findings import Findings
from carimbo.fiscal.layouts.dps_v1 import taxes as layout
from carimbo.fiscal.money import ZERO, cents

_NO_CST = "00"
_ASSUMED_TOTAL = (
    "A carga tributária aproximada é a soma de PIS, COFINS e ISS: informe totalTaxes para indicar outra."
)
_ASSUMED_ISS = (
    "A carga tributária aproximada é só a do ISS, sem IBS e CBS: informe totalTaxes para indicar outra."
)


def federal_taxes(
    request: NfseRequest, company: Company, own: OwnDebit | None, rules: RulesInForce, findings: Findings
) -> layout.FederalTaxes | None:
    """Returns `tribFed`, or None where nothing is owed and nothing is withheld."""
    taxes = request.taxes or TaxesBody()
    withheld = withholdings_of(taxes, revenue_of(request))
    warn_of_dispensed(withheld, company, findings)
    warn_of_csll_rate(taxes, rules, findings)
    pis_cofins = _pis_cofins(taxes, own, withheld)
    if pis_cofins is None and withheld.inss is None and withheld.ir is None:
        return None
    return layout.FederalTaxes(
        pis_cofins=pis_cofins, inss=withheld.inss, ir=withheld.ir, csll=withheld.together
    )


def total_taxes(
    request: NfseRequest, company: Company, own: OwnDebit | None, iss_rate: Decimal, findings: Findings
) -> layout.TotalTaxes:
    """`totTrib`: nothing for a MEI, the rate of Simples for its companies, rates by sphere for the others."""
    match company.tax_regime:
        case TaxRegime.MEI:
            return layout.TotalTaxes(untold="0")
        case TaxRegime.SIMPLES | TaxRegime.SIMPLES_EXCESS:
            return layout.TotalTaxes(simples_rate=cents(company.simples_rate or ZERO))
        case _:
            return layout.TotalTaxes(rates=_rates(request, own, iss_rate, findings))


def _pis_cofins(taxes: TaxesBody, own: OwnDebit | None, withheld: Withholdings) -> layout.PisCofins | None:
    """Returns `piscofins`; a situation without debit is written without amounts."""
    if own is None:
        if withheld.together is None:
            return None
        cst = (taxes.own_debit and taxes.own_debit.cst) or taxes.pis_cofins_cst or _NO_CST
        return layout.PisCofins(cst=cst, withholding=withheld.code)
    says_withholding = own.base is not None or withheld.together is not None
    return layout.PisCofins(
        cst=own.cst,
        base=own.base,
        pis_rate=own.pis_rate,
        cofins_rate=own.cofins_rate,
        pis_amount=own.pis,
        cofins_amount=own.cofins,
        withholding=withheld.code if says_withholding else None,
    )


def _rates(
    request: NfseRequest, own: OwnDebit | None, iss_rate: Decimal, findings: Findings
) -> layout.TotalRates:
    told = request.total_taxes
    if told is None:
        findings.assumed(_ASSUMED_TOTAL if own else _ASSUMED_ISS)
        return layout.TotalRates(federal=own.rate if own else ZERO, state=ZERO, city=cents(iss_rate))
    city = cents(iss_rate) if told.city is None else told.city
    return layout.TotalRates(federal=told.federal, state=told.state, city=city)
