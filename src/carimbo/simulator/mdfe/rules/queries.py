"""Rules about keys of MDF-e, consults, and questions about open MDF-e."""

from carimbo.simulator.identifiers import KEY_YEAR, is_person, tax_id_base
from carimbo.simulator.mdfe.dialect import MDFE
from carimbo.simulator.mdfe.open_question import OpenQuestion
from carimbo.simulator.mdfe.rules.identification import FIRST_YEAR
from carimbo.simulator.rules import Finding, RejectionRule
from carimbo.simulator.sefaz.rules.keys import impossible_reference
from carimbo.simulator.sefaz.rules.queries import (
    AboutKey,
    ConsultQuestion,
    asked_too_often,
    issued_long_ago,
    other_key,
)


def impossible_key(question: AboutKey) -> Finding:
    """MOC MDF-e, 236: any part of the key is impossible; the answer says which."""
    fault = impossible_reference(question, question.access_key, MDFE)
    if not fault and question.access_key[KEY_YEAR] < FIRST_YEAR:
        return "[Motivo: ano inválido]"
    return fault


CONSULT_RULES: tuple[RejectionRule[ConsultQuestion], ...] = (
    RejectionRule("678", asked_too_often),
    RejectionRule("236", impossible_key),
    RejectionRule("460", issued_long_ago),
    RejectionRule("600", other_key),
)


def asked_by_another_company(question: OpenQuestion) -> bool:
    """MOC MDF-e, 213: only branches of a company see its open MDF-e."""
    sender, issuer = question.call.taxpayer, question.issuer
    return not is_person(issuer) and tax_id_base(sender) != tax_id_base(issuer)


def asked_by_another_person(question: OpenQuestion) -> bool:
    """MOC MDF-e, 202."""
    return is_person(question.issuer) and question.call.taxpayer != question.issuer


OPEN_QUESTION_RULES: tuple[RejectionRule[OpenQuestion], ...] = (
    RejectionRule("213", asked_by_another_company),
    RejectionRule("202", asked_by_another_person),
)
