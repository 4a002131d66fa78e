"""A document on its way from the typed groups to the signed bytes, with what is to be said of it."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar

from carimbo.fiscal.company import Company
from carimbo.fiscal.document_type import Issuance, Review
from carimbo.fiscal.emission import Emission
from carimbo.fiscal.goods.composition import Composition
from carimbo.fiscal.goods.preview import InvoicePreview
from carimbo.fiscal.goods.rules.case import Case
from carimbo.fiscal.goods.rules.judging import judged
from carimbo.fiscal.goods.rules.size import size_problems, size_warnings
from carimbo.fiscal.goods.sale import SaleBody
from carimbo.fiscal.layouts.nfe_v4.document import check, in_root, write
from carimbo.fiscal.layouts.nfe_v4.invoice import Invoice
from carimbo.fiscal.layouts.signed_part import WrittenPart
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.rules import Judgement
from carimbo.fiscal.signed_document import SignedDocument
from carimbo.fiscal.software import Software

RequestT = TypeVar("RequestT", bound=SaleBody)

Signed = SignedDocument | tuple[Problem, ...]
"""A signed document, or everything that keeps it from being made."""


@dataclass(frozen=True, slots=True)
class Draft:
    """The typed document and its text, and what the rules say of it."""

    invoice: Invoice
    written: WrittenPart
    problems: tuple[Problem, ...]
    warnings: tuple[str, ...]


Compose = Callable[[RequestT, Company, Emission, Software], Composition]
"""How a type makes a document of its request."""


def drafted(compose: Compose[RequestT], request: RequestT, issuance: Issuance) -> Draft | Review:
    """Compose a document, hold it against the rules and write it, or tell why that can't be done."""
    composed = compose(request, issuance.company, issuance.emission, issuance.software)
    judgement = judged(Case(composed.invoice, request, issuance.company, issuance.now))
    warnings = composed.warnings + judgement.warnings
    if composed.problems:
        sure = tuple(warning for warning in judgement.warnings if not _FOLLOWS_FROM_TAXES.match(warning))
        return Review(_judged_in_part(judgement, composed) + composed.problems, composed.warnings + sure)
    written = write(composed.invoice)
    if isinstance(written, tuple):
        return Review(judgement.problems + _untold(written, judgement.problems), warnings)
    return Draft(composed.invoice, written, judgement.problems, warnings)


# What rules can't know of a document whose taxes or parties are not all there.
_FOLLOWS_FROM_TAXES = re.compile(
    r"items\[\d+\]\.(icms|pis|cofins|ipi|ibsCbs|stateShare)|totals|payments|change"
)
_ITEM = re.compile(r"items\[\d+\]")
_PRICE = re.compile(r"items\[\d+\]\.amount")
# Fields that no body has: they are computed, and what is wrong with them is wrong elsewhere.
_COMPUTED = re.compile(r"totals\b|items\[\d+\]\.(total|amount)$|payments\[0\]\.amount$")


def _judged_in_part(judgement: Judgement, composed: Composition) -> tuple[Problem, ...]:
    """Returns the broken rules of a document with gaps, but those that a gap alone breaks.

    A gap breaks the rules of its own field and of what holds it: without `recipient.address.street` there is
    no `recipient.address`, and without a valid `recipient.name` no `recipient`.
    """
    gaps = [problem.path for problem in composed.problems if problem.path.startswith("recipient")]
    return tuple(
        problem
        for problem in judgement.problems
        if not _FOLLOWS_FROM_TAXES.match(problem.path)
        and not any(f"{gap}.".startswith(f"{problem.path}.") for gap in gaps)
    )


def _untold(problems: tuple[Problem, ...], told: tuple[Problem, ...]) -> tuple[Problem, ...]:
    """Those that no rule has told already, of the same field or of one that it is computed of."""
    paths = {problem.path for problem in told}
    untold = [problem for problem in problems if problem.path not in paths]
    prices = [problem for problem in untold if _PRICE.fullmatch(problem.path)]
    if prices and not told:
        # All taxes of such an item are too great as well.
        return tuple(map(_of_the_items, prices))
    of_fields = tuple(problem for problem in untold if not _COMPUTED.match(problem.path))
    if of_fields or told or not untold:
        return of_fields
    return (_of_the_items(untold[0]),)


def _of_the_items(problem: Problem) -> Problem:
    """A computed amount that the document has no place for, though each that it is computed of has one."""
    message = f"Um valor calculado dos itens não cabe na nota. {problem.message}"
    item = _ITEM.match(problem.path)
    path, hint = item[0] if item else "items", "Confira quantidades, preços e descontos."
    return replace(problem, path=path, message=message, hint=hint)


def finished(draft: Draft, signed: Signed, issuance: Issuance) -> Signed:
    """The signed document, unless the rules or the XSD refuse it; then both say so at once.

    One that is too long is only warned of: whoever sends it has had it reviewed.
    """
    problems = _problems_of(draft, signed, issuance)
    if problems or isinstance(signed, tuple):
        return problems
    warnings = draft.warnings + size_warnings(signed.xml)
    return replace(signed, warnings=warnings) if warnings else signed


def reviewed(draft: Draft, signed: Signed, issuance: Issuance) -> Review:
    """What is to be said of a document that was signed for trial, and what it would be."""
    document = in_root(draft.written) if isinstance(signed, tuple) else signed.xml
    preview = InvoicePreview(draft.invoice, document)
    problems = _problems_of(draft, signed, issuance) + size_problems(document)
    return Review(problems, draft.warnings + size_warnings(document), preview)


def _problems_of(draft: Draft, signed: Signed, issuance: Issuance) -> tuple[Problem, ...]:
    if isinstance(signed, tuple):
        return draft.problems + signed
    # What a rule tells of a field the XSD tells again, in words of its own.
    return draft.problems + _untold(check(signed, issuance.schemas), draft.problems)
