"""Composing a DPS: request, company and emission become the declaration that is written."""

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import cached_property
from typing import cast

from carimbo.fiscal.calendar import RulesInForce
from carimbo.fiscal.company import Company, TaxRegime
from carimbo.fiscal.documents.nfse import iss
from carimbo.fiscal.documents.nfse.borrower import taker_of
from carimbo.fiscal.documents.nfse.competence import competence_of, rules_of_competence
from carimbo.fiscal.documents.nfse.description import Sold, described
from carimbo.fiscal.documents.nfse.federal_taxes import federal_taxes, total_taxes
from carimbo.fiscal.documents.nfse.hints import hint_of
from carimbo.fiscal.documents.nfse.own_debit import own_debit_of
from carimbo.fiscal.documents.nfse.reform import ibs_cbs_of
from carimbo.fiscal.documents.nfse.request import NfseRequest
from carimbo.fiscal.documents.nfse.request_rules import REQUEST_RULES, RequestInput
from carimbo.fiscal.documents.nfse.rules import needs_taker_address
from carimbo.fiscal.documents.nfse.service_facts import ServiceFacts, facts_of
from carimbo.fiscal.documents.nfse.settings import NfseSettings
from carimbo.fiscal.documents.nfse.simples import assessment_of, option_of
from carimbo.fiscal.documents.nfse.software import application_version
from carimbo.fiscal.documents.nfse.territory import Territory, service_city, territory_of
from carimbo.fiscal.documents.nfse.total_due import total_warning
from carimbo.fiscal.documents.nfse.totals import NoteTotals
from carimbo.fiscal.findings import Findings
from carimbo.fiscal.ids import dps_id
from carimbo.fiscal.issuance import Issuance, Surroundings
from carimbo.fiscal.layouts.dps_v1 import parties as layout
from carimbo.fiscal.layouts.dps_v1.amounts import Amounts, ServiceAmount
from carimbo.fiscal.layouts.dps_v1.service import AdditionalInformation, Service, ServiceCode
from carimbo.fiscal.layouts.dps_v1.service_note import ServiceNote, Substitution
from carimbo.fiscal.layouts.dps_v1.taxes import Taxes
from carimbo.fiscal.making import Composition
from carimbo.fiscal.money import ZERO, written_rate
from carimbo.fiscal.rules import judge

ISSUED_BY_PROVIDER = "1"


@dataclass(frozen=True)
class Parts:
    """What the groups of a declaration are made of."""

    request: NfseRequest
    company: Company
    settings: NfseSettings
    facts: ServiceFacts
    territory: Territory
    competence: date
    rules: RulesInForce
    """The rules in force on the day of the competence, whenever the note is issued."""
    description: str
    surroundings: Surroundings

    @cached_property
    def iss_case(self) -> iss.IssCase:
        """What decides about the rate of the ISS."""
        agreement = self.surroundings.agreements.get(self.territory.incidence_city or "")
        return iss.IssCase(
            regime=self.company.tax_regime,
            assessment=assessment_of(self.company),
            special_regime=self.settings.special_regime,
            taxation=iss.taxation_of(self.request, self.facts),
            is_withheld=self.facts.is_withheld,
            is_suspended=iss.is_suspended(self.request),
            is_exempt=iss.is_exempt(self.request),
            # Where nobody could be asked: nearly every municipality has joined.
            is_active=agreement is None or agreement.is_active,
        )

    @property
    def iss_rate_due(self) -> Decimal:
        """The rate that weighs on the price: none where no ISS is due."""
        is_due = self.iss_case.taxation == iss.Taxation.TAXABLE and not self.iss_case.is_exempt
        return self.facts.iss_rate if is_due else ZERO


def compose(request: NfseRequest, issuance: Issuance) -> Composition[NoteTotals | None]:
    """Makes the declaration, and finds everything that the request lacks or must not have."""
    findings, company = Findings(), issuance.company
    settings = cast(NfseSettings, issuance.settings)
    competence = competence_of(request, issuance)
    rules = rules_of_competence(competence)
    asked = RequestInput(request, issuance, competence, rules)
    findings.missed_all(judge((REQUEST_RULES,), asked, hint_of).problems)
    description = described(Sold(request, company, competence), findings)
    findings.missed_all(issuance.unfilled)
    facts = None if issuance.unfilled else findings.tried(facts_of, request, settings)
    territory = _territory(request, company, facts, findings)
    if facts is None or territory is None:
        return Composition(None, findings.problems, findings.warnings)
    parts = Parts(
        request, company, settings, facts, territory, competence, rules, description, issuance.surroundings
    )
    note = _note(parts, issuance, findings)
    sums = NoteTotals(note, _applied_rate(parts, note))
    _warn_of_addresses(parts, findings)
    if warning := total_warning(sums):
        findings.assumed(warning)
    return Composition(sums, findings.problems, findings.warnings)


def _applied_rate(parts: Parts, note: ServiceNote) -> Decimal:
    """The rate that Sefin will apply: where the note tells none, the municipality's own if it is known."""
    theirs, is_told = parts.surroundings.iss_rate, note.amounts.taxes.iss.rate is not None
    return parts.facts.iss_rate if theirs is None or is_told else theirs


