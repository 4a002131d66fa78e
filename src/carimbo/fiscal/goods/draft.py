"""A document on its way from the typed groups to the signed bytes, with what is to be said of it."""

from dataclasses import dataclass, replace

from carimbo.fiscal.document_type import Issuance, Review
from carimbo.fiscal.goods.composition import Composition
from carimbo.fiscal.goods.rules.case import Case
from carimbo.fiscal.goods.rules.judging import judged
from carimbo.fiscal.goods.sale import SaleBody
from carimbo.fiscal.layouts.nfe_v4.document import WrittenInvoice, check, write
from carimbo.fiscal.layouts.nfe_v4.invoice import Invoice
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.signed_document import SignedDocument

# The authorities take messages of 500 kB (MOC 7.0, rule 214); what a signature and an envelope add is little.
_LONGEST_SURELY_TAKEN = 490_000


@dataclass(frozen=True, slots=True)
class Draft:
    """The typed document and its text, and what the rules say of it."""

    invoice: Invoice
    written: WrittenInvoice
    problems: tuple[Problem, ...]
    warnings: tuple[str, ...]


def drafted(
    composed: Composition | tuple[Problem, ...], request: SaleBody, issuance: Issuance
) -> Draft | Review:
    """Hold a composed document against the rules and write it, or tell why that can't be done."""
    if isinstance(composed, tuple):
        return Review(composed)
    judgement = judged(Case(composed.invoice, request, issuance.company, issuance.now))
    written = write(composed.invoice)
    warnings = composed.warnings + judgement.warnings
    if isinstance(written, tuple):
        return Review(judgement.problems + written, warnings)
    return Draft(composed.invoice, written, judgement.problems, warnings + _size_warnings(written))


def _size_warnings(written: WrittenInvoice) -> tuple[str, ...]:
    size = len(written.content)
    if size <= _LONGEST_SURELY_TAKEN:
        return ()
    return (
        f"items: A nota tem {size // 1_000} kB, e a SEFAZ pode recusar mensagens de mais de 500 kB (214).",
    )


def finished(
    draft: Draft, signed: SignedDocument | tuple[Problem, ...], issuance: Issuance
) -> SignedDocument | Review:
    """The signed document, unless the rules or the XSD refuse it; then both say so at once."""
    if isinstance(signed, tuple):
        return Review(draft.problems + signed, draft.warnings)
    told = {problem.path for problem in draft.problems}
    # What a rule tells of a field the XSD tells again in fewer words.
    refused = tuple(problem for problem in check(signed, issuance.schemas) if problem.path not in told)
    if draft.problems or refused:
        return Review(draft.problems + refused, draft.warnings)
    return replace(signed, warnings=draft.warnings) if draft.warnings else signed


def outcome(made: SignedDocument | Review) -> SignedDocument | tuple[Problem, ...]:
    """The document, or what keeps it from being made."""
    return made.problems if isinstance(made, Review) else made


def reviewed(made: SignedDocument | Review) -> Review:
    """What is to be said of a document that was made for trial."""
    return made if isinstance(made, Review) else Review(warnings=made.warnings)
