"""How NF-e and NFC-e are made: what both hand over to the steps that all types share."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from carimbo.fiscal.company import Company
from carimbo.fiscal.emission import Emission
from carimbo.fiscal.goods.preview import InvoicePreview
from carimbo.fiscal.goods.rules.case import Case
from carimbo.fiscal.goods.rules.judging import judged
from carimbo.fiscal.goods.rules.size import judge_size
from carimbo.fiscal.goods.sale import SaleBody
from carimbo.fiscal.issuance import Issuance
from carimbo.fiscal.layouts.nfe_v4.document import check, in_root, write
from carimbo.fiscal.layouts.nfe_v4.invoice import Invoice
from carimbo.fiscal.layouts.signed_part import WrittenPart
from carimbo.fiscal.making import Composition, DocumentMaker
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.rules import Judgement
from carimbo.fiscal.signature import Signature
from carimbo.fiscal.signed_document import SignedDocument
from carimbo.fiscal.software import Software

RequestT = TypeVar("RequestT", bound=SaleBody)

Problems = tuple[Problem, ...]

Compose = Callable[[RequestT, Company, Emission, Software], Composition[Invoice]]
"""Makes the typed document of a request."""

Enclose = Callable[[Invoice, WrittenPart, Signature, Issuance], SignedDocument | Problems]
"""Puts a document and its signature into the root."""


def goods_maker(compose: Compose[RequestT], enclose: Enclose) -> DocumentMaker[RequestT, Invoice]:
    """Returns the maker of a type of goods."""

    def compose_for(request: RequestT, issuance: Issuance) -> Composition[Invoice]:
        return compose(request, issuance.company, issuance.emission, issuance.software)

    def judge(invoice: Invoice, request: RequestT, issuance: Issuance) -> Judgement:
        return judged(Case(invoice, request, issuance.company, issuance.now))

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


# What rules can't know of a document whose taxes or parties are not all there.
_FOLLOWS_FROM_TAXES = re.compile(
    r"items\[\d+\]\.(icms|pis|cofins|ipi|ibsCbs|stateShare)|totals|payments|change"
)
_ITEM = re.compile(r"items\[\d+\]")
_PRICE = re.compile(r"items\[\d+\]\.amount")
# Fields that no body has: they are computed, and what is wrong with them is wrong elsewhere.
_COMPUTED = re.compile(r"totals\b|items\[\d+\]\.(total|amount)$|payments\[0\]\.amount$")


def _combine(composed: Problems, judgement: Judgement, layout: Problems) -> Judgement:
    """Returns what is reported: of a document with gaps no rule that a gap breaks, and every field once."""
    if composed:
        sure = tuple(warning for warning in judgement.warnings if not _FOLLOWS_FROM_TAXES.match(warning))
        return Judgement(_without_gaps(judgement.problems, composed) + composed, sure)
    if not layout:
        return judgement
    # The XSD finds again, in words of its own, what a rule says of a field.
    return replace(judgement, problems=judgement.problems + _unreported(layout, judgement.problems))


def _without_gaps(broken: Problems, composed: Problems) -> Problems:
    """Returns the broken rules of a document with gaps, but those that a gap alone breaks.

    A gap breaks the rules of its own field and of what holds it: without `recipient.address.street` there is
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
    """Returns the problems of the layout that no rule reports, of the field or of one it is computed from."""
    paths = {problem.path for problem in broken}
    unreported = [problem for problem in layout if problem.path not in paths]
    prices = [problem for problem in unreported if _PRICE.fullmatch(problem.path)]
    if prices and not broken:
        # All taxes of such an item are too great as well.
        return tuple(map(_of_the_items, prices))
    of_fields = tuple(problem for problem in unreported if not _COMPUTED.match(problem.path))
    if of_fields or broken or not unreported:
        return of_fields
    return (_of_the_items(unreported[0]),)


def _of_the_items(problem: Problem) -> Problem:
    """Returns the problem of a computed amount that is too great, though no value that it comes from is."""
    message = f"Um valor calculado dos itens não cabe na nota. {problem.message}"
    item = _ITEM.match(problem.path)
    path, hint = item[0] if item else "items", "Confira quantidades, preços e descontos."
    return replace(problem, path=path, message=message, hint=hint)
