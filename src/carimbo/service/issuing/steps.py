"""The steps of issuing: check, take a number, build, sign, transmit, consult."""

from dataclasses import dataclass, replace
from datetime import datetime

from carimbo.fiscal.emission import Emission, EmissionType
from carimbo.fiscal.identity.certificate import AuthorityCredentials
from carimbo.fiscal.lifecycle import EmissionState, HistoryEntry
from carimbo.fiscal.outcome import Outcome
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.signed_documents import SignedDocument
from carimbo.service.companies.company_checks import NO_CERTIFICATE, not_ready_refusal
from carimbo.service.companies.snapshot import SigningIdentity
from carimbo.service.contexts import WorkerContext
from carimbo.service.documents.builder import random_numeric_code
from carimbo.service.documents.files import signed_file
from carimbo.service.errors import ErrorCode
from carimbo.service.issuing.filling import explain_problems
from carimbo.service.issuing.in_progress import DocumentInProgress
from carimbo.service.issuing.printed import contingency_of
from carimbo.service.ports import LotAuthority
from carimbo.storage.document_events import NewEvent
from carimbo.storage.documents import Document
from carimbo.storage.emissions import NumberSeries
from carimbo.storage.issuing import EmissionRoute, NumericCodes, SignedEmission

_HINTS = {
    ErrorCode.COMPANY_NOT_READY: "Complete o que falta na empresa e emita de novo.",
    ErrorCode.CERTIFICATE_MISSING: NO_CERTIFICATE.hint,
    ErrorCode.CERTIFICATE_EXPIRED: "Envie um certificado A1 em vigor e emita de novo.",
    ErrorCode.CERTIFICATE_INVALID: "Envie um certificado A1 em vigor e emita de novo.",
}
NO_NUMBER_LEFT = Problem(
    "SERIES_EXHAUSTED",
    "company.settings.series",
    "Todos os números da série já foram usados.",
    "Configure outra série para este tipo de documento.",
)


async def problems_before_issuing(
    context: WorkerContext, document: DocumentInProgress
) -> tuple[Problem, ...]:
    """Returns the problems of the company, or else those of the request by today's rules."""
    return company_problems(context, document) or await _rule_problems(context, document)


def company_problems(context: WorkerContext, document: DocumentInProgress) -> tuple[Problem, ...]:
    """Returns what the company lacks to issue now."""
    refusal = not_ready_refusal(
        document.snapshot, document.document_type, document.environment, context.builder.clock()
    )
    if refusal is None:
        return ()
    code, field = refusal.code, "certificate"
    if code is ErrorCode.COMPANY_NOT_READY and refusal.details:
        field = refusal.details["missing"][0]
    return (Problem(code.name, f"company.{field}", refusal.message, _HINTS[code]),)


async def _rule_problems(context: WorkerContext, document: DocumentInProgress) -> tuple[Problem, ...]:
    """Returns the problems by today's rules; none if a review with the same data passed before.

    Company and day must be those of the review. A replaced document may have changed since.
    """
    replacement = document.document_type.replacement
    is_replacing = bool(replacement and replacement.replaced_id(document.request))
    reviewed = (document.row.reviewed_revision, document.row.reviewed_on)
    if not is_replacing and reviewed == (document.snapshot.revision, context.builder.today):
        return ()
    review = await context.builder.review(document.source)
    return explain_problems(
        review.problems, document.document_type, document.row.request, document.row.posted
    )


async def take_number(
    context: WorkerContext, document: DocumentInProgress, route: EmissionRoute
) -> DocumentInProgress:
    """Takes the next number and assigns it to the document in one statement: no gap, no number twice.

    There is a previous attempt if its number belongs to another document, or if its outcome is unknown.
    """
    row, previous = document.row, document.row.emission
    series = document.snapshot.settings_of(document.document_type).series
    number_series = NumberSeries(
        row.company_id,
        row.type,
        row.environment,
        series,
        document.document_type.numbering.last_number,
    )
    async with context.database.steps_of(document.lease) as steps:
        emission = await steps.take_number(
            number_series,
            previous.ordinal + 1 if previous else 1,
            NumericCodes(random_numeric_code(), random_numeric_code()),
            route,
            [*contingency_entries(row, route), NewEvent(type=HistoryEntry.NUMBERED, status=row.status)],
            supersedes_previous=previous is not None and previous.state == EmissionState.SENT,
        )
    return document.with_emission(emission)


