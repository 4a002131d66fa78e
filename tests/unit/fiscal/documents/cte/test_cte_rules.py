"""Every rule of CT-e reports its own mistake, and no other rule reports it."""

import re

import pytest

from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.rules import Severity
from carimbo.fiscal.tables.statuses import CTE_STATUSES
from carimbo.fiscal.transport.hints import hint_of, hints
from unit.fiscal.documents.cte import breakings_cargo, breakings_modes, breakings_parties
from unit.fiscal.documents.cte.bodies import GOOD
from unit.fiscal.documents.cte.breaking import RULES, Breaking, judge, new_warnings
from unit.fiscal.hinted_fields import not_one_sentence

BREAKINGS: tuple[Breaking, ...] = (
    *breakings_parties.BREAKINGS,
    *breakings_modes.BREAKINGS,
    *breakings_cargo.BREAKINGS,
)
WARNINGS: tuple[Breaking, ...] = (
    *breakings_parties.WARNINGS,
    *breakings_modes.WARNINGS,
    *breakings_cargo.WARNINGS,
)

pytestmark = pytest.mark.usefixtures("cbs_of_2027")


@pytest.mark.parametrize("good", GOOD)
def test_good_request_breaks_no_rule(good: str, signer: Signer) -> None:
    judged = judge(Breaking("", "", good), signer)
    assert (judged.problems, judged.warnings) == ((), ())


@pytest.mark.parametrize("breaking", BREAKINGS, ids=str)
def test_mistake_is_reported_once_by_its_rule(breaking: Breaking, signer: Signer) -> None:
    assert judge(breaking, signer).places == [(breaking.code, breaking.path)]


@pytest.mark.parametrize("breaking", WARNINGS, ids=str)
def test_doubtful_request_causes_one_warning_and_no_problem(breaking: Breaking, signer: Signer) -> None:
    assert judge(breaking, signer).problems == ()
    assert new_warnings(breaking, signer) == [(breaking.code, breaking.path)]


def test_every_rule_has_a_test() -> None:
    refused, warned = {row.code for row in BREAKINGS}, {row.code for row in WARNINGS}
    untested = [
        (rule.code, rule.severity)
        for rule in RULES
        if rule.code not in (refused if rule.severity is Severity.REFUSES else warned)
    ]
    # The calendar has no day yet for the refusal of a missing group; it has a test of its own.
    assert untested == [("310", Severity.REFUSES)]


OWN_NAMES = {
    "AFRMM_ABOVE_BASE",
    "AIR_DELIVERY_DATE",
    "AIR_DIMENSIONS",
    "AIR_HANDLING",
    "AIR_ICMS_RATE",
    "AIR_WAYBILL_NUMBER",
    "CBS_FREE_ZONE",
    "COMPONENTS_SUM",
    "CONTAINER_NFE_KEY",
    "CONTAINER_REPEATED",
    "DCE_KEY",
    "DCE_REPEATED",
    "IBS_CBS_BASE",
    "IBS_CBS_CLASS",
    "IBS_CBS_GROUP",
    "IBS_CBS_PUBLIC",
    "IBS_CBS_RATE",
    "IBS_CBS_REDUCTION",
    "IBS_CBS_REFUND",
    "IBS_CBS_SITUATION",
    "IBS_SUM",
    "ICMS_ABOVE_PRICE",
    "ICMS_ABROAD",
    "ICMS_BASE",
    "ICMS_CREDIT",
    "ICMS_RATE",
    "ICMS_STATE",
    "NET_ABOVE_PRICE",
    "NFE_TOO_OLD",
    "PIPELINE_PERIOD",
    "STATE_SHARE",
    "STATE_SHARE_AMOUNT",
}
# NT CT-e 2026.004 names these codes, but not their texts.
WITHOUT_TEXT = {"1051", "1052", "1053"}


def test_codes_are_those_of_the_authorities_or_names_of_our_own() -> None:
    assert {rule.code for rule in RULES} - set(CTE_STATUSES) == OWN_NAMES | WITHOUT_TEXT


def test_every_rule_has_a_hint() -> None:
    assert [rule.code for rule in RULES if not (rule.hint or hint_of(rule.code))] == []
    assert not_one_sentence(rule.hint for rule in RULES if rule.hint) == []


def test_fields_of_hints_are_the_reported_ones() -> None:
    hinted = [(row, hints()[row.code].field) for row in (*BREAKINGS, *WARNINGS) if row.code in hints()]
    others = [
        (row.code, row.path, field)
        for row, field in hinted
        if field and not re.sub(r"\[\d+\]", "[]", row.path).startswith(field)
    ]
    # The authority does not say whose name it refuses; our rule does.
    assert others == [("730", "shipper.name", "globalized"), ("730", "recipient.name", "globalized")]
