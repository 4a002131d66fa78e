"""The steps of making a document, with a small fictitious document type."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from carimbo.fiscal.identity.signature import Signature, Signer
from carimbo.fiscal.issuance import Issuance, Lines
from carimbo.fiscal.layouts import canonical
from carimbo.fiscal.layouts.signed_part import WrittenPart, without_signature
from carimbo.fiscal.making import Composition, DocumentMaker
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.rules import Judgement
from carimbo.fiscal.schemas import Schemas
from carimbo.fiscal.signed_documents import SignedDocument
from unit.fiscal.documents.nfse_support import issuance as issuance_of

NAMESPACE = "urn:carimbo:trip"
Problems = tuple[Problem, ...]


def problem(code: str) -> Problem:
    return Problem(code, code, f"Erro {code}.")


@dataclass(frozen=True)
class Trip:
    """Request and document at once, with the problems that each step shall report."""

    name: str = "Trip"
    is_composed: bool = True
    has_gaps: bool = False
    composing: Problems = ()
    rules: Problems = ()
    writing: Problems = ()
    enclosing: Problems = ()
    schema: Problems = ()
    text: Problems = ()


@dataclass(frozen=True)
class TripPreview:
    name: str
    xml: bytes
    amount: Decimal = Decimal(1)
    lines: Lines = ()

    @property
    def totals(self) -> Mapping[str, Any]:
        return {"amount": self.amount}


@dataclass(frozen=True)
class Steps:
    """The functions of the type, and the names of the steps that were taken."""

    taken: list[str]
    request: Trip

    def compose(self, request: Trip, issuance: Issuance) -> Composition[Trip | None]:
        self.taken.append("compose")
        document = request if request.is_composed else None
        return Composition(document, request.composing, ("composed",), request.has_gaps)

    def judge(self, trip: Trip, request: Trip, issuance: Issuance) -> Judgement:
        self.taken.append("judge")
        return Judgement(trip.rules, ("judged",))

    def write(self, trip: Trip) -> WrittenPart | Problems:
        self.taken.append("write")
        content = canonical.text(trip.name).encode()
        return trip.writing or WrittenPart("infTrip", NAMESPACE, "Trip1", b' Id="Trip1"', content)

    def enclose(
        self, trip: Trip, written: WrittenPart, signature: Signature, issuance: Issuance
    ) -> SignedDocument | Problems:
        self.taken.append("enclose")
        xml = in_root(written, signature.text)
        return trip.enclosing or SignedDocument(xml, "1", signature.digest_value)

    def check(self, signed: SignedDocument, schemas: Schemas) -> Problems:
        self.taken.append("check")
        return self.request.schema

    def judge_text(self, text: bytes) -> Judgement:
        return Judgement(self.request.text, ("measured",))


def in_root(written: WrittenPart, *beside: bytes) -> bytes:
    return b"".join((f'<trip xmlns="{NAMESPACE}">'.encode(), written.inside, *beside, b"</trip>"))


def combine(composed: Problems, judgement: Judgement, layout: Problems) -> Judgement:
    """Reports the first step that has problems."""
    return replace(judgement, problems=composed or judgement.problems or layout)


def maker_of(request: Trip, taken: list[str]) -> DocumentMaker[Trip, Trip]:
    steps = Steps(taken, request)
    return DocumentMaker(
        compose=steps.compose,
        judge=steps.judge,
        write=steps.write,
        enclose=steps.enclose,
        in_root=in_root,
        check=steps.check,
        preview=lambda trip, text: TripPreview(trip.name, text),
        combine=combine,
        judge_text=steps.judge_text,
    )


@pytest.fixture(scope="module")
def issuance() -> Issuance:
    return issuance_of(signer=Signer.throwaway(), issued_at=datetime(2026, 11, 14, 10, tzinfo=UTC))


def issued(request: Trip, issuance: Issuance) -> SignedDocument | Problems:
    return maker_of(request, []).issue(request, issuance)


ALL = ["compose", "judge", "write", "enclose", "check"]
ENDS = [
    (Trip(), ALL, ()),
    (Trip(is_composed=False, composing=(problem("1"),)), ["compose"], ("1",)),
    (Trip(has_gaps=True, composing=(problem("1"),)), ["compose", "judge"], ("1",)),
    # Without gaps, the problems of composing are reported with the rest.
    (Trip(composing=(problem("1"),)), ALL, ("1",)),
    (Trip(rules=(problem("2"),)), ALL, ("2",)),
    (Trip(writing=(problem("3"),)), ["compose", "judge", "write"], ("3",)),
    (Trip(rules=(problem("2"),), writing=(problem("3"),)), ["compose", "judge", "write"], ("2",)),
    (Trip(rules=(problem("2"),), enclosing=(problem("4"),)), ALL[:-1], ("2", "4")),
    (Trip(schema=(problem("5"),)), ALL, ("5",)),
]


@pytest.mark.parametrize(("trip", "taken", "codes"), ENDS)
@pytest.mark.parametrize("operation", ["review", "issue"])
def test_steps_end_where_the_document_cannot_go_on(
    operation: str, trip: Trip, taken: list[str], codes: tuple[str, ...], issuance: Issuance
) -> None:
    steps: list[str] = []
    maker = maker_of(trip, steps)
    operations: dict[str, Callable[[], Any]] = {
        "review": lambda: maker.review(trip, issuance).problems,
        "issue": lambda: maker.issue(trip, issuance),
    }
    result = operations[operation]()
    assert steps == taken
    if operation == "issue" and not codes:
        assert isinstance(result, SignedDocument)
    else:
        assert result == tuple(map(problem, codes))


def test_issued_document_is_signed_and_carries_all_warnings(issuance: Issuance) -> None:
    document = issued(Trip("São Paulo"), issuance)
    assert isinstance(document, SignedDocument)
    assert document.warnings == ("composed", "judged", "measured")
    assert b"<SignatureValue>" in document.xml
    assert (
        without_signature(document.xml)
        == f'<trip xmlns="{NAMESPACE}"><infTrip Id="Trip1">São Paulo</infTrip></trip>'.encode()
    )


def test_problems_of_the_text_prevent_only_reviews(issuance: Issuance) -> None:
    request = Trip(text=(problem("6"),))
    assert maker_of(request, []).review(request, issuance).problems == (problem("6"),)
    assert isinstance(issued(request, issuance), SignedDocument)


def test_document_that_cannot_be_enclosed_has_an_unsigned_preview(issuance: Issuance) -> None:
    request = Trip(enclosing=(problem("4"),))
    review = maker_of(request, []).review(request, issuance)
    assert review.preview
    assert b"Signature" not in review.preview.xml


def test_document_that_cannot_be_written_has_no_preview(issuance: Issuance) -> None:
    request = Trip(writing=(problem("3"),))
    review = maker_of(request, []).review(request, issuance)
    assert review.preview is None
    assert review.warnings == ("composed", "judged")
