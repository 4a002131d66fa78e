"""Rules of Sefin that a request breaks whatever its service is, told before it is composed."""

from collections.abc import Iterator
from datetime import date, datetime

from carimbo.fiscal.calendar import DatedRule, RulesInForce
from carimbo.fiscal.company import Company, TaxRegime
from carimbo.fiscal.document_type import Issuance, Replaced
from carimbo.fiscal.documents.nfse.borrower import BorrowerBody
from carimbo.fiscal.documents.nfse.competence import rules_of_competence
from carimbo.fiscal.documents.nfse.iss import NATURE_EXEMPT, NATURE_IMMUNE, NATURE_SUSPENDED
from carimbo.fiscal.documents.nfse.own_debit import refuse_ended_contributions
from carimbo.fiscal.documents.nfse.request import NfseRequest
from carimbo.fiscal.party_address import NationalAddressBody
from carimbo.fiscal.problems import Problem, quoted
from carimbo.fiscal.software import Software
from carimbo.fiscal.tables.countries import FOREIGN_COUNTRIES
from carimbo.fiscal.taxpayer import cnpj_base, is_cnpj

_OTHER_REASON = "99"
# By nature, what Sefin says of one that is exported.
_NOT_EXPORTED = {"3": "E0533", "4": "E0591", "5": "E0585", "6": "E0585"}
_NATURES = "Confira natureOfOperation: 3 é isenção, 4 imunidade, 5 e 6 exigibilidade suspensa."


def rules_of_request(
    request: NfseRequest, competence: date, rules: RulesInForce, issuance: Issuance
) -> Iterator[Problem]:
    """Tell everything that is wrong with a request of this company (Anexo I of the national NFS-e)."""
    company = issuance.company
    yield from _municipality(company, rules, issuance)
    yield from _regime(request, company)
    yield from refuse_ended_contributions(request, rules)
    yield from _dates(competence, issuance.emission.issued_at)
    yield from _nature(request)
    yield from _exported(request)
    yield from _taker(request, company)
    yield from _intermediary(request, company)
    yield from _countries(request)
    yield from _substitution(request, issuance.surroundings.replaced)


def missing_for_rules(company: Company, _: Software, day: date) -> tuple[str, ...]:
    """Returns what the rules of a day ask of the company, and no request can give in its place."""
    owes_contributions = DatedRule.PIS_COFINS_ENDED not in rules_of_competence(day)
    is_normal = company.tax_regime is TaxRegime.NORMAL
    lacks_regime = owes_contributions and is_normal and company.pis_cofins_regime is None
    regime = ("pisCofinsRegime",) if lacks_regime else ()
    return (*regime, *(("simplesRate",) if _lacks_simples_rate(company) else ()))


def _municipality(company: Company, rules: RulesInForce, issuance: Issuance) -> Iterator[Problem]:
    """The company's municipality has to let its taxpayers issue here; a MEI does so everywhere."""
    city = company.address.city_code or ""
    agreement = issuance.surroundings.agreements.get(city)
    if agreement is None or company.tax_regime is TaxRegime.MEI:
        return
    if agreement.is_active and (agreement.uses_national_emitter or _must_issue_here(company, rules)):
        return
    told = (
        "mantém emissor próprio, e não o nacional"
        if agreement.is_active
        else "não tem convênio ativo com a NFS-e"
    )
    yield Problem(
        "MUNICIPALITY_NOT_SUPPORTED",
        "company.address.cityCode",
        f"O município da empresa ({city}) {told}.",
        "Emita no sistema da prefeitura até que o município adote o emissor nacional.",
        facts=(("cityCode", city),),
    )


def _must_issue_here(company: Company, rules: RulesInForce) -> bool:
    """Companies of Simples issue nationally whatever emitter their municipality has (Res. CGSN 191/2026)."""
    return company.tax_regime.is_simples and DatedRule.SIMPLES_USES_NATIONAL_EMITTER in rules


def _regime(request: NfseRequest, company: Company) -> Iterator[Problem]:
    """What a company tells by its regime, or must not tell."""
    if _lacks_simples_rate(company):
        told = "Falta a alíquota total do Simples Nacional no cadastro da empresa."
        yield Problem("E0712", "company.simplesRate", told, "Preencha simplesRate no cadastro da empresa.")
    if company.tax_regime is TaxRegime.MEI and request.taxes:
        told = "A empresa é MEI, e a nota de MEI não leva tributos federais."
        yield Problem("E0676", "taxes", told, "Deixe taxes fora do corpo.")


def _lacks_simples_rate(company: Company) -> bool:
    return company.tax_regime.is_simples and company.simples_rate is None


