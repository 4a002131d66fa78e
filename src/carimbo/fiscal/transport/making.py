"""How signed transport documents are made and checked."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from carimbo.fiscal.identity.signature import Signature
from carimbo.fiscal.issuance import Issuance, Preview
from carimbo.fiscal.layouts.document_root import DocumentRoot
from carimbo.fiscal.layouts.signed_part import WrittenPart
from carimbo.fiscal.making import Composition, DocumentMaker
from carimbo.fiscal.problems import SCHEMA_PROBLEM, Problem
from carimbo.fiscal.rules import NOTHING_BROKEN, HintOf, Judgement
from carimbo.fiscal.schemas import Schemas
from carimbo.fiscal.signed_documents import SignedDocument
from carimbo.fiscal.transport.rules.rule import MODE_CODE, SCHEMA_CODE

Problems = tuple[Problem, ...]

_TOO_LONG = "214"
_MAX_KILOBYTES = 512
_SIZE = "MOC, tamanho da mensagem"


def _combine(
    mode_fields: tuple[str, ...],
    hint_of: HintOf,
    composed: Problems,
    judgement: Judgement,
    schema: Problems,
) -> Judgement:
    """Returns all problems with hints, each mistake once; `mode_fields` begin the paths of the mode's data.

    A field that could not be composed breaks rules of the groups around it too, and the XSD reports the
    fields again that rules report, or the groups around them.
    """
    gaps = [problem.path for problem in composed]
    broken = [problem for problem in judgement.problems if not _is_at_or_around(problem.path, gaps)]
    reported = [problem.path for problem in broken]
    unreported = [problem for problem in schema if not _is_at_or_around(problem.path, reported)]
    problems = dict.fromkeys((*composed, *broken, *unreported))
    return Judgement(
        tuple(_with_hint(problem, mode_fields, hint_of) for problem in problems),
        tuple(text for text in judgement.warnings if not _is_at_or_around(text.partition(":")[0], gaps)),
    )


def _is_at_or_around(path: str, others: Sequence[str]) -> bool:
    """Returns whether a path is one of the others, or a group that has one of them; empty is the document."""
    if not path:
        return bool(others)
    return any(other == path or other.startswith((f"{path}.", f"{path}[")) for other in others)


def _with_hint(problem: Problem, mode_fields: tuple[str, ...], hint_of: HintOf) -> Problem:
    if problem.code == SCHEMA_PROBLEM:
        is_of_mode = problem.path.startswith(mode_fields)
        return replace(problem, code=MODE_CODE if is_of_mode else SCHEMA_CODE)
    return problem if problem.hint else replace(problem, hint=hint_of(problem.code))


def judge_size(path: str, hint_of: HintOf, document: bytes) -> Judgement:
    """Refuses XML that is too long for the authorities, which measure it uncompressed."""
    if len(document) <= _MAX_KILOBYTES * 1024:
        return NOTHING_BROKEN
    size = len(document) // 1024
    message = f"O documento tem {size} KB em XML, e a SEFAZ recebe até {_MAX_KILOBYTES} KB."
    return Judgement((Problem(_TOO_LONG, path, message, hint_of(_TOO_LONG), _SIZE),))


def transport_maker(
    *,
    compose: Callable[[Any, Issuance], Composition[Any]],
    judge: Callable[[Any, Any, Issuance], Judgement],
    root: DocumentRoot,
    supplement: Callable[[str, Issuance], bytes],
    check: Callable[[SignedDocument, Schemas], Problems],
    preview: Callable[[Any, bytes], Preview],
    hint_of: HintOf,
    mode_fields: tuple[str, ...],
    longest_field: str,
) -> DocumentMaker[Any, Any]:
    """Returns the maker of a document type.

    `supplement` returns the QR code by access key, `mode_fields` begin the paths of the mode's data, and
    `longest_field` is the one that makes documents too long.
    """

    def enclose(
        document: Any, written: WrittenPart, signature: Signature, issuance: Issuance
    ) -> SignedDocument:
        key = written.id.removeprefix(root.id_prefix)
        return root.enclose(written, signature, supplement(key, issuance))

    return DocumentMaker(
        compose=compose,
        judge=judge,
        write=root.write,
        enclose=enclose,
        in_root=root.around,
        check=check,
        preview=preview,
        combine=partial(_combine, mode_fields, hint_of),
        judge_text=partial(judge_size, longest_field, hint_of),
    )
