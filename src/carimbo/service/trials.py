"""A document made for trial: everything is checked and computed, and nothing is stored, numbered or sent."""

from typing import Any

from pydantic import Field

from carimbo.fiscal.fields import Record
from carimbo.fiscal.problems import Problem
from carimbo.service.contexts import IssuingContext
from carimbo.service.issuing.accept import Order
from carimbo.service.issuing.filling import explain_problems, fill_request
from carimbo.service.readiness import require_complete, require_feature
from carimbo.service.shown import shown
from carimbo.service.workshop import DocumentSource


class ProblemRecord(Record):
    """A rule that the document breaks."""

    code: str = Field(examples=["778"])
    field: str = Field(examples=["items[0].ncm"])
    message: str
    hint: str | None


class TrialRecord(Record):
    """What the document would be."""

    totals: dict[str, Any] | None = Field(description="Totais calculados; nulo se não há como calcular.")
    xml: str | None = Field(description="XML sem assinatura, com o número 1 ou com o que já está impresso.")
    problems: list[ProblemRecord]
    warnings: list[str]


async def try_out(counter: IssuingContext, order: Order) -> TrialRecord:
    """Tell what would become of an order; a certificate is not needed for that."""
    require_feature(order.subscription, order.kind)
    dossier = await counter.dossiers.of(order.subscription.id, order.company.id, order.company.revision)
    environment = dossier.environment_of(order.kind)
    require_complete(dossier, order.kind, environment)
    filled = await fill_request(
        counter.database, dossier, order.kind, order.request, order.text, counter.workshop.clock()
    )
    source = DocumentSource(order.kind, filled.request, dossier, environment, filling=filled.review)
    review = await counter.workshop.review(source)
    preview = review.preview
    problems = explain_problems(review.problems, order.kind, filled.text, filled.posted_text)
    return TrialRecord(
        totals=shown(preview.totals) if preview else None,
        xml=preview.xml.decode() if preview else None,
        problems=[_record(problem) for problem in problems],
        warnings=list(review.warnings),
    )


def _record(problem: Problem) -> ProblemRecord:
    return ProblemRecord(code=problem.code, field=problem.path, message=problem.message, hint=problem.hint)
