"""The fourth step: signed bytes are stored before they go anywhere, and those very bytes are sent."""

from dataclasses import replace
from datetime import datetime

from carimbo.fiscal.lifecycle import EmissionState, Happening
from carimbo.fiscal.signed_document import SignedDocument
from carimbo.service.archived_files import signed_file
from carimbo.service.contexts import WorkerContext
from carimbo.service.issuing.case import Case
from carimbo.storage.document_events import NewEvent
from carimbo.storage.issuing import Signed


async def keep_signed(means: WorkerContext, case: Case, signed: SignedDocument, issued_at: datetime) -> Case:
    """Store the bytes, and in the same statement that they are about to be sent."""
    known = Signed(
        issued_at=issued_at,
        access_key=signed.access_key,
        digest=signed.digest_value,
        file_name=signed_file(signed.digest_value),
        xml=signed.xml,
    )
    happened = NewEvent(type=Happening.SIGNED, status=case.document.status)
    async with means.database.steps_of(case.lease) as steps:
        await steps.keep_signed(case.emission.ordinal, known, EmissionState.SENT, [happened])
    return case.with_emission(
        replace(
            case.emission,
            issued_at=issued_at,
            access_key=known.access_key,
            digest=known.digest,
            state=EmissionState.SENT,
            receipt=None,
        )
    )


async def signed_before(means: WorkerContext, case: Case) -> SignedDocument:
    """The bytes that were signed before, to be sent again unchanged."""
    digest = case.emission.digest
    if digest is None:
        raise LookupError(f"document {case.document.id} was not signed")
    async with means.database.autocommit(case.lease.key.subscription_id) as tenant:
        xml = await tenant.archive.get(case.document.id, signed_file(digest))
    if xml is None:
        raise LookupError(f"the signed bytes of document {case.document.id} are gone")
    return SignedDocument(xml, case.kind.issuing.identity(xml).access_key, digest)
