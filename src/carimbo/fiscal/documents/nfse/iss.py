"""The tax of the municipality: how the service is taxed, and whether the rate is told.

Sefin knows the rates of the municipalities of the agreement, and refuses to be told (Anexo I, E0595-E0640).
"""

from dataclasses import dataclass
from decimal import Decimal

from carimbo.fiscal.company import TaxRegime
from carimbo.fiscal.documents.nfse.request import NfseRequest
from carimbo.fiscal.documents.nfse.service_facts import ServiceFacts
from carimbo.fiscal.documents.nfse.settings import NO_SPECIAL_REGIME, NfseSettings
from carimbo.fiscal.documents.nfse.simples import Assessment
from carimbo.fiscal.findings import Findings
from carimbo.fiscal.layouts.dps_v1 import taxes as layout
from carimbo.fiscal.money import written_rate
from carimbo.fiscal.party_address import NationalAddressBody
from carimbo.fiscal.problems import Problem

HIGHEST_RATE = Decimal(5)
LOWEST_WITHHELD_RATE = Decimal("1.8")
# Operations that the national list has for the sake of IBS and CBS alone (E0532).
_WITHOUT_ISS = "99"
NATURE_EXEMPT, NATURE_IMMUNE, NATURE_SUSPENDED = "3", "4", ("5", "6")


class Taxation:
    """`tribISSQN`."""

    TAXABLE = "1"
    IMMUNE = "2"
    EXPORTED = "3"
    NOT_TAXED = "4"


class Withholding:
    """`tpRetISSQN`."""

    NONE = "1"
    BY_TAKER = "2"


@dataclass(frozen=True, slots=True)
class IssCase:
    """Everything that decides about the rate."""

    regime: TaxRegime
    assessment: str | None
    special_regime: str
    taxation: str
    is_withheld: bool
    is_suspended: bool
    is_exempt: bool
    is_active: bool
    """Whether the municipality of incidence has an active agreement."""


def taxation_of(request: NfseRequest, facts: ServiceFacts) -> str:
    """How the service is taxed: by what it is, the nature of the operation and where its result is seen."""
    if facts.service.code.startswith(_WITHOUT_ISS):
        return Taxation.NOT_TAXED
    if request.nature_of_operation == NATURE_IMMUNE:
        return Taxation.IMMUNE
    if request.result_country_code or request.service_country_code:
        return Taxation.EXPORTED
    return Taxation.TAXABLE


def is_rate_told(case: IssCase) -> bool:
    """Tell whether the document says the rate (pAliq); where it does not, it must not."""
    if case.regime is TaxRegime.MEI or case.taxation != Taxation.TAXABLE:
        return False
    if case.special_regime != NO_SPECIAL_REGIME or case.is_suspended or case.is_exempt:
        return False
    if case.assessment == Assessment.ALL:
        return case.is_withheld
    return not case.is_active


def left_out_rate(request: NfseRequest, settings: NfseSettings, case: IssCase) -> str | None:
    """Returns a warning where the note has no place for the rate of the body (E0600, E0625, E0631).

    The company's usual rate is not worth a warning: a sale of the catalog repeats it in every body.
    """
    rate = request.iss.rate if request.iss else None
    if not rate or rate == settings.iss_rate:
        return None
    is_paid_in_das = case.assessment == Assessment.ALL or case.regime is TaxRegime.MEI
    if not is_paid_in_das or case.is_withheld or case.taxation != Taxation.TAXABLE:
        return None
    return (
        f"iss.rate: A alíquota de {written_rate(rate)}% não vai na nota: a empresa"
        " paga o ISS no DAS do Simples Nacional, salvo se o tomador o retém."
    )


def iss_of(request: NfseRequest, facts: ServiceFacts, case: IssCase, findings: Findings) -> layout.Iss:
    """The tax as the layout shows it."""
    is_told = is_rate_told(case)
    findings.missed_all(_wrong_rate(facts.iss_rate, case) if is_told else ())
    findings.missed_all(_wrongly_withheld(request, case))
    if request.benefit and not case.is_active:
        told = "O município do serviço não tem convênio ativo, e não registrou benefícios."
        findings.missed(Problem("E0537", "benefit", told))
    return layout.Iss(
        taxation=case.taxation,
        result_country_code=_result_country(request, case),
        immunity=request.immunity_type if case.taxation == Taxation.IMMUNE else None,
        suspension=_suspension(request),
        benefit=request.benefit if request.nature_of_operation == NATURE_EXEMPT else None,
        withholding=Withholding.BY_TAKER if facts.is_withheld else Withholding.NONE,
        rate=facts.iss_rate if is_told else None,
    )


def _result_country(request: NfseRequest, case: IssCase) -> str | None:
    """Where the result of an exported service is seen; of one given abroad that is known (E0591)."""
    is_told = case.taxation == Taxation.EXPORTED and not request.service_country_code
    return request.result_country_code if is_told else None


def is_suspended(request: NfseRequest) -> bool:
    """Tell whether a decision keeps the ISS from being charged."""
    return request.nature_of_operation in NATURE_SUSPENDED


def is_exempt(request: NfseRequest) -> bool:
    """Tell whether the municipality exempts the service: a benefit that reduces the base says by how much."""
    benefit = request.benefit
    is_reduced = benefit is not None and (benefit.reduction_rate or benefit.reduction_amount)
    return request.nature_of_operation == NATURE_EXEMPT and not is_reduced


def _suspension(request: NfseRequest) -> layout.Suspension | None:
    if not is_suspended(request) or request.suspension is None:
        return None
    kind = "1" if request.nature_of_operation == NATURE_SUSPENDED[0] else "2"
    return layout.Suspension(kind=kind, process_number=request.suspension.process_number)


def _wrong_rate(rate: Decimal, case: IssCase) -> tuple[Problem, ...]:
    if rate > HIGHEST_RATE:
        return (Problem("E0595", "iss.rate", "A alíquota do ISS não pode ser maior que 5%."),)
    if case.assessment == Assessment.ALL and rate < LOWEST_WITHHELD_RATE:
        code = "E0621" if case.is_active else "E0628"
        return (
            Problem(code, "iss.rate", "A alíquota do ISS retido no Simples Nacional deve ser de 1,8% a 5%."),
        )
    return ()


def _wrongly_withheld(request: NfseRequest, case: IssCase) -> tuple[Problem, ...]:
    if not case.is_withheld:
        return ()
    taker = request.borrower
    is_in_brazil = isinstance(taker.address, NationalAddressBody)
    address_gaps = taker.address_gaps("borrower.address") if is_in_brazil else ()
    address_wanted = "Só retém ISS o tomador com endereço no Brasil."
    forbidden = (
        (case.taxation != Taxation.TAXABLE, "E0580", "O ISS só é retido de serviço tributável."),
        (case.regime is TaxRegime.MEI, "E0583", "O ISS de MEI não é retido."),
        (case.special_regime != NO_SPECIAL_REGIME, "E0588", "O ISS de regime especial não é retido."),
        (case.is_suspended, "E0589", "O ISS com exigibilidade suspensa não é retido."),
        (case.is_exempt, "E0594", "O ISS de serviço isento não é retido."),
        (taker.is_person, "E0667", "Pessoa física não retém ISS: o tomador deve ter CNPJ."),
        (taker.tax_id is None, "E0204", "Só retém ISS o tomador com CNPJ."),
        (not is_in_brazil, "E0237", address_wanted),
    )
    return (
        *(Problem(code, "iss.isWithheld", told) for applies, code, told in forbidden if applies),
        *(Problem("E0237", gap, address_wanted) for gap in address_gaps),
    )