def _territory(
    request: NfseRequest, company: Company, facts: ServiceFacts | None, findings: Findings
) -> Territory | None:
    """Where the service was given; what is wrong with the place is told even of an unknown service."""
    if facts:
        return findings.tried(territory_of, request, company, facts.service)
    if not request.service_country_code:
        findings.tried(service_city, request, company)
    return None


def _note(parts: Parts, issuance: Issuance, findings: Findings) -> ServiceNote:
    request, emission = parts.request, issuance.emission
    city = parts.territory.issuing_city
    _warn(parts, findings)
    return ServiceNote(
        id=dps_id(city, parts.company.tax_id, emission.series, emission.number),
        environment=emission.environment.code,
        issued_at=emission.issued_at,
        application_version=application_version(issuance.software),
        series=emission.series,
        number=emission.number,
        competence=parts.competence,
        issuer=ISSUED_BY_PROVIDER,
        city_code=city,
        substitution=_substitution(parts),
        provider=_provider(parts),
        taker=taker_of(request.borrower),
        intermediary=taker_of(request.intermediary),
        service=_service(parts),
        amounts=_amounts(parts, findings),
        ibs_cbs=ibs_cbs_of(
            request, parts.company, parts.facts, parts.territory, parts.competence, parts.rules, findings
        ),
    )


def _warn(parts: Parts, findings: Findings) -> None:
    """Tell what the caller may not expect."""
    if not parts.request.borrower.is_identified:
        findings.assumed("O tomador não tem CPF, CNPJ nem NIF: a nota sai sem tomador identificado.")
    taker = parts.request.borrower
    if taker.tax_id and not taker.is_person and taker.address is None:
        findings.assumed("O tomador com CNPJ está sem endereço, que alguns municípios exigem.")
    left_out_rate = iss.left_out_rate(parts.request, parts.settings, parts.iss_case)
    for warning in filter(None, (parts.facts.warning, left_out_rate)):
        findings.assumed(warning)
    theirs, ours = parts.surroundings.iss_rate, parts.facts.iss_rate
    if theirs is not None and theirs != ours and parts.iss_case.taxation == iss.Taxation.TAXABLE:
        findings.assumed(
            f"O município informa a alíquota de {written_rate(theirs)}% para este serviço, e a informada é"
            f" {written_rate(ours)}%: o ISS da nota é o que a Sefin calcula."
        )
    told = {"1": parts.territory.issuing_city, "2": parts.territory.service_city}
    expected = told.get(parts.request.municipality_of_incidence)
    if expected and parts.territory.incidence_city not in (None, expected):
        findings.assumed(
            f"O ISS deste serviço é devido ao município {parts.territory.incidence_city}, e não a {expected}:"
            " o padrão nacional o deduz do código do serviço."
        )


def _warn_of_addresses(parts: Parts, findings: Findings) -> None:
    """Warns of incomplete addresses that the note leaves out, unless a rule demands them."""
    request = parts.request
    parties = (
        ("borrower.address", request.borrower, needs_taker_address(parts.facts.service)),
        ("intermediary.address", request.intermediary, False),
    )
    for path, party, is_demanded in parties:
        is_reported = is_demanded or any(problem.path.startswith(path) for problem in findings.problems)
        warning = party.address_warning(path) if party and not is_reported else None
        if warning:
            findings.assumed(warning)


def _provider(parts: Parts) -> layout.Provider:
    """Who issues; name and address are in the registers, and must not be told (E0121, E0128)."""
    company = parts.company
    is_told = parts.settings.send_municipal_registration and company.tax_regime is not TaxRegime.MEI
    return layout.Provider(
        cnpj=company.tax_id,
        municipal_registration=company.municipal_registration if is_told else None,
        phone=company.phone,
        regime=layout.TaxRegime(
            simples=option_of(company),
            simples_assessment=assessment_of(company),
            special=parts.settings.special_regime,
        ),
    )


def _service(parts: Parts) -> Service:
    request, facts = parts.request, parts.facts
    return Service(
        place=parts.territory.place,
        code=ServiceCode(
            national_code=facts.service.code,
            city_code=facts.city_code,
            description=parts.description,
            nbs=facts.nbs,
        ),
        foreign_trade=request.foreign_trade,
        construction=request.construction,
        event=request.event,
        additional=AdditionalInformation(notes=request.notes) if request.notes else None,
    )


def _amounts(parts: Parts, findings: Findings) -> Amounts:
    request, company = parts.request, parts.company
    own = own_debit_of(request, company, parts.iss_case.taxation, parts.rules, findings)
    return Amounts(
        service=ServiceAmount(amount=request.amount),
        discounts=request.discounts,
        deductions=request.deductions,
        taxes=Taxes(
            iss=iss.iss_of(request, parts.facts, parts.iss_case, findings),
            federal=federal_taxes(request, company, own, parts.rules, findings),
            total=total_taxes(request, company, own, parts.iss_rate_due, findings),
        ),
    )


def _substitution(parts: Parts) -> Substitution | None:
    asked, replaced = parts.request.replaces, parts.surroundings.replaced
    if asked is None or replaced is None:
        return None
    return Substitution(access_key=replaced.access_key, reason_code=asked.reason_code, reason=asked.reason)
