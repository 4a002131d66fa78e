"""Rules of Sefin about the request, checked before the DPS is composed."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from carimbo.fiscal.calendar import DatedRule, RulesInForce
from carimbo.fiscal.documents.nfse.bodies import BorrowerBody, OwnDebitBody
from carimbo.fiscal.documents.nfse.iss import NATURE_EXEMPT, NATURE_IMMUNE, NATURE_SUSPENDED
from carimbo.fiscal.documents.nfse.request import NfseRequest
from carimbo.fiscal.documents.nfse.territory import rules_of_competence
from carimbo.fiscal.identity.tax_ids import cnpj_base, is_cnpj
from carimbo.fiscal.issuance import Issuance, Software
from carimbo.fiscal.parties.company import Company, TaxRegime
from carimbo.fiscal.parties.party_address import NationalAddressBody
from carimbo.fiscal.problems import quoted
from carimbo.fiscal.rules import At, DocumentCheck, RuleBook
from carimbo.fiscal.tables.geography import FOREIGN_COUNTRIES
from carimbo.fiscal.taxes.pis_cofins import PIS_COFINS_ENDED, lacks_regime

ANNEX = "NFS-e nacional, Anexo I"
"""The source of Sefin's rules."""
_LAYOUT = "NFS-e nacional, leiaute da DPS"
_OTHER_REASON = "99"
# CST of PIS and COFINS with a debit.
_TAXED = frozenset({"01", "02", "03"})


@dataclass(frozen=True, slots=True)
class RequestInput:
    """The facts that the rules of a request use."""

    request: NfseRequest
    issuance: Issuance
    competence: date
    rules: RulesInForce
    """The rules in force on the day of the competence."""

    @property
    def company(self) -> Company:
        """The issuer."""
        return self.issuance.company


REQUEST_RULES: RuleBook[DocumentCheck[RequestInput]] = RuleBook()


def missing_for_rules(company: Company, _: Software, day: date) -> tuple[str, ...]:
    """Returns the fields of the company that the rules of a day require and no request can provide."""
    regime = ("pisCofinsRegime",) if lacks_regime(company, rules_of_competence(day)) else ()
    return (*regime, *(("simplesRate",) if _lacks_simples_rate(company) else ()))


@REQUEST_RULES.rule(
    "MUNICIPALITY_NOT_SUPPORTED",
    "NFS-e nacional, parametrização municipal",
    "O município da empresa ({}) {}.",
    hint="Emita no sistema da prefeitura até que o município adote o emissor nacional.",
)
def municipality_lets_issue_here(judged: RequestInput) -> At | None:
    """The company's municipality must use the national emitter; a MEI may issue anywhere."""
    company = judged.company
    city = company.address.city_code or ""
    agreement = judged.issuance.external_facts.agreements.get(city)
    if agreement is None or company.tax_regime is TaxRegime.MEI:
        return None
    # Companies of Simples issue nationally, whichever emitter their municipality uses (Res. CGSN 191/2026).
    issues_nationally = (
        company.tax_regime.is_simples and DatedRule.SIMPLES_USES_NATIONAL_EMITTER in judged.rules
    )
    if agreement.is_active and (agreement.uses_national_emitter or issues_nationally):
        return None
    reason = (
        "mantém emissor próprio, e não o nacional"
        if agreement.is_active
        else "não tem convênio ativo com a NFS-e"
    )
    return At("company.address.cityCode", values=(city, reason), facts=(("cityCode", city),))


@REQUEST_RULES.rule(
    "E0712",
    ANNEX,
    "Falta a alíquota total do Simples Nacional no cadastro da empresa.",
    hint="Preencha simplesRate no cadastro da empresa.",
)
def simples_rate(judged: RequestInput) -> At | None:
    """Companies of Simples must have their total rate."""
    return At("company.simplesRate") if _lacks_simples_rate(judged.company) else None


def _lacks_simples_rate(company: Company) -> bool:
    return company.tax_regime.is_simples and company.simples_rate is None


@REQUEST_RULES.rule(
    "E0676",
    ANNEX,
    "A empresa é MEI, e a nota de MEI não leva tributos federais.",
    hint="Deixe taxes fora do corpo.",
)
def federal_taxes_of_a_mei(judged: RequestInput) -> At | None:
    """A MEI has no federal taxes in its notes."""
    return At("taxes") if judged.company.tax_regime is TaxRegime.MEI and judged.request.taxes else None


