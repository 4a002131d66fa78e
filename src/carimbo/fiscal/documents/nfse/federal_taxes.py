"""PIS, COFINS and what the taker withholds for the Union, and the approximate total of all taxes."""

from decimal import Decimal

from carimbo.fiscal.company import Company, PisCofinsRegime, TaxRegime
from carimbo.fiscal.documents.nfse.request import NfseRequest
from carimbo.fiscal.documents.nfse.tax_bodies import TaxesBody, WithholdingBody
from carimbo.fiscal.findings import Findings
from carimbo.fiscal.layouts.dps_v1 import taxes as layout
from carimbo.fiscal.money import ZERO, cents, percent_to_even, total
from carimbo.fiscal.taxes.pis_cofins import GENERAL_RATES

_NO_CST = "00"
# tpRetPisCofins: which of PIS, COFINS and CSLL are withheld (1 and 2 are of the layout before).
_WITHHOLDINGS = {
    (False, False, False): "0",
    (True, True, True): "3",
    (True, True, False): "4",
    (True, False, False): "5",
    (False, True, False): "6",
    (False, True, True): "7",
    (False, False, True): "8",
    (True, False, True): "9",
}
_ASSUMED_TOTAL = (
    "A carga tributária aproximada é a soma de PIS, COFINS e ISS: informe totalTaxes para indicar outra."
)


def federal_taxes(request: NfseRequest) -> layout.FederalTaxes | None:
    """`tribFed`."""
    taxes = request.taxes
    if taxes is None:
        return None
    revenue = _revenue(request)
    return layout.FederalTaxes(
        pis_cofins=_pis_cofins(taxes, revenue),
        inss=_withheld(taxes.inss, revenue),
        ir=_withheld(taxes.ir, revenue),
        csll=total(_withheld(one, revenue) for one in _together(taxes)) or None,
    )


def total_taxes(
    request: NfseRequest, company: Company, iss_rate: Decimal, findings: Findings
) -> layout.TotalTaxes:
    """`totTrib`: nothing for a MEI, the rate of Simples for its companies, rates by sphere for the others."""
    match company.tax_regime:
        case TaxRegime.MEI:
            return layout.TotalTaxes(untold="0")
        case TaxRegime.SIMPLES | TaxRegime.SIMPLES_EXCESS:
            return layout.TotalTaxes(simples_rate=cents(company.simples_rate or ZERO))
        case _:
            return layout.TotalTaxes(rates=_rates(request, company, iss_rate, findings))


def _revenue(request: NfseRequest) -> Decimal:
    """What is earned: a discount that hangs on nothing is no part of it (Lei 9.718/1998, art. 3º)."""
    discounts = request.discounts
    return request.amount - ((discounts and discounts.unconditional) or ZERO)


def _together(taxes: TaxesBody) -> tuple[WithholdingBody | None, ...]:
    """What is withheld as one amount (Lei 10.833/2003, art. 30)."""
    return taxes.pis, taxes.cofins, taxes.csll


def _withheld(tax: WithholdingBody | None, amount: Decimal) -> Decimal | None:
    """What is withheld of a tax; the layout has no zeros there."""
    return (percent_to_even(amount, tax.rate) or None) if tax and tax.is_withheld else None


def _pis_cofins(taxes: TaxesBody, amount: Decimal) -> layout.PisCofins | None:
    pis, cofins = taxes.pis, taxes.cofins
    withholding = _WITHHOLDINGS[_withheld_of(taxes, amount)]
    if pis is None and cofins is None:
        only_csll = withholding != _WITHHOLDINGS[False, False, False]
        return layout.PisCofins(cst=_NO_CST, withholding=withholding) if only_csll else None
    return layout.PisCofins(
        cst=taxes.pis_cofins_cst,
        base=amount,
        pis_rate=pis.rate if pis else None,
        cofins_rate=cofins.rate if cofins else None,
        pis_amount=percent_to_even(amount, pis.rate) if pis else None,
        cofins_amount=percent_to_even(amount, cofins.rate) if cofins else None,
        withholding=withholding,
    )


def _withheld_of(taxes: TaxesBody, amount: Decimal) -> tuple[bool, bool, bool]:
    """Which of PIS, COFINS and CSLL are withheld."""
    pis, cofins, csll = (bool(_withheld(one, amount)) for one in _together(taxes))
    return pis, cofins, csll


def _rates(
    request: NfseRequest, company: Company, iss_rate: Decimal, findings: Findings
) -> layout.TotalRates:
    told = request.total_taxes
    if told is None:
        findings.assumed(_ASSUMED_TOTAL)
        general = GENERAL_RATES[company.pis_cofins_regime or PisCofinsRegime.CUMULATIVE]
        return layout.TotalRates(federal=general.pis + general.cofins, state=ZERO, city=cents(iss_rate))
    city = cents(iss_rate) if told.city is None else told.city
    return layout.TotalRates(federal=told.federal, state=told.state, city=city)
