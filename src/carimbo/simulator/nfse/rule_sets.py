"""All rules in the order in which the Sefin checks them, and the broken ones of a declaration or event.

A broken signature rule hides all others; otherwise all broken rules are reported at once.
"""

from collections.abc import Iterable
from typing import TypeVar

from carimbo.simulator.nfse.call import MESSAGE_RULES
from carimbo.simulator.nfse.dps import JudgedDps
from carimbo.simulator.nfse.rules.certificates import (
    EVENT_SIGNATURE_RULES,
    NOTE_SIGNATURE_RULES,
    SENDER_RULES,
)
from carimbo.simulator.nfse.rules.events import EVENT_RULES
from carimbo.simulator.nfse.rules.federal import FEDERAL_RULES
from carimbo.simulator.nfse.rules.identity import IDENTITY_RULES
from carimbo.simulator.nfse.rules.iss import ISS_RULES, RATE_RULES
from carimbo.simulator.nfse.rules.parties import PARTY_RULES, PROVIDER_RULES
from carimbo.simulator.nfse.rules.referenced_documents import DEDUCTION_RULES, EXPENSE_RULES
from carimbo.simulator.nfse.rules.reform import REFORM_RULES
from carimbo.simulator.nfse.rules.service import SERVICE_RULES, SITE_RULES
from carimbo.simulator.nfse.rules.substitution import SUBSTITUTION_RULES
from carimbo.simulator.nfse.rules.values import VALUE_RULES
from carimbo.simulator.rules import (
    AuthorityVerdict,
    RejectionRule,
    SignedSubmission,
    broken_by,
    codes_of,
    first_broken,
)

JudgedT = TypeVar("JudgedT", bound=SignedSubmission)

NOTE_RULES: tuple[RejectionRule[JudgedDps], ...] = (
    *IDENTITY_RULES,
    *SUBSTITUTION_RULES,
    *PROVIDER_RULES,
    *PARTY_RULES,
    *SERVICE_RULES,
    *SITE_RULES,
    *VALUE_RULES,
    *DEDUCTION_RULES,
    *ISS_RULES,
    *RATE_RULES,
    *FEDERAL_RULES,
    *REFORM_RULES,
    *EXPENSE_RULES,
)
RULE_CODES = codes_of(
    SENDER_RULES, MESSAGE_RULES, NOTE_SIGNATURE_RULES, NOTE_RULES, EVENT_SIGNATURE_RULES, EVENT_RULES
)


def broken_dps_rules(judged: JudgedDps) -> list[AuthorityVerdict]:
    """Returns every rule that a declaration breaks; without any, the note is issued."""
    return broken_rules(NOTE_SIGNATURE_RULES, NOTE_RULES, judged)


def broken_rules(
    signature_rules: Iterable[RejectionRule[JudgedT]],
    rules: Iterable[RejectionRule[JudgedT]],
    judged: JudgedT,
) -> list[AuthorityVerdict]:
    """Returns the first broken signature rule, or else every other broken rule."""
    off = judged.context.controls.rules_off
    unsigned = first_broken(signature_rules, judged, off)
    return [unsigned] if unsigned else list(broken_by(rules, judged, off))
