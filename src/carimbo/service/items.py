"""The lines of a document: of what was signed or, before that, of what would be."""

from typing import Any

from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.issuance import Lines
from carimbo.fiscal.lifecycle import EMITTABLE, Status
from carimbo.service.contexts import IssuingContext
from carimbo.service.document_files import signed_xml
from carimbo.service.documents import (
    Reference,
    refusing_unreadable_xml,
    require_document,
    stored_request,
    without_xml,
)
from carimbo.service.dossier import Dossier
from carimbo.service.kinds import kind_named
from carimbo.service.readiness import require_complete
from carimbo.service.shown import shown
from carimbo.service.workshop import DocumentSource
from carimbo.storage.companies import Company
from carimbo.storage.documents import Document


async def read_items(counter: IssuingContext, company: Company, which: Reference) -> list[dict[str, Any]]:
    """List the lines of a document with their taxes."""
    async with counter.database.autocommit(which.subscription_id) as tenant:
        document = await require_document(tenant, which)
        signed = await signed_xml(tenant, document, document.emission)
    if signed is None and document.status in (Status.AUTHORIZED, Status.CANCELED):
        raise without_xml(document)
    dossier = await counter.dossiers.of(which.subscription_id, company.id, company.revision)
    kind = kind_named(document.type)
    read = kind.issuing.lines
    # What was refused may have changed since, as long as there is a company that could issue it.
    changes = document.status in EMITTABLE and not dossier.missing_for(
        kind, Environment(document.environment)
    )
    if signed is None or read is None or changes:
        return [shown(line) for line in await _computed(counter, dossier, document, kind)]
    with refusing_unreadable_xml(document):
        return [shown(line) for line in read(signed)]


async def _computed(
    counter: IssuingContext, dossier: Dossier, document: Document, kind: DocumentType
) -> Lines:
    environment = Environment(document.environment)
    require_complete(dossier, kind, environment)
    source = DocumentSource(kind, stored_request(document), dossier, environment)
    review = await counter.workshop.review(source)
    return review.preview.lines if review.preview else ()
