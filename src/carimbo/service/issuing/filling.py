"""Fills a request from the catalog or from other documents, before the document is reviewed and stored."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from pydantic import ValidationError

from carimbo.fiscal.body.fields import Body
from carimbo.fiscal.catalog.filling import (
    NOTHING_FILLED,
    CatalogFilling,
    CatalogOrigins,
    FillingReview,
    catalog_origins,
)
from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.lifecycle import REPLACED_AT, Status
from carimbo.fiscal.local_time import local_day
from carimbo.fiscal.own_documents import OwnDocument
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.receiving import Situation
from carimbo.service.companies.snapshot import CompanySnapshot
from carimbo.service.document_types import document_type_named
from carimbo.service.documents.files import RECEIVED_FILE, signed_file
from carimbo.service.errors import ErrorCode, Refusal, invalid_body
from carimbo.service.json_values import read_exact_json, write_json
from carimbo.storage.database import Database, Tenant
from carimbo.storage.documents import Document


@dataclass(frozen=True, slots=True)
class FilledRequest:
    """A request with the data of the catalog, as the document is built from it."""

    request: Body
    text: str
    """Its JSON."""
    posted_text: str | None = None
    """The JSON that the caller sent; None if nothing was taken from the catalog."""
    review: FillingReview = NOTHING_FILLED


async def fill_request(
    database: Database,
    snapshot: CompanySnapshot,
    document_type: DocumentType,
    request: Body,
    text: str,
    now: datetime,
) -> FilledRequest:
    """Fills a request from the company's catalog; refuses it if required fields are still missing.

    The document is built from the filled request, so later changes of the catalog do not affect it.
    """
    if document_type.reference_filling:
        return await _filled_from_documents(database, snapshot, document_type, request, text)
    filling = document_type.catalog_filling
    if filling is None:
        return FilledRequest(request, text)
    try:
        filled = await _filled(database, snapshot, document_type, filling, request, text, now)
    except ValidationError as invalid:
        raise invalid_body(invalid) from None
    missing = filling.missing(filled.request) if filling.missing else ()
    if missing:
        fields = [{"field": path, "error": "Campo obrigatório."} for path in missing]
        raise Refusal(ErrorCode.VALIDATION_ERROR, fields=fields)
    return filled


def filling_warnings(document: Document) -> tuple[str, ...]:
    """Returns the warnings of a stored document about data from the catalog or from other documents."""
    document_type = document_type_named(document.type)
    filling = document_type.reference_filling or document_type.catalog_filling
    is_own = filling.is_own_warning if filling else None
    return tuple(filter(is_own, document.warnings)) if is_own else ()


async def _filled(
    database: Database,
    snapshot: CompanySnapshot,
    document_type: DocumentType,
    filling: CatalogFilling,
    request: Body,
    text: str,
    now: datetime,
) -> FilledRequest:
    wanted = filling.references(request)
    if wanted.is_empty:
        return FilledRequest(request, text)
    async with database.autocommit(snapshot.subscription_id) as tenant:
        facts = await tenant.catalog.facts(snapshot.row.id, wanted, filling.item_type)
    if facts.is_empty:
        return FilledRequest(request, text)
    facts = replace(facts, day=local_day(now, snapshot.company.address.state))
    settings = snapshot.settings_of(document_type)
    review = filling.review(request, settings, facts) if filling.review else NOTHING_FILLED
    if review.problems:
        return FilledRequest(request, text, review=review)
    body = read_exact_json(text)
    filled = filling.fill(body, request, snapshot.company, facts)
    if filled == body:
        return FilledRequest(request, text)
    written = write_json(filled)
    try:
        return FilledRequest(type(request).model_validate(read_exact_json(written)), written, text, review)
    except ValidationError as invalid:
        raise invalid_body(invalid, explain=_origins(filling, text, written).explain) from None


async def _filled_from_documents(
    database: Database, snapshot: CompanySnapshot, document_type: DocumentType, request: Body, text: str
) -> FilledRequest:
    """Fills a request from the documents of the company that it refers to."""
    filling = document_type.reference_filling
    keys = filling.keys(request) if filling else ()
    if filling is None or not keys:
        return FilledRequest(request, text)
    environment = snapshot.environment_of(document_type)
    async with database.autocommit(snapshot.subscription_id) as tenant:
        documents = await tenant.documents.authorized_or_canceled_with_keys(
            snapshot.row.id, environment, keys
        )
        owned: dict[str, OwnDocument | None] = {
            key: await _own_document(tenant, document) for key, document in documents.items()
        }
        for key in set(keys) - set(owned):
            owned[key] = await _received_document(tenant, snapshot.row.id, environment, key)
    body = read_exact_json(text)
    filled, review = filling.fill(body, request, {key: own for key, own in owned.items() if own})
    if review.problems or filled == body:
        return FilledRequest(request, text, review=review)
    written = write_json(filled)
    try:
        return FilledRequest(type(request).model_validate(read_exact_json(written)), written, text, review)
    except ValidationError as invalid:
        raise invalid_body(invalid) from None


async def _own_document(tenant: Tenant, document: Document) -> OwnDocument | None:
    digest = document.emission.digest if document.emission else None
    signed = await tenant.archive.get(document.id, signed_file(digest or ""))
    if signed is None:
        return None
    return OwnDocument(
        document.type,
        read_exact_json(document.request),
        signed,
        is_canceled=document.status == Status.CANCELED,
        is_replaced=REPLACED_AT in document.facts,
    )


async def _received_document(
    tenant: Tenant, company_id: UUID, environment: str, access_key: str
) -> OwnDocument | None:
    """Returns a document that somebody else issued and the company received, if its whole XML is here."""
    row = await tenant.received.by_key(company_id, environment, access_key)
    xml = await tenant.archive.get(row.id, RECEIVED_FILE) if row and row.has_full_xml else None
    if row is None or xml is None or row.situation == Situation.DENIED:
        return None
    return OwnDocument(row.type, {}, xml, is_canceled=row.situation == Situation.CANCELED)


def explain_problems(
    problems: Sequence[Problem], document_type: DocumentType, text: str, posted_text: str | None
) -> tuple[Problem, ...]:
    """Adds the catalog record to the problems of fields whose values came from the catalog.

    `text` is the JSON of the filled request. `posted_text` is the caller's JSON; None if nothing was filled.
    """
    filling = document_type.catalog_filling
    if not problems or posted_text is None or filling is None:
        return tuple(problems)
    origins = _origins(filling, posted_text, text)
    return tuple(
        replace(problem, message=origins.explain(problem.path, problem.message)) for problem in problems
    )


def _origins(filling: CatalogFilling, posted_text: str, text: str) -> CatalogOrigins:
    return catalog_origins(read_exact_json(posted_text), read_exact_json(text), filling.customer_field)
