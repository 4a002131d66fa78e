"""Documents that the authority has as open: asking for them, and closing one by its access key."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil
from uuid import UUID

from pydantic import Field

from carimbo.fiscal.authority import Authority
from carimbo.fiscal.body.fields import Body, Record
from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.emission import local_moment
from carimbo.fiscal.identity.access_key import AccessKey
from carimbo.fiscal.lifecycle import CLOSING
from carimbo.fiscal.open_documents import ClosingByKey, OpenDocument
from carimbo.fiscal.outcome import Authorized, Closed, Duplicate, Rejected, Throttled
from carimbo.service.companies.snapshot import CompanySnapshot, SigningIdentity
from carimbo.service.documents.queries import DocumentReference, EventRecord
from carimbo.service.errors import ErrorCode, Refusal, require_no_problems
from carimbo.service.filing.context import FilingContext
from carimbo.service.filing.in_progress import filing_issuer
from carimbo.service.filing.register import register_event
from carimbo.service.ports import OpenListingAuthority
from carimbo.storage.audit import AuditAction
from carimbo.storage.companies import CompanyRow
from carimbo.storage.documents import Document

# MOC MDF-e 3.00: abusive consumption blocks for an hour at most (678).
_LONGEST_BLOCK = timedelta(hours=1)


class OpenAtAuthorityRecord(Record):
    """A document that the authority has as open."""

    access_key: str = Field(examples=["35261111222333000181580010000000071482103795"])
    protocol: str = Field(description="Protocolo da autorização.", examples=["935260000000123"])
    series: int
    number: int
    document_id: UUID | None = Field(description="O documento deste serviço; nulo se é de outro programa.")
    authorized_at: datetime | None = Field(description="Quando foi autorizado, se é deste serviço.")


class ClosedByKeyRecord(Record):
    """A document that was closed by its access key."""

    access_key: str
    document_id: UUID | None = Field(description="O documento deste serviço; nulo se é de outro programa.")
    protocol: str | None = Field(description="Protocolo do encerramento; nulo se já estava encerrado.")
    authority_code: str | None
    authority_message: str | None


@dataclass(frozen=True)
class OpenDocumentsAtAuthority:
    """Asks the authorities for open documents, and closes those that another program issued."""

    filing: FilingContext
    authorities: Mapping[str, Authority]

    async def all(
        self, subscription_id: UUID, company: CompanyRow, document_type: DocumentType
    ) -> list[OpenAtAuthorityRecord]:
        """Returns the documents of a company that the authority has as open."""
        snapshot = await self.filing.snapshot_of(subscription_id, company, document_type)
        identity = await self._identity_of(snapshot)
        authority = self.authorities[document_type.name]
        if not isinstance(authority, OpenListingAuthority):
            raise LookupError(f"the authority of {document_type.name} lists no open documents")
        environment = snapshot.environment_of(document_type)
        sender = identity.sender(snapshot.row.tax_id, environment)
        answer = await authority.open_documents(sender, snapshot.company.address.state)
        if isinstance(answer, Throttled):
            raise self._throttled(answer)
        if not isinstance(answer, tuple):
            raise Refusal(ErrorCode.AUTHORITY_UNAVAILABLE)
        own = await self._own_documents(snapshot, document_type, [document.access_key for document in answer])
        return [_record(document, own.get(document.access_key)) for document in answer]

    async def close(
        self,
        subscription_id: UUID,
        company: CompanyRow,
        document_type: DocumentType,
        closing: ClosingByKey,
        request: Body,
    ) -> ClosedByKeyRecord:
        """Closes a document by its key. One of this service is closed like every other.

        Nothing is stored about a document of another program. If the answer is lost, the caller asks again:
        the authority says then that the document is closed.
        """
        snapshot = await self.filing.snapshot_of(subscription_id, company, document_type)
        key = closing.access_key(request)
        own = (await self._own_documents(snapshot, document_type, [key])).get(key)
        if own is not None:
            reference = DocumentReference(subscription_id, own.id, company.id)
            record = await register_event(
                self.filing, company, reference, CLOSING, closing.own_closing(request)
            )
            if not isinstance(record, EventRecord):
                # It may still be registered; the same call again waits for the same closing.
                raise Refusal(ErrorCode.AUTHORITY_UNAVAILABLE)
            return ClosedByKeyRecord(
                access_key=key,
                document_id=own.id,
                protocol=record.protocol,
                authority_code=record.authority_code,
                authority_message=record.authority_message,
            )
        return await self._close_elsewhere(snapshot, document_type, closing, request, key)

    async def _close_elsewhere(
        self,
        snapshot: CompanySnapshot,
        document_type: DocumentType,
        closing: ClosingByKey,
        request: Body,
        key: str,
    ) -> ClosedByKeyRecord:
        identity, builder = await self._identity_of(snapshot), self.filing.issuing.builder
        environment = snapshot.environment_of(document_type)
        issuer = filing_issuer(builder, snapshot, environment, identity.signer)
        now = local_moment(builder.clock(), snapshot.company.address.state)
        signed = closing.issue(request, now, issuer)
        if isinstance(signed, tuple):
            require_no_problems(signed)
            raise LookupError("an event has neither XML nor problems")
        sender = identity.sender(snapshot.row.tax_id, environment)
        # Stored before it is sent: an answer may get lost.
        await self._audit_closing(snapshot, document_type, key)
        match await self.authorities[document_type.name].register_event(sender, signed.xml):
            case Authorized() as answer:
                return _closed(key, answer.protocol, answer.code, answer.message)
            case Closed() | Duplicate() as answer:
                return _closed(key, None, answer.code, answer.message)
            case Rejected() as answer:
                hint = document_type.issuing.hint(answer.code, answer.message)
                raise Refusal(
                    ErrorCode.AUTHORITY_REJECTED,
                    authorityCode=answer.code,
                    authorityMessage=answer.message,
                    hint=hint.sentence if hint else None,
                )
            case Throttled() as answer:
                raise self._throttled(answer)
            case _:
                raise Refusal(ErrorCode.AUTHORITY_UNAVAILABLE)

    async def _audit_closing(self, snapshot: CompanySnapshot, document_type: DocumentType, key: str) -> None:
        async with self.filing.issuing.database.tenant(snapshot.subscription_id) as tenant:
            await tenant.audit.add(
                AuditAction.DOCUMENT_CLOSED_BY_KEY,
                company_id=snapshot.row.id,
                subject_id=key,
                subject_name=f"{document_type.title} {key}",
            )

    def _throttled(self, answer: Throttled) -> Refusal:
        now = self.filing.issuing.builder.clock()
        wait = answer.until - now if answer.until else _LONGEST_BLOCK
        return Refusal(ErrorCode.AUTHORITY_THROTTLED, retryAfter=max(1, ceil(wait.total_seconds())))

    async def _identity_of(self, snapshot: CompanySnapshot) -> SigningIdentity:
        identity = await self.filing.issuing.snapshots.signing_identity_of(snapshot)
        if identity is None:
            raise Refusal(ErrorCode.CERTIFICATE_MISSING)
        return identity

    async def _own_documents(
        self, snapshot: CompanySnapshot, document_type: DocumentType, keys: list[str]
    ) -> dict[str, Document]:
        """Returns the documents of the company with these keys, by key."""
        if not keys:
            return {}
        environment = snapshot.environment_of(document_type)
        async with self.filing.issuing.database.autocommit(snapshot.subscription_id) as tenant:
            documents = await tenant.documents.authorized_or_canceled_with_keys(
                snapshot.row.id, environment, keys
            )
        return {key: document for key, document in documents.items() if document.type == document_type.name}


def _record(document: OpenDocument, own: Document | None) -> OpenAtAuthorityRecord:
    key = AccessKey.parse(document.access_key)
    return OpenAtAuthorityRecord(
        access_key=document.access_key,
        protocol=document.protocol,
        series=key.series,
        number=key.number,
        document_id=own and own.id,
        authorized_at=own and own.emission and own.emission.authorized_at,
    )


def _closed(key: str, protocol: str | None, code: str, message: str) -> ClosedByKeyRecord:
    return ClosedByKeyRecord(
        access_key=key,
        document_id=None,
        protocol=protocol,
        authority_code=code,
        authority_message=message,
    )