@REQUEST_RULES.rule(
    PIS_COFINS_ENDED,
    "LC 214/2025, arts. 542 e 544",
    "PIS e COFINS acabaram: a nota desta competência não os leva.",
    hint=(
        "Retire taxes.{}; a retenção que resta é a de CSLL, em taxes.csll. Se o serviço é anterior, informe a"
        " competência em issueDate."
    ),
)
def ended_contributions(judged: RequestInput) -> Iterator[At]:
    """A competence after the end of PIS and COFINS allows neither; zeros are accepted."""
    taxes = judged.request.taxes
    if DatedRule.PIS_COFINS_ENDED not in judged.rules or taxes is None:
        return
    own = taxes.own_debit or OwnDebitBody()
    given = {
        "pis.rate": taxes.pis and taxes.pis.rate,
        "cofins.rate": taxes.cofins and taxes.cofins.rate,
        "ownDebit.pisRate": own.pis_rate,
        "ownDebit.cofinsRate": own.cofins_rate,
        "ownDebit.base": own.base,
        "ownDebit.cst": own.cst in _TAXED,
        "pisCofinsCst": taxes.pis_cofins_cst in _TAXED,
    }
    for name, value in given.items():
        if value:
            yield At(f"taxes.{name}", values=(name,))


@REQUEST_RULES.rule("E0015", ANNEX, "A competência não pode ser posterior à emissão, que é hoje.")
def competence_is_past(judged: RequestInput) -> At | None:
    """The competence must not be in the future."""
    return At("issueDate") if judged.competence > judged.issuance.emission.issued_at.date() else None


@REQUEST_RULES.rule(
    "CONTRADICTION",
    _LAYOUT,
    "A natureza da operação {} não admite {}.",
    hint="Confira natureOfOperation: 3 é isenção, 4 imunidade, 5 e 6 exigibilidade suspensa.",
)
def fields_of_the_nature(judged: RequestInput) -> Iterator[At]:
    """Natures 3 to 6 have fields that other natures must not have."""
    request, nature = judged.request, judged.request.nature_of_operation
    fields = (
        ("benefit", request.benefit, nature == NATURE_EXEMPT),
        ("immunityType", request.immunity_type, nature == NATURE_IMMUNE),
        ("suspension", request.suspension, nature in NATURE_SUSPENDED),
    )
    for field, value, belongs in fields:
        if value is not None and not belongs:
            yield At(field, values=(nature, field))


def _is_exported_with(*natures: str) -> DocumentCheck[RequestInput]:
    """Returns the check that an export has none of these natures."""

    def check(judged: RequestInput) -> At | None:
        request = judged.request
        is_exported = request.result_country_code or request.service_country_code
        nature = request.nature_of_operation
        return At("natureOfOperation", values=(nature,)) if is_exported and nature in natures else None

    return check


# An export is neither exempt nor immune, and has no tax to suspend.
for _code, _natures in (("E0533", "3"), ("E0591", "4"), ("E0585", "56")):
    REQUEST_RULES.rule(
        _code, ANNEX, "Serviço exportado não tem a natureza {}.", hint="Deixe natureOfOperation em 1."
    )(_is_exported_with(*_natures))


@REQUEST_RULES.rule("E0202", ANNEX, "O tomador não pode ser a própria empresa.")
def taker_is_somebody_else(judged: RequestInput) -> At | None:
    """The taker must not be the company itself."""
    return At("borrower.taxId") if judged.request.borrower.tax_id == judged.company.tax_id else None


@REQUEST_RULES.rule(
    "AMBIGUOUS", _LAYOUT, "Informe taxId, de quem é do Brasil, ou foreignId, de quem é do exterior."
)
def taker_is_here_or_abroad(judged: RequestInput) -> At | None:
    """The layout allows only one id."""
    taker = judged.request.borrower
    return At("borrower.foreignId") if taker.tax_id and taker.is_foreign else None


@REQUEST_RULES.rule("AMBIGUOUS", _LAYOUT, "Informe foreignId ou noForeignIdReason, não os dois.")
def taker_has_an_id_or_a_reason(judged: RequestInput) -> At | None:
    """A taker with an id must not have a reason for its absence."""
    taker = judged.request.borrower
    return At("borrower.noForeignIdReason") if taker.foreign_id and taker.no_foreign_id_reason else None


