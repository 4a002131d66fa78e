"""The signed XML of a CT-e: made, checked and previewed."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import partial
from typing import Any

from carimbo.fiscal.documents.cte.document import compose
from carimbo.fiscal.documents.cte.rules.judging import judge_size, judge_waybill
from carimbo.fiscal.documents.cte.rules.rule import SCHEMA_CODE
from carimbo.fiscal.identity.signature import Signature
from carimbo.fiscal.issuance import Issuance, Lines, signed_identity
from carimbo.fiscal.layouts.cte_v4 import waybill as layout
from carimbo.fiscal.layouts.cte_v4.waybill import Waybill
from carimbo.fiscal.layouts.json_form import to_plain
from carimbo.fiscal.layouts.signed_part import WrittenPart, without_signature
from carimbo.fiscal.making import DocumentMaker
from carimbo.fiscal.problems import SCHEMA_PROBLEM, Problem
from carimbo.fiscal.rules import Judgement
from carimbo.fiscal.signed_documents import SignedDocument
from carimbo.fiscal.tables.authorities import cte_qr_address
from carimbo.fiscal.transport.hints import hint_of

Problems = tuple[Problem, ...]

# The data of the mode have an XSD of their own, with another code.
_MODE_CODE = "580"
_MODE_FIELDS = ("modal.", "rntrc")


@dataclass(frozen=True, slots=True)
class WaybillPreview:
    """A CT-e made as a preview."""

    waybill: Waybill
    document: bytes = field(repr=False)
    """Signed or not."""

    @property
    def amount(self) -> Decimal:
        """The price of the service (vTPrest)."""
        return self.waybill.price.amount

    @property
    def totals(self) -> Mapping[str, Any]:
        """Price, components and taxes of the service."""
        return {"amount": self.amount, **to_plain(self.waybill.price), **to_plain(self.waybill.taxes)}

    @property
    def lines(self) -> Lines:
        """Empty: a CT-e has one service and no lines."""
        return ()

    @property
    def xml(self) -> bytes:
        """The XML without a signature."""
        return without_signature(self.document)


def _enclose(
    waybill: Waybill, written: WrittenPart, signature: Signature, issuance: Issuance
) -> SignedDocument:
    """Puts part and signature into the root, with the QR code.

    Its address is that of the issuer's state, also in contingency.
    """
    environment = issuance.emission.environment
    address = cte_qr_address(issuance.company.address.state, environment)
    code = f"{address}?chCTe={waybill.id.removeprefix('CTe')}&amp;tpAmb={environment.code}"
    supplement = f"<infCTeSupl><qrCodCTe>{code}</qrCodCTe></infCTeSupl>".encode()
    return layout.enclose(written, signature, supplement)


def _combine(composed: Problems, judgement: Judgement, schema: Problems) -> Judgement:
    """Returns all problems with hints, each mistake once.

    A field that could not be composed breaks rules of the groups around it too, and the XSD reports the
    fields again that rules report, or the groups around them.
    """
    gaps = [problem.path for problem in composed]
    broken = [problem for problem in judgement.problems if not _is_at_or_around(problem.path, gaps)]
    reported = [problem.path for problem in broken]
    unreported = [problem for problem in schema if not _is_at_or_around(problem.path, reported)]
    return Judgement(
        tuple(map(_with_hint, dict.fromkeys((*composed, *broken, *unreported)))),
        tuple(text for text in judgement.warnings if not _is_at_or_around(text.partition(":")[0], gaps)),
    )


def _is_at_or_around(path: str, others: Sequence[str]) -> bool:
    """Returns whether a path is one of the others, or a group that has one of them; empty is the document."""
    if not path:
        return bool(others)
    return any(other == path or other.startswith((f"{path}.", f"{path}[")) for other in others)


def _with_hint(problem: Problem) -> Problem:
    if problem.code == SCHEMA_PROBLEM:
        is_of_mode = problem.path.startswith(_MODE_FIELDS)
        return replace(problem, code=_MODE_CODE if is_of_mode else SCHEMA_CODE)
    return problem if problem.hint else replace(problem, hint=hint_of(problem.code))


_MAKER = DocumentMaker(
    compose=compose,
    judge=judge_waybill,
    write=layout.write,
    enclose=_enclose,
    in_root=layout.in_root,
    check=layout.check,
    preview=WaybillPreview,
    combine=_combine,
    judge_text=judge_size,
)

review = _MAKER.review
issue = _MAKER.issue

identity_of_waybill = partial(signed_identity, re.compile(rb'<infCte [^>]*?Id="CTe([0-9A-Z]{44})"'))
"""Reads the access key and the time of issue of a document that we wrote."""
