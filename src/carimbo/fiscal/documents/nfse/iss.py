"""The ISS of a service: how it is taxed, and whether the note has the rate.

Sefin knows the rates of the municipalities with an agreement, and refuses a rate in the note (Anexo I,
E0595-E0640)."""

from dataclasses import dataclass
from decimal import Decimal

from carimbo.fiscal.documents.nfse.request import NfseRequest
from carimbo.fiscal.documents.nfse.service_facts import ServiceFacts
from carimbo.fiscal.documents.nfse.settings import NO_SPECIAL_REGIME, NfseSettings
from carimbo.fiscal.layouts.dps_v1 import amounts as layout
from carimbo.fiscal.money import format_rate
from carimbo.fiscal.parties.company import Company, TaxRegime
from carimbo.fiscal.parties.party_address import NationalAddressBody
from carimbo.fiscal.problems import Findings, Problem

MAX_RATE = Decimal(5)
MIN_WITHHELD_RATE = Decimal("1.8")
# Operations that are in the national list only for IBS and CBS (E0532).
_WITHOUT_ISS = "99"
NATURE_EXEMPT, NATURE_IMMUNE, NATURE_SUSPENDED = "3", "4", ("5", "6")


class SimplesOption:
    """Codes of `opSimpNac`."""

    OUTSIDE = "1"
    MEI = "2"
    SMALL = "3"


class SimplesAssessment:
    """Codes of `regApTribSN`: which taxes the company pays in the DAS of Simples."""

    ALL = "1"
    FEDERAL = "2"
    NONE = "3"


class Taxation:
    """Codes of `tribISSQN`."""

    TAXABLE = "1"
    IMMUNE = "2"
    EXPORTED = "3"
    NOT_TAXED = "4"


class Withholding:
    """Codes of `tpRetISSQN`."""

    NONE = "1"
    BY_TAKER = "2"


@dataclass(frozen=True, slots=True)
class IssFacts:
    """The facts that decide about the ISS rate."""

    regime: TaxRegime
    assessment: str | None
    special_regime: str
    taxation: str
    is_withheld: bool
    is_suspended: bool
    is_exempt: bool
    is_active: bool
    """Whether the municipality of incidence has an active agreement."""


def option_of(company: Company) -> str:
    """Returns the company's option for Simples Nacional; above the sublimit it is still in Simples."""
    if company.tax_regime.is_simples:
        return SimplesOption.SMALL
    return SimplesOption.MEI if company.tax_regime is TaxRegime.MEI else SimplesOption.OUTSIDE


def assessment_of(company: Company) -> str | None:
    """Returns which taxes the company pays in the DAS: its setting, else the usual; None outside of Simples.

    Above the sublimit the ISS is paid separately (LC 123, art. 13-A).
    """
    match company.tax_regime:
        case TaxRegime.SIMPLES:
            return str(company.simples_iss_regime or SimplesAssessment.ALL)
        case TaxRegime.SIMPLES_EXCESS:
            return str(company.simples_iss_regime or SimplesAssessment.FEDERAL)
        case _:
            return None


def taxation_of(request: NfseRequest, facts: ServiceFacts) -> str:
    """Returns how the service is taxed: by its code, the nature, and the country of the result."""
    if facts.service.code.startswith(_WITHOUT_ISS):
        return Taxation.NOT_TAXED
    if request.nature_of_operation == NATURE_IMMUNE:
        return Taxation.IMMUNE
    if request.result_country_code or request.service_country_code:
        return Taxation.EXPORTED
    return Taxation.TAXABLE


def is_suspended(request: NfseRequest) -> bool:
    """Returns whether a decision suspends the ISS."""
    return request.nature_of_operation in NATURE_SUSPENDED


def is_exempt(request: NfseRequest) -> bool:
    """Returns whether the municipality exempts the service; a benefit that reduces the base does not."""
    benefit = request.benefit
    is_reduced = benefit is not None and (benefit.reduction_rate or benefit.reduction_amount)
    return request.nature_of_operation == NATURE_EXEMPT and not is_reduced


def is_rate_written(facts: IssFacts) -> bool:
    """Returns whether the document must have the rate (pAliq); otherwise it must not have it."""
    if facts.regime is TaxRegime.MEI or facts.taxation != Taxation.TAXABLE:
        return False
    if facts.special_regime != NO_SPECIAL_REGIME or facts.is_suspended or facts.is_exempt:
        return False
    if facts.assessment == SimplesAssessment.ALL:
        return facts.is_withheld
    return not facts.is_active