@REQUEST_RULES.rule(
    "E0223",
    ANNEX,
    "O tomador do exterior precisa do NIF, ou do motivo da falta.",
    hint="Informe foreignId ou noForeignIdReason.",
)
def taker_abroad_is_identified(judged: RequestInput) -> At | None:
    """A taker abroad must have the id of its country, or a reason for its absence."""
    taker = judged.request.borrower
    return At("borrower.foreignId") if taker.is_foreign and not taker.is_identified else None


@REQUEST_RULES.rule("E0242", ANNEX, "O tomador do exterior precisa de endereço no exterior.")
def address_of_a_taker_abroad(judged: RequestInput) -> list[At]:
    """A taker abroad must have an address there."""
    return [At(path) for path in _gaps_abroad(judged.request.borrower, "borrower.address")]


def _gaps_abroad(party: BorrowerBody, path: str) -> tuple[str, ...]:
    """Returns the missing fields in the address of a party from abroad.

    A party with a foreign id (NIF) needs an address abroad; without one it may be anywhere.
    """
    if party.tax_id or not party.is_foreign:
        return ()
    if party.foreign_id and isinstance(party.address, NationalAddressBody):
        return (path,)
    return party.address_gaps(path)


@REQUEST_RULES.rule("E0281", ANNEX, "O intermediário precisa de CPF, CNPJ ou NIF.")
def intermediary_is_identified(judged: RequestInput) -> At | None:
    """The intermediary must have an id."""
    party = judged.request.intermediary
    return At("intermediary.taxId") if party and not party.is_identified else None


@REQUEST_RULES.rule("E0262", ANNEX, "O intermediário não pode ser a própria empresa, nem uma filial dela.")
def intermediary_is_somebody_else(judged: RequestInput) -> At | None:
    """The intermediary must not be the company or one of its branches."""
    tax_id = judged.request.intermediary.tax_id if judged.request.intermediary else None
    is_company = tax_id is not None and is_cnpj(tax_id)
    is_own = is_company and cnpj_base(tax_id or "") == cnpj_base(judged.company.tax_id)
    return At("intermediary.taxId") if is_own else None


@REQUEST_RULES.rule("E0298", ANNEX, "O intermediário do exterior precisa de endereço no exterior.")
def address_of_an_intermediary_abroad(judged: RequestInput) -> list[At]:
    """An intermediary with a foreign id must have an address abroad."""
    party = judged.request.intermediary
    if party is None or not party.foreign_id:
        return []
    return [At(path) for path in _gaps_abroad(party, "intermediary.address")]


def _is_abroad(field: str, country: str | None) -> At | None:
    """Returns the field if its country is not a foreign country."""
    if country and country not in FOREIGN_COUNTRIES.value:
        return At(field, values=(quoted(country),))
    return None


@REQUEST_RULES.rule("E0304", ANNEX, "{} não é o código de um país do exterior.")
def service_country_is_abroad(judged: RequestInput) -> At | None:
    """The country of a service abroad must not be Brazil."""
    return _is_abroad("serviceCountryCode", judged.request.service_country_code)


@REQUEST_RULES.rule("E0590", ANNEX, "{} não é o código de um país do exterior.")
def result_country_is_abroad(judged: RequestInput) -> At | None:
    """The country of the result must not be Brazil."""
    return _is_abroad("resultCountryCode", judged.request.result_country_code)


@REQUEST_RULES.rule("E0044", ANNEX, "A NFS-e a substituir não existe nesta empresa, ou não está autorizada.")
def replaced_note_exists(judged: RequestInput) -> At | None:
    """The replaced note must be authorized."""
    is_unknown = judged.request.replaces and judged.issuance.external_facts.replaced is None
    return At("replaces.documentId") if is_unknown else None


@REQUEST_RULES.rule("E0078", ANNEX, "O motivo da substituição é obrigatório com o código 99.")
def reason_of_the_replacement(judged: RequestInput) -> At | None:
    """Reason code 99 requires a text."""
    replaces = judged.request.replaces
    is_open = replaces and replaces.reason_code == _OTHER_REASON and replaces.reason is None
    return At("replaces.reason") if is_open else None
