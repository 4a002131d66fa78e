"""Trials of an order, and the lines of a document: reviews that store, number and send nothing."""

from typing import Any

from pydantic import Field

from carimbo.fiscal.body.fields import Record
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.lifecycle import EMITTABLE, Status
from carimbo.service.companies.snapshot import require_complete, require_feature
from carimbo.service.contexts import IssuingContext
from carimbo.service.document_types import document_type_named
from carimbo.service.documents.builder import DocumentSource
from carimbo.service.documents.files import signed_xml
from carimbo.service.documents.queries import (
    DocumentReference,
    missing_xml_refusal,
    refusing_unreadable_xml,
    require_document,
    stored_request,
)
from carimbo.service.issuing.accept import DocumentOrder
from carimbo.service.issuing.filling import explain_problems, fill_request
from carimbo.service.json_values import json_value
from carimbo.storage.companies import CompanyRow


class ProblemRecord(Record):
    """A broken rule."""

    code: str = Field(examples=["778"])
    field: str = Field(examples=["items[0].ncm"])
    message: str
    hint: str | None


class TrialRecord(Record):
    """The result of a trial."""

    totals: dict[str, Any] | None = Field(description="Totais calculados; nulo se não há como calcular.")
    xml: str | None = Field(description="XML sem assinatura, com o número 1 ou com o que já está impresso.")
    problems: list[ProblemRecord]
    warnings: list[str]


async def try_order(context: IssuingContext, order: DocumentOrder) -> TrialRecord:
    """Reviews an order without storing anything; no certificate is needed."""
    require_feature(order.subscription, order.document_type)
    snapshot = await context.snapshots.of(order.subscription.id, order.company.id, order.company.revision)
    environment = snapshot.environment_of(order.document_type)
    require_complete(snapshot, order.document_type, environment)
    filled = await fill_request(
        context.database, snapshot, order.document_type, order.request, order.text, context.builder.clock()
    )
    source = DocumentSource(order.document_type, filled.request, snapshot, environment, filling=filled.review)
    review = await context.builder.review(source)
    preview = review.preview
    problems = explain_problems(review.problems, order.document_type, filled.text, filled.posted_text)
    return TrialRecord(
        totals=json_value(preview.totals) if preview else None,
        xml=preview.xml.decode() if preview else None,
        problems=[
            ProblemRecord(code=problem.code, field=problem.path, message=problem.message, hint=problem.hint)
            for problem in problems
        ],
        warnings=list(review.warnings),
    )


async def read_items(
    context: IssuingContext, company: CompanyRow, reference: DocumentReference
) -> list[dict[str, Any]]:
    """Lists the lines of a document with their taxes: of the signed XML, or computed if there is none."""
    async with context.database.autocommit(reference.subscription_id) as tenant:
        document = await require_document(tenant, reference)
        signed = await signed_xml(tenant, document, document.emission)
    if signed is None and document.status in (Status.AUTHORIZED, Status.CANCELED):
        raise missing_xml_refusal(document)

    snapshot = await context.snapshots.of(reference.subscription_id, company.id, company.revision)
    document_type, environment = document_type_named(document.type), Environment(document.environment)
    read_lines = document_type.issuing.lines
    # A rejected document may have been changed since; it is computed again if the company can issue it.
    may_differ = document.status in EMITTABLE and not snapshot.missing_for(document_type, environment)
    if signed is not None and read_lines is not None and not may_differ:
        with refusing_unreadable_xml(document):
            return [json_value(line) for line in read_lines(signed)]

    require_complete(snapshot, document_type, environment)
    source = DocumentSource(document_type, stored_request(document), snapshot, environment)
    review = await context.builder.review(source)
    return [json_value(line) for line in review.preview.lines] if review.preview else []
