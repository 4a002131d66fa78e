"""Every rule of MDF-e reports its own mistake, and no other rule reports it."""

import re
from typing import Any

import pytest

from carimbo.fiscal.documents.mdfe.hints import hint_of, hints
from carimbo.fiscal.documents.mdfe.rules import judging, payments
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.rules import Rule, Severity
from carimbo.fiscal.tables.statuses import MDFE_STATUSES
from support import OTHER_CNPJ
from unit.fiscal.documents.cte.breaking import Breaking
from unit.fiscal.documents.mdfe import breakings_cargo, breakings_road
from unit.fiscal.documents.mdfe.bodies import GOOD
from unit.fiscal.documents.mdfe.breaking import new_warnings, places, review
from unit.fiscal.hinted_fields import not_one_sentence

BREAKINGS = (*breakings_cargo.BREAKINGS, *breakings_road.BREAKINGS)
WARNINGS = (*breakings_cargo.WARNINGS, *breakings_road.WARNINGS)
RULES = (*(rule for book in judging.BOOKS for rule in book), *payments.RULES)
HIRED = {"own cargo on a hired vehicle", "full load", "vehicle of a cooperative", "payment in cash"}
"""The good requests with the vehicle of an owner, whose contractor is derived with a warning."""


@pytest.mark.parametrize("good", GOOD)
def test_good_request_breaks_no_rule(good: str, signer: Signer) -> None:
    reviewed = review(Breaking("", "", good), signer)
    assert reviewed.problems == ()
    warned = [text.partition(":")[0] for text in reviewed.warnings]
    assert warned == (["modal.contractors"] if good in HIRED else [])


@pytest.mark.parametrize("good", GOOD)
def test_company_whose_cnpj_has_letters_breaks_no_rule(good: str, signer: Signer) -> None:
    letters = Breaking("", "", good, company={"taxId": OTHER_CNPJ})
    assert places(letters, signer) == []


@pytest.mark.parametrize("breaking", BREAKINGS, ids=str)
def test_mistake_is_reported_once_by_its_rule(breaking: Breaking, signer: Signer) -> None:
    assert places(breaking, signer) == [(breaking.code, breaking.path)]


@pytest.mark.parametrize("breaking", WARNINGS, ids=str)
def test_doubtful_request_causes_one_warning_and_no_problem(breaking: Breaking, signer: Signer) -> None:
    assert places(breaking, signer) == []
    assert new_warnings(breaking, signer) == [breaking.path]


def test_every_rule_has_a_test(signer: Signer) -> None:
    reviews = [review(row, signer) for row in (*BREAKINGS, *WARNINGS)]
    reported = {problem.message for reviewed in reviews for problem in reviewed.problems}
    reported |= {text.partition(": ")[2] for reviewed in reviews for text in reviewed.warnings}
    # Several rules have the code of the XSD, but each has its own message.
    assert [rule.code for rule in RULES if not any(map(_pattern(rule).match, reported))] == []


def _pattern(rule: Rule[Any]) -> re.Pattern[str]:
    return re.compile(re.escape(rule.message).replace(r"\{\}", ".+"))


def test_rules_have_different_messages() -> None:
    messages = [rule.message for rule in RULES]
    assert len(set(messages)) == len(messages)


def test_codes_are_those_of_the_authority_or_names_of_our_own() -> None:
    own = {"AXLES_WITHOUT_VOUCHERS", "TRIP_BEFORE_ISSUE"}
    assert {rule.code for rule in RULES} - set(MDFE_STATUSES) == own


def test_every_refusing_rule_has_a_hint() -> None:
    refusing = [rule for rule in RULES if rule.severity is Severity.REFUSES]
    assert [rule.code for rule in refusing if not (rule.hint or hint_of(rule.code))] == []
    assert not_one_sentence(rule.hint for rule in RULES if rule.hint) == []


def test_fields_of_hints_are_the_reported_ones() -> None:
    with_own_hint = {rule.code for rule in RULES if rule.hint}
    hinted = [
        (row.code, re.sub(r"\[\d+\]", "[]", row.path), hints()[row.code].field)
        for row in BREAKINGS
        if row.code not in with_own_hint
    ]
    others = {(code, path) for code, path, field in hinted if field and not path.startswith(field)}
    # The authority says less about the place than our rules do.
    assert others == {
        ("405", "loadingCityCodes[]"),
        ("456", "loadingCityCodes[]"),
        ("577", "modal.drivers[].taxId"),
        ("602", "documents[].cteAccessKeys[]"),
        ("606", "documents[].nfeAccessKeys[]"),
        ("646", "modal.trailers[].plate"),
        ("707", "laterLoading"),
        ("740", "modal.trailers[].owner"),
        ("742", "modal.contractors[].foreignId"),
    }