def left_out_rate(request: NfseRequest, settings: NfseSettings, facts: IssFacts) -> str | None:
    """Returns a warning if the note can't have the rate of the body (E0600, E0625, E0631).

    The company's usual rate causes no warning: a sale of the catalog repeats it in every body.
    """
    rate = request.iss.rate if request.iss else None
    if not rate or rate == settings.iss_rate:
        return None
    is_paid_in_das = facts.assessment == SimplesAssessment.ALL or facts.regime is TaxRegime.MEI
    if not is_paid_in_das or facts.is_withheld or facts.taxation != Taxation.TAXABLE:
        return None
    return (
        f"iss.rate: A alíquota de {format_rate(rate)}% não vai na nota: a empresa"
        " paga o ISS no DAS do Simples Nacional, salvo se o tomador o retém."
    )


def iss_of(request: NfseRequest, service: ServiceFacts, facts: IssFacts, findings: Findings) -> layout.Iss:
    """Returns the ISS as a group of the layout, and reports what is wrong with it."""
    has_rate = is_rate_written(facts)
    findings.add_problems(_wrong_rate(service.iss_rate, facts) if has_rate else ())
    findings.add_problems(_wrongly_withheld(request, facts))
    if request.benefit and not facts.is_active:
        message = "O município do serviço não tem convênio ativo, e não registrou benefícios."
        findings.add_problem(Problem("E0537", "benefit", message))
    # The place of the result; for a service provided abroad it is known already (E0591).
    has_country = facts.taxation == Taxation.EXPORTED and not request.service_country_code
    return layout.Iss(
        taxation=facts.taxation,
        result_country_code=request.result_country_code if has_country else None,
        immunity=request.immunity_type if facts.taxation == Taxation.IMMUNE else None,
        suspension=_suspension(request),
        benefit=request.benefit if request.nature_of_operation == NATURE_EXEMPT else None,
        withholding=Withholding.BY_TAKER if service.is_withheld else Withholding.NONE,
        rate=service.iss_rate if has_rate else None,
    )


def _suspension(request: NfseRequest) -> layout.Suspension | None:
    if not is_suspended(request) or request.suspension is None:
        return None
    kind = "1" if request.nature_of_operation == NATURE_SUSPENDED[0] else "2"
    return layout.Suspension(kind=kind, process_number=request.suspension.process_number)


def _wrong_rate(rate: Decimal, facts: IssFacts) -> tuple[Problem, ...]:
    if rate > MAX_RATE:
        return (Problem("E0595", "iss.rate", "A alíquota do ISS não pode ser maior que 5%."),)
    if facts.assessment == SimplesAssessment.ALL and rate < MIN_WITHHELD_RATE:
        code = "E0621" if facts.is_active else "E0628"
        return (
            Problem(code, "iss.rate", "A alíquota do ISS retido no Simples Nacional deve ser de 1,8% a 5%."),
        )
    return ()


def _wrongly_withheld(request: NfseRequest, facts: IssFacts) -> tuple[Problem, ...]:
    if not facts.is_withheld:
        return ()
    taker = request.borrower
    is_in_brazil = isinstance(taker.address, NationalAddressBody)
    address_gaps = taker.address_gaps("borrower.address") if is_in_brazil else ()
    address_required = "Só retém ISS o tomador com endereço no Brasil."
    forbidden = (
        (facts.taxation != Taxation.TAXABLE, "E0580", "O ISS só é retido de serviço tributável."),
        (facts.regime is TaxRegime.MEI, "E0583", "O ISS de MEI não é retido."),
        (facts.special_regime != NO_SPECIAL_REGIME, "E0588", "O ISS de regime especial não é retido."),
        (facts.is_suspended, "E0589", "O ISS com exigibilidade suspensa não é retido."),
        (facts.is_exempt, "E0594", "O ISS de serviço isento não é retido."),
        (taker.is_person, "E0667", "Pessoa física não retém ISS: o tomador deve ter CNPJ."),
        (taker.tax_id is None, "E0204", "Só retém ISS o tomador com CNPJ."),
        (not is_in_brazil, "E0237", address_required),
    )
    return (
        *(Problem(code, "iss.isWithheld", message) for applies, code, message in forbidden if applies),
        *(Problem("E0237", gap, address_required) for gap in address_gaps),
    )
