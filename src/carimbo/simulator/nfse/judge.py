"""Every rule in the order in which the Sefin looks, and the verdict on a declaration or an event.

What is wrong with the signature hides the rest; of the rest all is told at once.
"""

from collections.abc import Iterable
from typing import TypeVar

from carimbo.simulator.nfse.case import NoteCase
from carimbo.simulator.nfse.rules.deductions import DEDUCTION_RULES
from carimbo.simulator.nfse.rules.expenses import EXPENSE_RULES
from carimbo.simulator.nfse.rules.federal import FEDERAL_RULES
from carimbo.simulator.nfse.rules.identity import IDENTITY_RULES
from carimbo.simulator.nfse.rules.iss import ISS_RULES
from carimbo.simulator.nfse.rules.parties import PARTY_RULES
from carimbo.simulator.nfse.rules.provider import PROVIDER_RULES
from carimbo.simulator.nfse.rules.rate import RATE_RULES
from carimbo.simulator.nfse.rules.reform import REFORM_RULES
from carimbo.simulator.nfse.rules.service import SERVICE_RULES
from carimbo.simulator.nfse.rules.signature import NOTE_SIGNATURE_RULES
from carimbo.simulator.nfse.rules.sites import SITE_RULES
from carimbo.simulator.nfse.rules.substitution import SUBSTITUTION_RULES
from carimbo.simulator.nfse.rules.values import VALUE_RULES
from carimbo.simulator.presented import Presented
from carimbo.simulator.rule import Refusal, Rule, broken_by, first_broken

CaseT = TypeVar("CaseT", bound=Presented)

NOTE_RULES: tuple[Rule[NoteCase], ...] = (
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


def judge(case: NoteCase) -> list[Refusal]:
    """Every rule that a declaration breaks; none if it becomes a note."""
    return all_broken(NOTE_SIGNATURE_RULES, NOTE_RULES, case)


def all_broken(
    signature_rules: Iterable[Rule[CaseT]], rules: Iterable[Rule[CaseT]], case: CaseT
) -> list[Refusal]:
    """The first rule of signatures that a case breaks, or else every other rule."""
    off = case.world.controls.rules_off
    unsigned = first_broken(signature_rules, case, off)
    return [unsigned] if unsigned else list(broken_by(rules, case, off))
