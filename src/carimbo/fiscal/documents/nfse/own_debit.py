"""PIS and COFINS that the provider owes on its own revenue (`piscofins`, NT SE/CGNFS-e 007/2026).

The taker's withholdings are advances on these debits, at their own rates: see `federal_taxes`. Both
contributions end with 2026 (LC 214/2025, arts. 542 and 544): notes of a later competence have no debit.
"""

from dataclasses import dataclass
from decimal import Decimal

from carimbo.fiscal.calendar import DatedRule, RulesInForce
from carimbo.fiscal.documents.nfse.bodies import OwnDebitBody, TaxesBody, WithholdingBody
from carimbo.fiscal.documents.nfse.iss import SimplesAssessment, Taxation, assessment_of
from carimbo.fiscal.documents.nfse.request import NfseRequest
from carimbo.fiscal.money import ZERO, cents, format_rate, percent_to_even, total
from carimbo.fiscal.parties.company import Company, TaxRegime
from carimbo.fiscal.problems import Findings, Problem
from carimbo.fiscal.taxes.pis_cofins import GENERAL_RATES, missing_regime

# Table of CST of PIS and COFINS (IN RFB 1.009/2010); 00 exists in the layout of the NFS-e alone.
_GENERAL_RATE, _OTHER_RATE, _NOT_INCIDENT = "01", "02", "08"
_WITHOUT_DEBIT = frozenset({"00", "04", "05", "06", "07", _NOT_INCIDENT, "09"})

_PAID_IN_DAS = (
    "A empresa paga PIS e COFINS no DAS do Simples Nacional: a nota não leva o débito próprio informado em"
    " taxes."
)
_REGIME_UNKNOWN = (
    "A empresa apura os tributos federais fora do Simples Nacional (simplesIssRegime 3), mas não tem"
    " pisCofinsRegime: a nota sai sem débito próprio de PIS e COFINS."
)
_TAKER_IN_BRAZIL = (
    "O ISS é de exportação, mas o tomador não é do exterior: a nota leva o débito próprio de PIS e COFINS."
    " Se eles não incidem, informe 08 em taxes.ownDebit.cst."
)
# Public bodies, temples, parties, unions, schools and social assistance (tpImunidade).
_IMMUNE_PROVIDERS = ("1", "2", "3")
_MAY_BE_EXEMPT = (
    "A imunidade do ISS costuma vir com isenção de PIS e COFINS (MP 2.158-35/2001, arts. 13 e 14), mas a nota"
    " leva o débito próprio pelo regime da empresa. Se ela é isenta, informe 07 em taxes.ownDebit.cst."
)


@dataclass(frozen=True, slots=True)
class OwnDebit:
    """The provider's debit; a CST without debit has neither base nor rates."""

    cst: str
    base: Decimal | None = None
    pis_rate: Decimal | None = None
    cofins_rate: Decimal | None = None

    @property
    def pis(self) -> Decimal | None:
        """The amount of PIS."""
        return self._share(self.pis_rate)

    @property
    def cofins(self) -> Decimal | None:
        """The amount of COFINS."""
        return self._share(self.cofins_rate)

    @property
    def rate(self) -> Decimal:
        """The sum of both rates; zero without a debit."""
        return total((self.pis_rate, self.cofins_rate))

    def _share(self, rate: Decimal | None) -> Decimal | None:
        return None if rate is None or self.base is None else percent_to_even(self.base, rate)


def own_debit_of(
    request: NfseRequest, company: Company, taxation: str, rules: RulesInForce, findings: Findings
) -> OwnDebit | None:
    """Returns the debit by the company's regime and the body; None if the company pays it in the DAS."""
    if DatedRule.PIS_COFINS_ENDED in rules:
        return None
    taxes = request.taxes or TaxesBody()
    if not _owes_apart(company, taxes):
        _warn_without_debit(taxes, company, findings)
        return None
    own = taxes.own_debit or OwnDebitBody()
    cst = own.cst or taxes.pis_cofins_cst or _usual_cst(request, own, taxation, findings)
    if cst in _WITHOUT_DEBIT:
        _check_without_debit(cst, taxes, findings)
        return OwnDebit(cst)
    pis_rate, cofins_rate = _rates(cst, taxes, company, findings)
    if pis_rate is None and cofins_rate is None:
        return OwnDebit(cst)
    base = revenue_of(request) if own.base is None else own.base
    return OwnDebit(cst, base, pis_rate, cofins_rate)


def revenue_of(request: NfseRequest) -> Decimal:
    """Returns the price without the unconditional discount (DL 1.598/1977, art. 12, § 1º, I).

    The ISS is included: the Supreme Court has not decided yet whether it is revenue (STF, theme 118).
    """
    discounts = request.discounts
    return request.amount - ((discounts and discounts.unconditional) or ZERO)


