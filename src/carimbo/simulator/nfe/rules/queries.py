"""Rules about keys in questions (MOC 7.0, J02 and P12), consults (table 5-16) and status (table 5-20)."""

from carimbo.simulator.identifiers import KEY_MODEL
from carimbo.simulator.nfe.dialect import NFCE, NFE
from carimbo.simulator.rules import RejectionRule
from carimbo.simulator.sefaz.call import ServiceCall
from carimbo.simulator.sefaz.queries import status_of_another_authorizer
from carimbo.simulator.sefaz.rules.queries import (
    AboutKey,
    ConsultQuestion,
    asked_too_often,
    impossible_issuer,
    impossible_month,
    impossible_year,
    issued_long_ago,
    other_key,
    other_model,
    other_month,
    other_numeric_code,
    state_of_another_authorizer,
    unknown_state,
    without_number,
    wrong_digit,
)

STATUS_RULES: tuple[RejectionRule[ServiceCall], ...] = (RejectionRule("289", status_of_another_authorizer),)


def receipt_among_invoices(question: AboutKey) -> bool:
    """The service is that of NF-e."""
    return question.dialect.model_at(question.service_path) == NFE and question.access_key[KEY_MODEL] == NFCE


def invoice_among_receipts(question: AboutKey) -> bool:
    """The service is that of NFC-e."""
    return question.dialect.model_at(question.service_path) == NFCE and question.access_key[KEY_MODEL] == NFE


ASKED_KEY_RULES: tuple[RejectionRule[AboutKey], ...] = (
    RejectionRule("236", wrong_digit),
    RejectionRule("614", unknown_state),
    RejectionRule("615", impossible_year),
    RejectionRule("616", impossible_month),
    RejectionRule("617", impossible_issuer),
    RejectionRule("618", other_model),
    RejectionRule("619", without_number),
    RejectionRule("450", receipt_among_invoices),
    RejectionRule("775", invoice_among_receipts),
)


CONSULT_RULES: tuple[RejectionRule[ConsultQuestion], ...] = (
    RejectionRule("656", asked_too_often),
    RejectionRule("226", state_of_another_authorizer),
    # 226 comes first (MOC 7.0, J02), and no authority serves a state that does not exist.
    *(rule for rule in ASKED_KEY_RULES if rule.broken is not unknown_state),
    RejectionRule("526", issued_long_ago),
    RejectionRule("562", other_numeric_code),
    RejectionRule("561", other_month),
    RejectionRule("613", other_key),
)
