"""Composes a DPS from request, company and emission."""

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import cached_property
from typing import cast

from carimbo.fiscal.calendar import RulesInForce
from carimbo.fiscal.documents.nfse import iss
from carimbo.fiscal.documents.nfse.bodies import taker_of
from carimbo.fiscal.documents.nfse.description import VariableSource, fill_variables
from carimbo.fiscal.documents.nfse.federal_taxes import federal_taxes, total_taxes
from carimbo.fiscal.documents.nfse.hints import hint_of
from carimbo.fiscal.documents.nfse.ibs_cbs import ibs_cbs_of
from carimbo.fiscal.documents.nfse.iss import assessment_of, option_of
from carimbo.fiscal.documents.nfse.own_debit import own_debit_of
from carimbo.fiscal.documents.nfse.request import NfseRequest
from carimbo.fiscal.documents.nfse.request_rules import REQUEST_RULES, RequestInput
from carimbo.fiscal.documents.nfse.rules import needs_taker_address
from carimbo.fiscal.documents.nfse.service_facts import ServiceFacts, facts_of
from carimbo.fiscal.documents.nfse.settings import NfseSettings
from carimbo.fiscal.documents.nfse.territory import (
    Territory,
    competence_of,
    rules_of_competence,
    service_city,
    territory_of,
)
from carimbo.fiscal.documents.nfse.totals import NoteTotals, total_warning
from carimbo.fiscal.identity.access_key import dps_id
from carimbo.fiscal.issuance import ExternalFacts, Issuance, Software
from carimbo.fiscal.layouts.dps_v1 import parties as layout
from carimbo.fiscal.layouts.dps_v1.amounts import Amounts, ServiceAmount, Taxes
from carimbo.fiscal.layouts.dps_v1.service import ComplementaryInformation, ProvidedService, ServiceCode
from carimbo.fiscal.layouts.dps_v1.service_note import ServiceNote, Substitution
from carimbo.fiscal.making import Composition
from carimbo.fiscal.money import ZERO, format_rate
from carimbo.fiscal.parties.company import Company, TaxRegime
from carimbo.fiscal.problems import Findings
from carimbo.fiscal.rules import judge

ISSUED_BY_PROVIDER = "1"
_MAX_VERSION_LENGTH = 20


def application_version(software: Software) -> str:
    """Returns the name of the software, cut to the length of `verAplic`."""
    return software.name[:_MAX_VERSION_LENGTH]


@dataclass(frozen=True)
class NoteParts:
    """The facts from which the groups of a DPS are composed."""

    request: NfseRequest
    company: Company
    settings: NfseSettings
    facts: ServiceFacts
    territory: Territory
    competence: date
    rules: RulesInForce
    """The rules in force on the day of the competence, whenever the note is issued."""
    description: str
    external_facts: ExternalFacts

    @cached_property
    def iss_facts(self) -> iss.IssFacts:
        """The facts that decide about the ISS rate."""
        agreement = self.external_facts.agreements.get(self.territory.incidence_city or "")
        return iss.IssFacts(
            regime=self.company.tax_regime,
            assessment=assessment_of(self.company),
            special_regime=self.settings.special_regime,
            taxation=iss.taxation_of(self.request, self.facts),
            is_withheld=self.facts.is_withheld,
            is_suspended=iss.is_suspended(self.request),
            is_exempt=iss.is_exempt(self.request),
            # If the query failed: nearly every municipality has joined.
            is_active=agreement is None or agreement.is_active,
        )

    @property
    def iss_rate_due(self) -> Decimal:
        """The ISS rate on the price; zero if no ISS is due."""
        is_due = self.iss_facts.taxation == iss.Taxation.TAXABLE and not self.iss_facts.is_exempt
        return self.facts.iss_rate if is_due else ZERO


def compose(request: NfseRequest, issuance: Issuance) -> Composition[NoteTotals | None]:
    """Returns the DPS with its totals, and everything that the request lacks or must not have."""
    findings, company = Findings(), issuance.company
    settings = cast(NfseSettings, issuance.settings)
    competence = competence_of(request, issuance)
    rules = rules_of_competence(competence)
    rule_input = RequestInput(request, issuance, competence, rules)
    findings.add_problems(judge((REQUEST_RULES,), rule_input, hint_of).problems)
    description = fill_variables(VariableSource(request, company, competence), findings)
    findings.add_problems(issuance.unfilled)
    facts = None if issuance.unfilled else findings.attempt(facts_of, request, settings)
    territory = _territory(request, company, facts, findings)
    if facts is None or territory is None:
        return Composition(None, findings.problems, findings.warnings)

    parts = NoteParts(
        request, company, settings, facts, territory, competence, rules, description, issuance.external_facts
    )
    note = _note(parts, issuance, findings)
    # Without a rate in the note Sefin applies the municipality's own, if that is known.
    city_rate, has_rate = parts.external_facts.iss_rate, note.amounts.taxes.iss.rate is not None
    sums = NoteTotals(note, facts.iss_rate if city_rate is None or has_rate else city_rate)
    _warn_of_addresses(parts, findings)
    if warning := total_warning(sums):
        findings.add_warning(warning)
    return Composition(sums, findings.problems, findings.warnings)


