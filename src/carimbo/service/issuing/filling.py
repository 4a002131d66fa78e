"""Filling a request from the catalog, before the document is reviewed and stored."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from pydantic import ValidationError

from carimbo.fiscal.catalog_filling import NOTHING_FILLED, CatalogFilling, FillingReview
from carimbo.fiscal.catalog_origins import CatalogOrigins, catalog_origins
from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.fields import Body
from carimbo.fiscal.local_time import local_day
from carimbo.fiscal.problems import Problem
from carimbo.service.dossier import Dossier
from carimbo.service.errors import Code, Refusal, invalid_body
from carimbo.service.exact_json import read, write
from carimbo.service.kinds import kind_named
from carimbo.storage.database import Database
from carimbo.storage.documents import Document


@dataclass(frozen=True, slots=True)
class FilledRequest:
    """A request with what the catalog knows, as the document is made of it."""

    request: Body
    text: str
    """Its JSON."""
    posted_text: str | None = None
    """The JSON as the caller sent it; None if nothing was taken from the catalog."""
    review: FillingReview = NOTHING_FILLED


async def fill_request(
    database: Database, dossier: Dossier, kind: DocumentType, request: Body, text: str, now: datetime
) -> FilledRequest:
    """Fills a request from the company's catalog; refuses it if required fields are still missing.

    The document is made of the filled request, so later changes of the catalog do not change it.
    """
    filling = kind.catalog_filling
    if filling is None:
        return FilledRequest(request, text)
    try:
        filled = await _filled(database, dossier, kind, filling, request, text, now)
    except ValidationError as invalid:
        raise invalid_body(invalid) from None
    missing = filling.missing(filled.request) if filling.missing else ()
    if missing:
        fields = [{"field": path, "error": "Campo obrigatório."} for path in missing]
        raise Refusal(Code.VALIDATION_ERROR, fields=fields)
    return filled


def filling_warnings(document: Document) -> tuple[str, ...]:
    """Returns those warnings of a stored document that say what it took from the catalog."""
    filling = kind_named(document.type).catalog_filling
    is_own = filling.is_own_warning if filling else None
    return tuple(filter(is_own, document.warnings)) if is_own else ()


async def _filled(
    database: Database,
    dossier: Dossier,
    kind: DocumentType,
    filling: CatalogFilling,
    request: Body,
    text: str,
    now: datetime,
) -> FilledRequest:
    wanted = filling.references(request)
    if wanted.is_empty:
        return FilledRequest(request, text)
    async with database.autocommit(dossier.subscription_id) as tenant:
        facts = await tenant.catalog.facts(dossier.row.id, wanted, filling.item_type)
    if facts.is_empty:
        return FilledRequest(request, text)
    facts = replace(facts, day=local_day(now, dossier.company.address.state))
    settings = dossier.settings_of(kind)
    review = filling.review(request, settings, facts) if filling.review else NOTHING_FILLED
    if review.problems:
        return FilledRequest(request, text, review=review)
    body = read(text)
    filled = filling.fill(body, request, dossier.company, facts)
    if filled == body:
        return FilledRequest(request, text)
    written = write(filled)
    try:
        return FilledRequest(type(request).model_validate(read(written)), written, text, review)
    except ValidationError as invalid:
        raise invalid_body(invalid, explain=_origins(filling, text, written).explain) from None


def explain_problems(
    problems: Sequence[Problem], kind: DocumentType, text: str, posted_text: str | None
) -> tuple[Problem, ...]:
    """Adds to problems in fields that the catalog filled which record of it they come from.

    `text` is the JSON of the filled request, `posted_text` that of the caller, or None if nothing was filled.
    """
    filling = kind.catalog_filling
    if not problems or posted_text is None or filling is None:
        return tuple(problems)
    origins = _origins(filling, posted_text, text)
    return tuple(
        replace(problem, message=origins.explain(problem.path, problem.message)) for problem in problems
    )


def _origins(filling: CatalogFilling, posted_text: str, text: str) -> CatalogOrigins:
    return catalog_origins(read(posted_text), read(text), filling.customer_field)