def _owes_apart(company: Company, taxes: TaxesBody) -> bool:
    """Returns whether the company pays PIS and COFINS outside of the DAS (LC 123/2006).

    A company of Simples that pays federal taxes outside of the DAS needs a regime, or both rates in the body.
    """
    if company.tax_regime is TaxRegime.NORMAL:
        return True
    own = taxes.own_debit or OwnDebitBody()
    has_rates = own.pis_rate is not None and own.cofins_rate is not None
    is_apart = assessment_of(company) == SimplesAssessment.NONE
    return is_apart and (company.pis_cofins_regime is not None or has_rates)


def _warn_without_debit(taxes: TaxesBody, company: Company, findings: Findings) -> None:
    own = taxes.own_debit or OwnDebitBody()
    given = _given_rate(own.pis_rate, taxes.pis), _given_rate(own.cofins_rate, taxes.cofins), own.base
    if assessment_of(company) == SimplesAssessment.NONE:
        findings.add_warning(_REGIME_UNKNOWN)
    elif company.tax_regime.is_simples and any(given):
        findings.add_warning(_PAID_IN_DAS)


def _usual_cst(request: NfseRequest, own: OwnDebitBody, taxation: str, findings: Findings) -> str:
    """Returns 08 for exports to a taker abroad, whose payment brings in foreign exchange, else 01.

    Lei 10.637/2002, art. 5º, II; Lei 10.833/2003, art. 6º, II; MP 2.158-35/2001, art. 14, III. A service
    provided abroad to a taker in Brazil is an export only for the ISS.
    """
    if own.pis_rate is not None or own.cofins_rate is not None:
        return _GENERAL_RATE
    if taxation == Taxation.IMMUNE and request.immunity_type in _IMMUNE_PROVIDERS:
        findings.add_warning(_MAY_BE_EXEMPT)
    if taxation != Taxation.EXPORTED:
        return _GENERAL_RATE
    if not request.borrower.is_foreign:
        findings.add_warning(_TAKER_IN_BRAZIL)
        return _GENERAL_RATE
    return _NOT_INCIDENT


def _check_without_debit(cst: str, taxes: TaxesBody, findings: Findings) -> None:
    """Reports an explicit debit for a CST that has none, and warns of rates that the note omits."""
    own = taxes.own_debit or OwnDebitBody()
    for field, value in (("pisRate", own.pis_rate), ("cofinsRate", own.cofins_rate), ("base", own.base)):
        if value:
            message = f"O CST {cst} não tem débito próprio de PIS e COFINS."
            hint = f"Retire {field} ou informe em taxes.ownDebit.cst um CST com débito, como 01."
            findings.add_problem(Problem("CONTRADICTION", f"taxes.ownDebit.{field}", message, hint))
    for name, tax in (("pis", taxes.pis), ("cofins", taxes.cofins)):
        if _given_rate(None, tax):
            findings.add_warning(
                f"taxes.{name}.rate: A alíquota não vai na nota, porque o CST {cst} não tem débito."
            )


def _rates(
    cst: str, taxes: TaxesBody, company: Company, findings: Findings
) -> tuple[Decimal | None, Decimal | None]:
    """Returns both rates: of `ownDebit`, else of taxes that are not withheld, else of the regime."""
    own = taxes.own_debit or OwnDebitBody()
    pis, cofins = _given_rate(own.pis_rate, taxes.pis), _given_rate(own.cofins_rate, taxes.cofins)
    is_lacking = pis is None or cofins is None
    if cst == _OTHER_RATE and is_lacking:
        findings.add_problems(_missing_rates(pis, cofins))
    if cst != _GENERAL_RATE:
        return pis, cofins
    if company.pis_cofins_regime is None:
        if is_lacking:
            findings.add_problem(missing_regime("as alíquotas em taxes.ownDebit"))
        return pis, cofins
    general = GENERAL_RATES[company.pis_cofins_regime]
    if own.pis_rate is None:
        _warn_of_other_rate("pis", pis, general.pis, findings)
    if own.cofins_rate is None:
        _warn_of_other_rate("cofins", cofins, general.cofins, findings)
    return general.pis if pis is None else pis, general.cofins if cofins is None else cofins


def _given_rate(own: Decimal | None, tax: WithholdingBody | None) -> Decimal | None:
    """Returns the rate of the body, with the two decimals of the layout (pAliqPis, pAliqCofins)."""
    rate = tax.rate if own is None and tax and not tax.is_withheld else own
    return None if rate is None else cents(rate)


def _missing_rates(pis: Decimal | None, cofins: Decimal | None) -> tuple[Problem, ...]:
    message = f"Obrigatória com o CST {_OTHER_RATE}, que é de alíquota diferenciada."
    rates = ("pisRate", pis), ("cofinsRate", cofins)
    return tuple(
        Problem("MISSING", f"taxes.ownDebit.{field}", message, f"Informe taxes.ownDebit.{field}.")
        for field, rate in rates
        if rate is None
    )


def _warn_of_other_rate(name: str, rate: Decimal | None, general: Decimal, findings: Findings) -> None:
    if rate is None or rate == general:
        return
    findings.add_warning(
        f"taxes.{name}.rate: A alíquota do débito próprio é a informada, {format_rate(rate)}%, e a do regime"
        f" da empresa é {format_rate(general)}%. Se é o tomador que retém, informe isWithheld."
    )
