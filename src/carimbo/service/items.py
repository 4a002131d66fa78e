"""The lines of a document: of what was signed or, before that, of what would be."""

from typing import Any

from carimbo.fiscal.document_type import DocumentType, Lines
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.lifecycle import EMITTABLE, Status
from carimbo.service.document_files import signed_xml
from carimbo.service.documents import (
    Reference,
    refusing_unreadable_xml,
    require_document,
    stored_request,
    without_xml,
)
from carimbo.service.issuing.accept import Counter
from carimbo.service.issuing.dossier import Dossier
from carimbo.service.issuing.readiness import require_complete
from carimbo.service.issuing.workshop import issuing_of
from carimbo.service.shown import shown
from carimbo.storage.companies import Company
from carimbo.storage.documents import Document


async def read_items(
    counter: Counter, company: Company, kind: DocumentType, which: Reference
) -> list[dict[str, Any]]:
    """List the lines of a document with their taxes."""
    async with counter.database.autocommit(which.subscription_id) as tenant:
        document = await require_document(tenant, which)
        signed = await signed_xml(tenant, document, document.emission)
    if signed is None and document.status in (Status.AUTHORIZED, Status.CANCELED):
        raise without_xml(document)
    dossier = await counter.dossiers.of(which.subscription_id, company.id, company.revision)
    read = issuing_of(kind).lines
    # What was refused may have changed since, as long as there is a company that could issue it.
    changes = document.status in EMITTABLE and not dossier.missing_for(
        kind, Environment(document.environment)
    )
    if signed is None or read is None or changes:
        return [shown(line) for line in await _computed(counter, dossier, document, kind)]
    with refusing_unreadable_xml(document):
        return [shown(line) for line in read(signed)]


async def _computed(counter: Counter, dossier: Dossier, document: Document, kind: DocumentType) -> Lines:
    environment = Environment(document.environment)
    require_complete(dossier, kind, environment)
    review = await counter.workshop.review(kind, stored_request(document), dossier, environment)
    return review.preview.lines if review.preview else ()
