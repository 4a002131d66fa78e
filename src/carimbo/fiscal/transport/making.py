"""How signed CT-e and CT-e OS are made, checked and previewed."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import partial
from typing import Any

from carimbo.fiscal.identity.signature import Signature
from carimbo.fiscal.issuance import Issuance, Lines, signed_identity
from carimbo.fiscal.layouts.cte_v4.root import WaybillRoot, write
from carimbo.fiscal.layouts.cte_v4.waybill import Waybill
from carimbo.fiscal.layouts.cteos_v4.waybill import OsWaybill
from carimbo.fiscal.layouts.json_form import to_plain
from carimbo.fiscal.layouts.signed_part import WrittenPart, without_signature
from carimbo.fiscal.making import Composition, DocumentMaker
from carimbo.fiscal.problems import SCHEMA_PROBLEM, Problem
from carimbo.fiscal.rules import NOTHING_BROKEN, Judgement
from carimbo.fiscal.schemas import Schemas
from carimbo.fiscal.signed_documents import SignedDocument
from carimbo.fiscal.tables.authorities import cte_qr_address
from carimbo.fiscal.transport.hints import hint_of
from carimbo.fiscal.transport.rules.rule import SCHEMA_CODE

Problems = tuple[Problem, ...]

# The data of the mode have an XSD of their own, with another code.
_MODE_CODE = "580"
_TOO_LONG = "214"
_MAX_BYTES = 512 * 1024
_SIZE = "MOC CT-e 4.00, tamanho da mensagem"


@dataclass(frozen=True, slots=True)
class WaybillPreview:
    """A CT-e or CT-e OS made as a preview."""

    waybill: Waybill | OsWaybill
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


def _supplement(waybill: Waybill | OsWaybill, issuance: Issuance) -> bytes:
    """Returns the QR code (`infCTeSupl`); its address is that of the issuer's state, also in contingency."""
    environment = issuance.emission.environment
    address = cte_qr_address(issuance.company.address.state, environment)
    code = f"{address}?chCTe={waybill.id.removeprefix('CTe')}&amp;tpAmb={environment.code}"
    return f"<infCTeSupl><qrCodCTe>{code}</qrCodCTe></infCTeSupl>".encode()


def _combine(
    mode_fields: tuple[str, ...], composed: Problems, judgement: Judgement, schema: Problems
) -> Judgement:
    """Returns all problems with hints, each mistake once; `mode_fields` begin the paths of the mode's data.

    A field that could not be composed breaks rules of the groups around it too, and the XSD reports the
    fields again that rules report, or the groups around them.
    """
    gaps = [problem.path for problem in composed]
    broken = [problem for problem in judgement.problems if not _is_at_or_around(problem.path, gaps)]
    reported = [problem.path for problem in broken]
    unreported = [problem for problem in schema if not _is_at_or_around(problem.path, reported)]
    return Judgement(
        tuple(
            _with_hint(problem, mode_fields) for problem in dict.fromkeys((*composed, *broken, *unreported))
        ),
        tuple(text for text in judgement.warnings if not _is_at_or_around(text.partition(":")[0], gaps)),
    )


def _is_at_or_around(path: str, others: Sequence[str]) -> bool:
    """Returns whether a path is one of the others, or a group that has one of them; empty is the document."""
    if not path:
        return bool(others)
    return any(other == path or other.startswith((f"{path}.", f"{path}[")) for other in others)


def _with_hint(problem: Problem, mode_fields: tuple[str, ...]) -> Problem:
    if problem.code == SCHEMA_PROBLEM:
        is_of_mode = problem.path.startswith(mode_fields)
        return replace(problem, code=_MODE_CODE if is_of_mode else SCHEMA_CODE)
    return problem if problem.hint else replace(problem, hint=hint_of(problem.code))


def judge_size(path: str, document: bytes) -> Judgement:
    """Refuses XML that is too long for the authorities, which measure it uncompressed."""
    if len(document) <= _MAX_BYTES:
        return NOTHING_BROKEN
    message = f"O documento tem {len(document) // 1024} KB em XML, e a SEFAZ recebe até 512 KB."
    return Judgement((Problem(_TOO_LONG, path, message, hint_of(_TOO_LONG), _SIZE),))


def transport_maker(
    *,
    compose: Callable[[Any, Issuance], Composition[Any]],
    judge: Callable[[Any, Any, Issuance], Judgement],
    root: WaybillRoot,
    check: Callable[[SignedDocument, Schemas], Problems],
    mode_fields: tuple[str, ...],
    longest_field: str,
) -> DocumentMaker[Any, Any]:
    """Returns the maker of a document type; `longest_field` is the one that makes documents too long."""

    def enclose(
        waybill: Any, written: WrittenPart, signature: Signature, issuance: Issuance
    ) -> SignedDocument:
        return root.enclose(written, signature, _supplement(waybill, issuance))

    return DocumentMaker(
        compose=compose,
        judge=judge,
        write=write,
        enclose=enclose,
        in_root=root.around,
        check=check,
        preview=WaybillPreview,
        combine=partial(_combine, mode_fields),
        judge_text=partial(judge_size, longest_field),
    )


identity_of_waybill = partial(signed_identity, re.compile(rb'<infCte [^>]*?Id="CTe([0-9A-Z]{44})"'))
"""Reads the access key and the time of issue of a document that we wrote."""
