"""Federal taxes of a DPS (`tribFed`): debit and withholdings; and the approximate total (`totTrib`)."""

from dataclasses import dataclass
from decimal import Decimal

from carimbo.fiscal.calendar import DatedRule, RulesInForce
from carimbo.fiscal.documents.nfse.bodies import TaxesBody, WithholdingBody
from carimbo.fiscal.documents.nfse.iss import SimplesAssessment, assessment_of
from carimbo.fiscal.documents.nfse.own_debit import OwnDebit, revenue_of
from carimbo.fiscal.documents.nfse.request import NfseRequest
from carimbo.fiscal.layouts.dps_v1 import amounts as layout
from carimbo.fiscal.money import ZERO, cents, format_amount, format_rate, percent_to_even, total
from carimbo.fiscal.parties.company import Company, TaxRegime
from carimbo.fiscal.problems import Findings

# tpRetPisCofins by whether PIS, COFINS and CSLL are withheld (NT SE/CGNFS-e 007/2026; 1 and 2 are obsolete).
_CODES = {
    (False, False, False): "0",
    (True, True, True): "3",
    (True, True, False): "4",
    (True, False, False): "5",
    (False, True, False): "6",
    (False, True, True): "7",
    (False, False, True): "8",
    (True, False, True): "9",
}
_DISPENSED_UP_TO = Decimal(10)
_CSLL_RATE = Decimal(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Withholdings:
    """The withheld amounts; None for a tax that is not withheld, as the layout has no zeros."""

    pis: Decimal | None
    cofins: Decimal | None
    csll: Decimal | None
    ir: Decimal | None
    inss: Decimal | None

    @property
    def combined(self) -> Decimal | None:
        """Withheld PIS, COFINS and CSLL, which are paid as one amount (Lei 10.833/2003, art. 31)."""
        return total((self.pis, self.cofins, self.csll)) or None

    @property
    def code(self) -> str:
        """The code `tpRetPisCofins`."""
        return _CODES[bool(self.pis), bool(self.cofins), bool(self.csll)]


def withholdings_of(taxes: TaxesBody, revenue: Decimal) -> Withholdings:
    """Returns the amounts withheld from a revenue."""

    def withheld(tax: WithholdingBody | None) -> Decimal | None:
        return (percent_to_even(revenue, tax.rate) or None) if tax and tax.is_withheld else None

    return Withholdings(
        pis=withheld(taxes.pis),
        cofins=withheld(taxes.cofins),
        csll=withheld(taxes.csll),
        ir=withheld(taxes.ir),
        inss=withheld(taxes.inss),
    )


def warn_of_dispensed(withheld: Withholdings, company: Company, findings: Findings) -> None:
    """Warns of withholdings that the law does not require; the note has them nevertheless."""
    amounts = {"pis": withheld.pis, "cofins": withheld.cofins, "csll": withheld.csll}
    contributions = ", ".join(f"taxes.{name}" for name, amount in amounts.items() if amount)
    if company.tax_regime.is_simples and assessment_of(company) != SimplesAssessment.NONE:
        message = "A empresa do Simples Nacional não sofre esta retenção"
        if contributions:
            findings.add_warning(f"{contributions}: {message} (Lei 10.833/2003, art. 32, III).")
        if withheld.ir:
            findings.add_warning(f"taxes.ir: {message} (IN RFB 765/2007, art. 1º).")
    else:
        if withheld.combined and withheld.combined <= _DISPENSED_UP_TO:
            findings.add_warning(
                _dispensed_warning(contributions, withheld.combined, "Lei 10.833/2003, art. 31, § 3º")
            )
        if withheld.ir and withheld.ir <= _DISPENSED_UP_TO:
            findings.add_warning(_dispensed_warning("taxes.ir", withheld.ir, "Lei 9.430/1996, art. 67"))
    # Below the minimum amount of a DARF (Lei 9.430/1996, art. 68).
    if withheld.inss and withheld.inss < _DISPENSED_UP_TO:
        findings.add_warning(_dispensed_warning("taxes.inss", withheld.inss, "Lei 9.430/1996, art. 68"))


def warn_of_csll_rate(taxes: TaxesBody, rules: RulesInForce, findings: Findings) -> None:
    """Warns of an unusual CSLL rate, which may include PIS and COFINS after their end."""
    csll = taxes.csll
    has_ended = DatedRule.PIS_COFINS_ENDED in rules
    if has_ended and csll and csll.is_withheld and csll.rate and csll.rate != _CSLL_RATE:
        findings.add_warning(
            f"taxes.csll.rate: A retenção informada é de {format_rate(csll.rate)}%; sem PIS e COFINS, a que"
            f" resta é a de CSLL, de {format_rate(_CSLL_RATE)}% (Lei 10.833/2003, art. 31; LC 214/2025, art."
            " 544)."
        )


def _dispensed_warning(fields: str, amount: Decimal, law: str) -> str:
    return (
        f"{fields}: A retenção de R$ {format_amount(amount)} é dispensada, porque não passa de R$ 10,00"
        f" ({law}); a nota a leva mesmo assim."
    )


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
    """Returns `tribFed`, or None if nothing is owed or withheld."""
    taxes = request.taxes or TaxesBody()
    withheld = withholdings_of(taxes, revenue_of(request))
    warn_of_dispensed(withheld, company, findings)
    warn_of_csll_rate(taxes, rules, findings)
    pis_cofins = _pis_cofins(taxes, own, withheld)
    if pis_cofins is None and withheld.inss is None and withheld.ir is None:
        return None
    return layout.FederalTaxes(
        pis_cofins=pis_cofins, inss=withheld.inss, ir=withheld.ir, csll=withheld.combined
    )


def total_taxes(
    request: NfseRequest, company: Company, own: OwnDebit | None, iss_rate: Decimal, findings: Findings
) -> layout.TotalTaxes:
    """Returns `totTrib`: none for a MEI, one rate for companies of Simples, rates by sphere for others."""
    match company.tax_regime:
        case TaxRegime.MEI:
            return layout.TotalTaxes(untold="0")
        case TaxRegime.SIMPLES | TaxRegime.SIMPLES_EXCESS:
            return layout.TotalTaxes(simples_rate=cents(company.simples_rate or ZERO))
        case _:
            return layout.TotalTaxes(rates=_rates(request, own, iss_rate, findings))


def _pis_cofins(taxes: TaxesBody, own: OwnDebit | None, withheld: Withholdings) -> layout.PisCofins | None:
    """Returns `piscofins`; a CST without debit has no amounts."""
    if own is None:
        if withheld.combined is None:
            return None
        cst = (taxes.own_debit and taxes.own_debit.cst) or taxes.pis_cofins_cst or _NO_CST
        return layout.PisCofins(cst=cst, withholding=withheld.code)
    has_withholding = own.base is not None or withheld.combined is not None
    return layout.PisCofins(
        cst=own.cst,
        base=own.base,
        pis_rate=own.pis_rate,
        cofins_rate=own.cofins_rate,
        pis_amount=own.pis,
        cofins_amount=own.cofins,
        withholding=withheld.code if has_withholding else None,
    )


def _rates(
    request: NfseRequest, own: OwnDebit | None, iss_rate: Decimal, findings: Findings
) -> layout.TotalRates:
    given = request.total_taxes
    if given is None:
        findings.add_warning(_ASSUMED_TOTAL if own else _ASSUMED_ISS)
        return layout.TotalRates(federal=own.rate if own else ZERO, state=ZERO, city=cents(iss_rate))
    city = cents(iss_rate) if given.city is None else given.city
    return layout.TotalRates(federal=given.federal, state=given.state, city=city)
