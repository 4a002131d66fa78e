"""What the taker withholds for the Union: the amounts, and when the law dispenses with them."""

from dataclasses import dataclass
from decimal import Decimal

from carimbo.fiscal.calendar import DatedRule, RulesInForce
from carimbo.fiscal.company import Company
from carimbo.fiscal.documents.nfse.simples import Assessment, assessment_of
from carimbo.fiscal.documents.nfse.tax_bodies import TaxesBody, WithholdingBody
from carimbo.fiscal.findings import Findings
from carimbo.fiscal.money import percent_to_even, total, written, written_rate

# tpRetPisCofins by which of PIS, COFINS and CSLL are withheld (NT SE/CGNFS-e 007/2026; 1 and 2 are of old).
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
    """The amounts that are withheld; None for a tax that is not, as the layout has no zeros there."""

    pis: Decimal | None
    cofins: Decimal | None
    csll: Decimal | None
    ir: Decimal | None
    inss: Decimal | None

    @property
    def together(self) -> Decimal | None:
        """Returns PIS, COFINS and CSLL as the one amount that they are paid in (Lei 10.833/2003, art. 31)."""
        return total((self.pis, self.cofins, self.csll)) or None

    @property
    def code(self) -> str:
        """Returns `tpRetPisCofins`."""
        return _CODES[bool(self.pis), bool(self.cofins), bool(self.csll)]


def withholdings_of(taxes: TaxesBody, revenue: Decimal) -> Withholdings:
    """Returns what is withheld of a revenue."""

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
    """Warns of withholdings that the law dispenses with, which the taker may still have to make."""
    contributions = _fields({"pis": withheld.pis, "cofins": withheld.cofins, "csll": withheld.csll})
    if company.tax_regime.is_simples and assessment_of(company) != Assessment.NONE:
        _warn_simples(contributions, withheld.ir, findings)
    else:
        if withheld.together and withheld.together <= _DISPENSED_UP_TO:
            findings.assumed(_small(contributions, withheld.together, "Lei 10.833/2003, art. 31, § 3º"))
        if withheld.ir and withheld.ir <= _DISPENSED_UP_TO:
            findings.assumed(_small("taxes.ir", withheld.ir, "Lei 9.430/1996, art. 67"))
    # Below the least that a DARF may be of (Lei 9.430/1996, art. 68).
    if withheld.inss and withheld.inss < _DISPENSED_UP_TO:
        findings.assumed(_small("taxes.inss", withheld.inss, "Lei 9.430/1996, art. 68"))


def warn_of_csll_rate(taxes: TaxesBody, rules: RulesInForce, findings: Findings) -> None:
    """Warns of a CSLL at another rate than its own, which may hold PIS and COFINS after their end."""
    csll = taxes.csll
    is_alone = DatedRule.PIS_COFINS_ENDED in rules
    if is_alone and csll and csll.is_withheld and csll.rate and csll.rate != _CSLL_RATE:
        findings.assumed(
            f"taxes.csll.rate: A retenção informada é de {written_rate(csll.rate)}%; sem PIS e COFINS, a que"
            f" resta é a de CSLL, de {written_rate(_CSLL_RATE)}% (Lei 10.833/2003, art. 31; LC 214/2025, art."
            " 544)."
        )


def _warn_simples(contributions: str, ir: Decimal | None, findings: Findings) -> None:
    message = "A empresa do Simples Nacional não sofre esta retenção"
    if contributions:
        findings.assumed(f"{contributions}: {message} (Lei 10.833/2003, art. 32, III).")
    if ir:
        findings.assumed(f"taxes.ir: {message} (IN RFB 765/2007, art. 1º).")


def _fields(amounts: dict[str, Decimal | None]) -> str:
    return ", ".join(f"taxes.{name}" for name, amount in amounts.items() if amount)


def _small(fields: str, amount: Decimal, law: str) -> str:
    return (
        f"{fields}: A retenção de R$ {written(amount)} é dispensada, porque não passa de R$ 10,00 ({law});"
        " a nota a leva mesmo assim."
    )