async def redirect(
    context: WorkerContext, document: DocumentInProgress, route: EmissionRoute
) -> DocumentInProgress:
    """Sends a document that no authority has by another route: same number, new access key."""
    async with context.database.steps_of(document.lease) as steps:
        await steps.redirect(document.emission.ordinal, route, contingency_entries(document.row, route))
    changed = replace(
        document.emission,
        emission_type=route.emission_type,
        contingency_started_at=route.contingency_started_at,
        contingency_reason=route.contingency_reason,
        state=EmissionState.NUMBERED,
        access_key=None,
        digest=None,
        receipt=None,
        tries=0,
    )
    return document.with_emission(changed)


def contingency_entries(row: Document, route: EmissionRoute) -> list[NewEvent]:
    """Returns the history entry of a contingency route, with the reason that the document states."""
    if route.contingency_reason is None:
        return []
    reason = route.contingency_reason
    return [NewEvent(type=HistoryEntry.CONTINGENCY, status=row.status, authority_message=reason)]


@dataclass(frozen=True)
class BuiltDocument:
    """A signed document and its moment of issue."""

    signed: SignedDocument
    issued_at: datetime


async def build_document(
    context: WorkerContext, document: DocumentInProgress, identity: SigningIdentity
) -> BuiltDocument | tuple[Problem, ...]:
    """Builds and signs the document and checks it against the XSD; returns all problems if it is invalid."""
    emission = _emission_of(context, document)
    if isinstance(emission, tuple):
        return emission
    signed = await context.builder.make(document.source, emission, identity.signer)
    return signed if isinstance(signed, tuple) else BuiltDocument(signed, emission.issued_at)


def _emission_of(context: WorkerContext, document: DocumentInProgress) -> Emission | tuple[Problem, ...]:
    """Returns number and moment of issue: the printed ones, or the number that was taken and now."""
    printed = document.source.printed_emission()
    if printed is not None:
        return printed
    taken = document.emission
    now = context.builder.emission_now(document.source, taken.number, taken.series, taken.numeric_code)
    if taken.emission_type == EmissionType.NORMAL:
        return now
    return replace(
        now, type=EmissionType(taken.emission_type), contingency=contingency_of(taken, now.issued_at)
    )


async def store_signed(
    context: WorkerContext, document: DocumentInProgress, signed: SignedDocument, issued_at: datetime
) -> DocumentInProgress:
    """Stores the signed bytes and marks them as sent, in one statement, before they are sent."""
    signed_emission = SignedEmission(
        issued_at=issued_at,
        access_key=signed.access_key,
        digest=signed.digest_value,
        file_name=signed_file(signed.digest_value),
        xml=signed.xml,
    )
    entry = NewEvent(type=HistoryEntry.SIGNED, status=document.row.status)
    async with context.database.steps_of(document.lease) as steps:
        await steps.keep_signed(document.emission.ordinal, signed_emission, EmissionState.SENT, [entry])
    return document.with_emission(
        replace(
            document.emission,
            issued_at=issued_at,
            access_key=signed_emission.access_key,
            digest=signed_emission.digest,
            state=EmissionState.SENT,
            receipt=None,
        )
    )


async def load_signed(context: WorkerContext, document: DocumentInProgress) -> SignedDocument:
    """Returns the stored signed bytes, to be sent again unchanged."""
    digest = document.emission.digest
    if digest is None:
        raise LookupError(f"document {document.row.id} was not signed")
    async with context.database.autocommit(document.lease.key.subscription_id) as tenant:
        xml = await tenant.archive.get(document.row.id, signed_file(digest))
    if xml is None:
        raise LookupError(f"the signed bytes of document {document.row.id} are gone")
    return SignedDocument(xml, document.document_type.issuing.identity(xml).access_key, digest)


async def record_attempt(
    context: WorkerContext, document: DocumentInProgress, signed: SignedDocument
) -> DocumentInProgress:
    """Stores that the authority may have the document from now on, and its access key."""
    emission = replace(document.emission, state=EmissionState.SENT, access_key=signed.access_key)
    async with context.database.steps_of(document.lease) as steps:
        await steps.write_state(
            emission.ordinal, emission.state, tries=emission.tries, access_key=emission.access_key
        )
    return document.with_emission(emission)


async def transmit(
    context: WorkerContext, document: DocumentInProgress, sender: AuthorityCredentials, signed: SignedDocument
) -> Outcome:
    """Asks for the authorization of the document. Raises LeaseLost."""
    document.lease.require_held()
    return await context.authorities[document.document_type.name].send(sender, signed)


async def consult_attempt(
    context: WorkerContext, document: DocumentInProgress, sender: AuthorityCredentials
) -> Outcome:
    """Asks for the outcome, by the receipt of its lot if there is one, else by its access key."""
    authority, emission = context.authorities[document.document_type.name], document.emission
    key = emission.access_key or ""
    if emission.receipt and isinstance(authority, LotAuthority):
        return await authority.receipt(sender, key, emission.receipt)
    return await authority.consult(sender, key)
