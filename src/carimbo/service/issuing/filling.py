"""Filling a request from the catalog, before the document is reviewed and stored."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pydantic import ValidationError

from carimbo.fiscal.catalog_filling import CatalogFilling
from carimbo.fiscal.catalog_origins import CatalogOrigins, catalog_origins
from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.fields import Body
from carimbo.fiscal.problems import Problem
from carimbo.service.errors import Code, Refusal, invalid_body
from carimbo.service.exact_json import read, write
from carimbo.service.issuing.dossier import Dossier
from carimbo.service.issuing.workshop import issuing_of
from carimbo.storage.database import Database


@dataclass(frozen=True, slots=True)
class FilledRequest:
    """A request with what the catalog knows, as the document is made of it."""

    request: Body
    text: str
    """Its JSON."""
    posted_text: str | None = None
    """The JSON as the caller sent it; None if nothing was taken from the catalog."""


async def fill_request(
    database: Database, dossier: Dossier, kind: DocumentType, request: Body, text: str
) -> FilledRequest:
    """Fills a request from the company's catalog; refuses it if required fields are still missing.

    The document is made of the filled request, so later changes of the catalog do not change it.
    """
    filling = issuing_of(kind).catalog_filling
    if filling is None:
        return FilledRequest(request, text)
    try:
        filled = await _filled(database, dossier, filling, request, text)
    except ValidationError as invalid:
        raise invalid_body(invalid) from None
    missing = filling.missing(filled.request)
    if missing:
        fields = [{"field": path, "error": "Campo obrigatório."} for path in missing]
        raise Refusal(Code.VALIDATION_ERROR, fields=fields)
    return filled


async def _filled(
    database: Database, dossier: Dossier, filling: CatalogFilling, request: Body, text: str
) -> FilledRequest:
    wanted = filling.references(request)
    if wanted.is_empty:
        return FilledRequest(request, text)
    async with database.autocommit(dossier.subscription_id) as tenant:
        known = await tenant.catalog.facts(dossier.row.id, wanted.tax_id, wanted.skus, filling.item_type)
    if known.customer is None and not known.items:
        return FilledRequest(request, text)
    body = read(text)
    filled = filling.fill(body, request, dossier.company, known)
    if filled == body:
        return FilledRequest(request, text)
    written = write(filled)
    try:
        return FilledRequest(type(request).model_validate(read(written)), written, text)
    except ValidationError as invalid:
        raise invalid_body(invalid, _origins(filling, text, written).explain) from None


def explain_problems(
    problems: Sequence[Problem], kind: DocumentType, text: str, posted_text: str | None
) -> tuple[Problem, ...]:
    """Adds to problems in fields that the catalog filled which record of it they come from.

    `text` is the JSON of the filled request, `posted_text` that of the caller, or None if nothing was filled.
    """
    filling = issuing_of(kind).catalog_filling
    if not problems or posted_text is None or filling is None:
        return tuple(problems)
    origins = _origins(filling, posted_text, text)
    return tuple(
        replace(problem, message=origins.explain(problem.path, problem.message)) for problem in problems
    )


def _origins(filling: CatalogFilling, posted_text: str, text: str) -> CatalogOrigins:
    return catalog_origins(read(posted_text), read(text), filling.customer_field)