def _dates(competence: date, issued_at: datetime) -> Iterator[Problem]:
    if competence > issued_at.date():
        yield Problem("E0015", "issueDate", "A competência não pode ser posterior à emissão, que é hoje.")


def _nature(request: NfseRequest) -> Iterator[Problem]:
    """What natures 3 to 6 have besides, and no other may have."""
    nature = request.nature_of_operation
    surplus = (
        ("benefit", request.benefit, nature == NATURE_EXEMPT),
        ("immunityType", request.immunity_type, nature == NATURE_IMMUNE),
        ("suspension", request.suspension, nature in NATURE_SUSPENDED),
    )
    for field, value, belongs in surplus:
        if value is not None and not belongs:
            told = f"A natureza da operação {nature} não admite {field}."
            yield Problem("CONTRADICTION", field, told, _NATURES)


def _exported(request: NfseRequest) -> Iterator[Problem]:
    """What is exported is neither immune nor exempt, and has no tax to be suspended."""
    is_exported = request.result_country_code or request.service_country_code
    code = _NOT_EXPORTED.get(request.nature_of_operation)
    if is_exported and code:
        told = f"Serviço exportado não tem a natureza {request.nature_of_operation}."
        yield Problem(code, "natureOfOperation", told, "Deixe natureOfOperation em 1.")


def _taker(request: NfseRequest, company: Company) -> Iterator[Problem]:
    taker = request.borrower
    if taker.tax_id == company.tax_id:
        yield Problem("E0202", "borrower.taxId", "O tomador não pode ser a própria empresa.")
    if taker.tax_id and taker.is_foreign:
        told = "Informe taxId, de quem é do Brasil, ou foreignId, de quem é do exterior."
        yield Problem("AMBIGUOUS", "borrower.foreignId", told)
    if taker.foreign_id and taker.no_foreign_id_reason:
        yield Problem(
            "AMBIGUOUS", "borrower.noForeignIdReason", "Informe foreignId ou noForeignIdReason, não os dois."
        )
    if taker.is_foreign and not taker.is_identified:
        told = "O tomador do exterior precisa do NIF, ou do motivo da falta."
        yield Problem("E0223", "borrower.foreignId", told, "Informe foreignId ou noForeignIdReason.")
    for path in _gaps_abroad(taker, "borrower.address"):
        yield Problem("E0242", path, "O tomador do exterior precisa de endereço no exterior.")


def _gaps_abroad(party: BorrowerBody, path: str) -> tuple[str, ...]:
    """Returns what a party from abroad lacks in its address.

    One with an id of abroad (NIF) needs an address there; one without any may be anywhere.
    """
    if party.tax_id or not party.is_foreign:
        return ()
    if party.foreign_id and isinstance(party.address, NationalAddressBody):
        return (path,)
    return party.address_gaps(path)


def _intermediary(request: NfseRequest, company: Company) -> Iterator[Problem]:
    between = request.intermediary
    if between and not between.is_identified:
        told = "O intermediário precisa de CPF, CNPJ ou NIF."
        yield Problem("E0281", "intermediary.taxId", told)
    if between and _is_establishment(between, company):
        told = "O intermediário não pode ser a própria empresa, nem uma filial dela."
        yield Problem("E0262", "intermediary.taxId", told)
    for path in _gaps_abroad(between, "intermediary.address") if between and between.foreign_id else ():
        yield Problem("E0298", path, "O intermediário do exterior precisa de endereço no exterior.")


def _is_establishment(party: BorrowerBody, company: Company) -> bool:
    is_company = party.tax_id is not None and is_cnpj(party.tax_id)
    return is_company and cnpj_base(party.tax_id or "") == cnpj_base(company.tax_id)


def _countries(request: NfseRequest) -> Iterator[Problem]:
    """Countries by their letters; this one is none of those abroad."""
    told = (
        ("E0304", "serviceCountryCode", request.service_country_code),
        ("E0590", "resultCountryCode", request.result_country_code),
    )
    for code, field, country in told:
        if country and country not in FOREIGN_COUNTRIES.value:
            yield Problem(code, field, f"{quoted(country)} não é o código de um país do exterior.")


def _substitution(request: NfseRequest, replaced: Replaced | None) -> Iterator[Problem]:
    asked = request.replaces
    if asked and replaced is None:
        told = "A NFS-e a substituir não existe nesta empresa, ou não está autorizada."
        yield Problem("E0044", "replaces.documentId", told)
    if asked and asked.reason_code == _OTHER_REASON and asked.reason is None:
        yield Problem("E0078", "replaces.reason", "O motivo da substituição é obrigatório com o código 99.")
