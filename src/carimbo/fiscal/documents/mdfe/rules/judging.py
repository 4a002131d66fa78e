"""Checks a manifest against all rules and reports every broken one."""

from typing import Any

from carimbo.fiscal.documents.mdfe.hints import hint_of
from carimbo.fiscal.documents.mdfe.request import MdfeRequest
from carimbo.fiscal.documents.mdfe.rules import cargo, documents, identity, payments, places, road
from carimbo.fiscal.documents.mdfe.rules.rule import ManifestInput
from carimbo.fiscal.issuance import Issuance
from carimbo.fiscal.layouts.mdfe_v3.manifest import Manifest
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.rules import Judgement, RuleBook, broken_rules, judgement_of

# In the order in which their problems are reported.
BOOKS: tuple[RuleBook[Any], ...] = (
    identity.RULES,
    places.RULES,
    documents.RULES,
    road.RULES,
    road.NOT_BY_ROAD,
    cargo.RULES,
    cargo.LATER_RULES,
)


def judge_manifest(manifest: Manifest, request: MdfeRequest, issuance: Issuance) -> Judgement:
    """Checks a document against the rules."""
    document = ManifestInput(manifest, request, issuance.now)
    books = (book for book in BOOKS if book.when is None or book.when(document))
    broken = [broken_rule for book in books for broken_rule in broken_rules(book, document, hint_of)]
    broken += broken_rules(payments.RULES, payments.payments_of(document), hint_of)
    return judgement_of(broken)


def payment_problems(subject: payments.PaymentsInput) -> tuple[Problem, ...]:
    """Returns the problems of the payments of an event."""
    return judgement_of(list(broken_rules(payments.RULES, subject, hint_of))).problems
