"""The functions that NF-e and NFC-e give to the pipeline of `carimbo.fiscal.making`."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from carimbo.fiscal.emission import Emission
from carimbo.fiscal.goods.preview import InvoicePreview
from carimbo.fiscal.goods.request import GoodsRequest
from carimbo.fiscal.goods.rules.judging import judge_document, judge_size
from carimbo.fiscal.goods.rules.rule import RuleInput
from carimbo.fiscal.identity.signature import Signature
from carimbo.fiscal.issuance import Issuance, Software
from carimbo.fiscal.layouts.nfe_v4.invoice import Invoice, check, in_root, write
from carimbo.fiscal.layouts.signed_part import WrittenPart
from carimbo.fiscal.making import Composition, DocumentMaker
from carimbo.fiscal.parties.company import Company
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.rules import Judgement
from carimbo.fiscal.signed_documents import SignedDocument

RequestT = TypeVar("RequestT", bound=GoodsRequest)

Problems = tuple[Problem, ...]

Compose = Callable[[RequestT, Company, Emission, Software], Composition[Invoice]]
"""Composes the typed document of a request."""

Enclose = Callable[[Invoice, WrittenPart, Signature, Issuance], SignedDocument | Problems]
"""Puts a document and its signature into the root element."""


def goods_maker(compose: Compose[RequestT], enclose: Enclose) -> DocumentMaker[RequestT, Invoice]:
    """Returns the maker of NF-e or NFC-e."""

    def compose_for(request: RequestT, issuance: Issuance) -> Composition[Invoice]:
        return compose(request, issuance.company, issuance.emission, issuance.software)

    def judge(invoice: Invoice, request: RequestT, issuance: Issuance) -> Judgement:
        return judge_document(RuleInput(invoice, request, issuance.company, issuance.now))

    return DocumentMaker(
        compose=compose_for,
        judge=judge,
        write=write,
        enclose=enclose,
        in_root=in_root,
        check=check,
        preview=InvoicePreview,
        combine=_combine,
        judge_text=judge_size,
    )


# Fields that rules can't judge while taxes or parties of the document are incomplete.
_FOLLOWS_FROM_TAXES = re.compile(
    r"items\[\d+\]\.(icms|pis|cofins|ipi|ibsCbs|stateShare)|totals|payments|change"
)
_ITEM = re.compile(r"items\[\d+\]")
_PRICE = re.compile(r"items\[\d+\]\.amount")
# Computed fields, which no request has: the error is in the fields that they are computed from.
_COMPUTED = re.compile(r"totals\b|items\[\d+\]\.(total|amount)$|payments\[0\]\.amount$")


def _combine(composed: Problems, judgement: Judgement, layout: Problems) -> Judgement:
    """Combines the problems of composing, of the rules and of the XSD, and reports every field once.

    If composing found gaps, rules that are broken only because of a gap are left out.
    """
    if composed:
        warnings = tuple(warning for warning in judgement.warnings if not _FOLLOWS_FROM_TAXES.match(warning))
        return Judgement(_without_gaps(judgement.problems, composed) + composed, warnings)
    if not layout:
        return judgement
    # The XSD reports the same fields again that rules report, in other words.
    return replace(judgement, problems=judgement.problems + _unreported(layout, judgement.problems))


def _without_gaps(broken: Problems, composed: Problems) -> Problems:
    """Returns the broken rules, without those that are broken only because of a gap.

    A gap breaks the rules of its own field and of its parents: without `recipient.address.street` there is
    no `recipient.address`, and without a valid `recipient.name` no `recipient`.
    """
    gaps = [problem.path for problem in composed if problem.path.startswith("recipient")]
    return tuple(
        problem
        for problem in broken
        if not _FOLLOWS_FROM_TAXES.match(problem.path)
        and not any(f"{gap}.".startswith(f"{problem.path}.") for gap in gaps)
    )


def _unreported(layout: Problems, broken: Problems) -> Problems:
    """Returns the XSD problems that no rule reports, of the field or of one that it is computed from."""
    paths = {problem.path for problem in broken}
    unreported = [problem for problem in layout if problem.path not in paths]
    prices = [problem for problem in unreported if _PRICE.fullmatch(problem.path)]
    if prices and not broken:
        # If a price is too large, so are all taxes of the item: report only the price.
        return tuple(map(_computed_value_problem, prices))
    of_request = tuple(problem for problem in unreported if not _COMPUTED.match(problem.path))
    if of_request or broken or not unreported:
        return of_request
    return (_computed_value_problem(unreported[0]),)


def _computed_value_problem(problem: Problem) -> Problem:
    """Returns the problem of a computed amount that is too large, although every given value is valid."""
    message = f"Um valor calculado dos itens não cabe na nota. {problem.message}"
    item = _ITEM.match(problem.path)
    path, hint = item[0] if item else "items", "Confira quantidades, preços e descontos."
    return replace(problem, path=path, message=message, hint=hint)
