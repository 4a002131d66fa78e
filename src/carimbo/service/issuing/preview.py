"""Trials of an order, and the content of a document: reviews that store, number and send nothing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import Field

from carimbo.fiscal.body.fields import Record
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.issuance import Preview
from carimbo.fiscal.lifecycle import EMITTABLE, Status
from carimbo.service.companies.company_checks import require_complete, require_feature
from carimbo.service.companies.snapshot import CompanySnapshot
from carimbo.service.contexts import IssuingContext
from carimbo.service.document_types import details_reader_of, document_type_named
from carimbo.service.documents.builder import DocumentSource
from carimbo.service.documents.files import authorized_xml, signed_xml
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
from carimbo.storage.documents import Document


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


@dataclass(frozen=True)
class DocumentContent:
    """The lines of a document with their taxes, and its totals: exact values by the names of our JSON."""

    lines: Sequence[Mapping[str, Any]]
    totals: Mapping[str, Any]
    is_computed: bool
    """Whether they were computed, because there is no XML to read them from."""


@dataclass(frozen=True)
class _StoredDocument:
    """A document with the XML that its content is read from; None if it must be computed."""

    document: Document
    snapshot: CompanySnapshot
    signed: bytes | None


async def read_items(
    context: IssuingContext, company: CompanyRow, reference: DocumentReference
) -> list[dict[str, Any]]:
    """Lists the lines of a document with their taxes: of the signed XML, or computed if there is none."""
    stored = await _read_stored(context, company, reference)
    read_lines = document_type_named(stored.document.type).issuing.lines
    if stored.signed is not None and read_lines is not None:
        with refusing_unreadable_xml(stored.document):
            return [json_value(line) for line in read_lines(stored.signed)]
    preview = await _preview_of(context, stored)
    return [json_value(line) for line in preview.lines] if preview else []


async def read_content(
    context: IssuingContext, company: CompanyRow, reference: DocumentReference
) -> DocumentContent:
    """Returns the lines and totals of a document: of its XML, or computed if there is none."""
    stored = await _read_stored(context, company, reference)
    document, document_type = stored.document, document_type_named(stored.document.type)
    issuing, read_details = document_type.issuing, details_reader_of(document_type)
    with refusing_unreadable_xml(document):
        if issuing.lines and issuing.totals:
            if stored.signed is not None:
                return DocumentContent(
                    issuing.lines(stored.signed), issuing.totals(stored.signed), is_computed=False
                )
        elif read_details:
            async with context.database.autocommit(reference.subscription_id) as tenant:
                authorized = await authorized_xml(tenant, document, document.emission)
            if authorized is not None:
                details = read_details(authorized)
                return DocumentContent(details.items, details.totals, is_computed=False)
    preview = await _preview_of(context, stored)
    return DocumentContent(
        preview.lines if preview else (), preview.totals if preview else {}, is_computed=True
    )


async def _read_stored(
    context: IssuingContext, company: CompanyRow, reference: DocumentReference
) -> _StoredDocument:
    async with context.database.autocommit(reference.subscription_id) as tenant:
        document = await require_document(tenant, reference)
        signed = await signed_xml(tenant, document, document.emission)
    if signed is None and document.status in (Status.AUTHORIZED, Status.CANCELED):
        raise missing_xml_refusal(document)
    snapshot = await context.snapshots.of(reference.subscription_id, company.id, company.revision)
    document_type, environment = document_type_named(document.type), Environment(document.environment)
    # A rejected document may have been changed since; it is computed again if the company can issue it.
    may_differ = document.status in EMITTABLE and not snapshot.missing_for(document_type, environment)
    return _StoredDocument(document, snapshot, None if may_differ else signed)


async def _preview_of(context: IssuingContext, stored: _StoredDocument) -> Preview | None:
    """Returns a document as its stored request would be issued now. Raises Refusal."""
    document, snapshot = stored.document, stored.snapshot
    document_type, environment = document_type_named(document.type), Environment(document.environment)
    require_complete(snapshot, document_type, environment)
    source = DocumentSource(document_type, stored_request(document), snapshot, environment)
    return (await context.builder.review(source)).preview