def _territory(
    request: NfseRequest, company: Company, facts: ServiceFacts | None, findings: Findings
) -> Territory | None:
    """Returns the place of the service; problems of the place are reported even for an unknown service."""
    if facts:
        return findings.attempt(territory_of, request, company, facts.service)
    if not request.service_country_code:
        findings.attempt(service_city, request, company)
    return None


def _note(parts: NoteParts, issuance: Issuance, findings: Findings) -> ServiceNote:
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


def _warn(parts: NoteParts, findings: Findings) -> None:
    """Warns about contents of the note that the caller may not expect."""
    taker = parts.request.borrower
    if not taker.is_identified:
        findings.add_warning("O tomador não tem CPF, CNPJ nem NIF: a nota sai sem tomador identificado.")
    if taker.tax_id and not taker.is_person and taker.address is None:
        findings.add_warning("O tomador com CNPJ está sem endereço, que alguns municípios exigem.")
    left_out_rate = iss.left_out_rate(parts.request, parts.settings, parts.iss_facts)
    for warning in filter(None, (parts.facts.warning, left_out_rate)):
        findings.add_warning(warning)

    city_rate, given_rate = parts.external_facts.iss_rate, parts.facts.iss_rate
    is_taxable = parts.iss_facts.taxation == iss.Taxation.TAXABLE
    if city_rate is not None and city_rate != given_rate and is_taxable:
        findings.add_warning(
            f"O município informa a alíquota de {format_rate(city_rate)}% para este serviço, e a informada é"
            f" {format_rate(given_rate)}%: o ISS da nota é o que a Sefin calcula."
        )
    given_cities = {"1": parts.territory.issuing_city, "2": parts.territory.service_city}
    given_city = given_cities.get(parts.request.municipality_of_incidence)
    if given_city and parts.territory.incidence_city not in (None, given_city):
        findings.add_warning(
            f"O ISS deste serviço é devido ao município {parts.territory.incidence_city}, e não a"
            f" {given_city}: o padrão nacional o deduz do código do serviço."
        )


def _warn_of_addresses(parts: NoteParts, findings: Findings) -> None:
    """Warns of incomplete addresses that the note omits, unless a rule requires them."""
    request = parts.request
    parties = (
        ("borrower.address", request.borrower, needs_taker_address(parts.facts.service)),
        ("intermediary.address", request.intermediary, False),
    )
    for path, party, is_required in parties:
        is_reported = is_required or any(problem.path.startswith(path) for problem in findings.problems)
        warning = party.address_warning(path) if party and not is_reported else None
        if warning:
            findings.add_warning(warning)


def _provider(parts: NoteParts) -> layout.Provider:
    """Returns the issuer; its registered name and address must not be sent (E0121, E0128)."""
    company = parts.company
    has_registration = parts.settings.send_municipal_registration and company.tax_regime is not TaxRegime.MEI
    return layout.Provider(
        cnpj=company.tax_id,
        municipal_registration=company.municipal_registration if has_registration else None,
        phone=company.phone,
        regime=layout.ProviderRegime(
            simples=option_of(company),
            simples_assessment=assessment_of(company),
            special=parts.settings.special_regime,
        ),
    )


def _service(parts: NoteParts) -> ProvidedService:
    request, facts = parts.request, parts.facts
    return ProvidedService(
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
        additional=ComplementaryInformation(notes=request.notes) if request.notes else None,
    )


def _amounts(parts: NoteParts, findings: Findings) -> Amounts:
    request, company = parts.request, parts.company
    own = own_debit_of(request, company, parts.iss_facts.taxation, parts.rules, findings)
    return Amounts(
        service=ServiceAmount(amount=request.amount),
        discounts=request.discounts,
        deductions=request.deductions,
        taxes=Taxes(
            iss=iss.iss_of(request, parts.facts, parts.iss_facts, findings),
            federal=federal_taxes(request, company, own, parts.rules, findings),
            total=total_taxes(request, company, own, parts.iss_rate_due, findings),
        ),
    )


def _substitution(parts: NoteParts) -> Substitution | None:
    body, replaced = parts.request.replaces, parts.external_facts.replaced
    if body is None or replaced is None:
        return None
    return Substitution(access_key=replaced.access_key, reason_code=body.reason_code, reason=body.reason)
