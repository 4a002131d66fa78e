"""Files of documents: their names in the archive, the XML to download, and signed links to files.

Names of a document's files end with the digest of the signed version that they belong to. Events and ranges
of numbers have one file of each kind.
"""

import base64
import hashlib
import hmac
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID

from carimbo.fiscal.lifecycle import Status
from carimbo.fiscal.xml_reading import UnreadableXml
from carimbo.fiscal.xml_reading import read_xml as parse_xml
from carimbo.service.document_types import document_type_named
from carimbo.service.documents.queries import (
    DocumentReference,
    missing_xml_refusal,
    refusing_unreadable_xml,
    require_document,
)
from carimbo.service.errors import ErrorCode, Refusal, not_found
from carimbo.storage.database import Database, Tenant
from carimbo.storage.documents import Document
from carimbo.storage.emissions import EmissionRow
from carimbo.storage.identifiers import NIL


def signed_file(digest: str) -> str:
    """Returns the name of a signed version. All are kept: any may turn out to be the authorized one."""
    return f"signed/{digest}"


def authorization_file(digest: str) -> str:
    """Returns the name of the authority's authorization."""
    return f"authorization/{digest}"


def refusal_file(digest: str) -> str:
    """Returns the name of the authority's rejection."""
    return f"refusal/{digest}"


def consulted_event_file(event_name: str, digest: str) -> str:
    """Returns the name of an event of another sender, found by a query."""
    return f"{event_name}/{digest}"


SIGNED = "signed"
"""The signed XML of an event or a range, which is sent unchanged."""
REGISTRATION = "registration"
"""The authority's registration of an event or a range."""
RECEIVED_FILE = "document"
"""The whole XML of a received document."""
RECEIVED_XML = "received.xml"
"""The extension in links to the XML of received documents."""
_RECEIVED_LINK_INVALID = (
    "O link expirou ou não é válido: peça outro a quem o enviou. Na API, GET …/{id}/xml do documento recebido"
    " traz um novo."
)
REFUSAL = "refusal"
"""The authority's rejection of an event or a range."""


_STATUS_WORDS = {
    Status.PENDING: "pendente",
    Status.PROCESSING: "em processamento",
    Status.AUTHORIZED: "autorizado",
    Status.REJECTED: "rejeitado",
    Status.CANCELED: "cancelado",
}


@dataclass(frozen=True)
class XmlFile:
    """An XML file to download."""

    name: str
    xml: bytes


async def read_xml(database: Database, reference: DocumentReference) -> XmlFile:
    """Returns the file with legal validity: the signed document with its authorization."""
    async with database.autocommit(reference.subscription_id) as tenant:
        return await xml_of(tenant, await require_document(tenant, reference))


async def xml_of(tenant: Tenant, document: Document) -> XmlFile:
    """Returns the file of an authorized document, or refuses."""
    xml = await authorized_xml(tenant, document, document.emission)
    if xml is None:
        raise not_authorized_refusal(document, "XML")
    return XmlFile(f"{_file_stem(document)}.xml", xml)


async def read_rejection_xml(database: Database, reference: DocumentReference) -> XmlFile:
    """Returns the rejected document with the authority's answer in one file."""
    async with database.autocommit(reference.subscription_id) as tenant:
        document = await require_document(tenant, reference)
        signed, answer = await _signed_and_answer(tenant, document, document.emission, refusal_file)
    if signed is None or answer is None:
        if document.status == Status.REJECTED:
            raise not_found("O documento foi recusado antes de ser enviado à autoridade: não há XML.")
        raise _missing_file(document, "Só há este XML depois de uma rejeição", Status.REJECTED)
    xml = document_type_named(document.type).issuing.refused(signed, answer or None)
    return XmlFile(f"{_file_stem(document)}-rejection.xml", xml)


async def authorized_xml(tenant: Tenant, document: Document, emission: EmissionRow | None) -> bytes | None:
    """Returns an attempt of a document with its authorization; None if it has none."""
    signed, protocol = await _signed_and_answer(tenant, document, emission, authorization_file)
    if signed is None or protocol is None:
        return None
    require_xml(document, signed, protocol)
    return document_type_named(document.type).issuing.archived(signed, protocol)


def not_authorized_refusal(document: Document, file: str) -> Refusal:
    """Returns the refusal of a file that exists only after authorization, or that was lost since."""
    issued = (Status.AUTHORIZED, Status.CANCELED)
    if document.status in issued:
        return missing_xml_refusal(document)
    return _missing_file(document, f"Só há {file} depois da autorização", *issued)


async def signed_xml(tenant: Tenant, document: Document, emission: EmissionRow | None) -> bytes | None:
    """Returns the signed XML of an attempt, None if it is not signed; refuses a file with another digest."""
    digest = emission.digest if emission else None
    signed = await tenant.archive.get(document.id, signed_file(digest)) if digest else None
    if digest and signed is not None:
        with refusing_unreadable_xml(document):
            if digest.encode() not in signed:
                raise UnreadableXml("O XML não tem o resumo do que foi assinado.")
    return signed


def require_xml(document: Document, *files: bytes) -> None:
    """Refuses stored files that are not XML, so that no damaged file is taken for a legal one."""
    with refusing_unreadable_xml(document):
        for file in files:
            parse_xml(file)


def _missing_file(document: Document, rule: str, *allowed: Status) -> Refusal:
    sentence = f"{rule}; o documento está {_STATUS_WORDS[Status(document.status)]}."
    return Refusal(ErrorCode.INVALID_STATE, sentence, currentStatus=document.status, allowed=[*allowed])


async def _signed_and_answer(
    tenant: Tenant, document: Document, emission: EmissionRow | None, answer_file: Callable[[str], str]
) -> tuple[bytes | None, bytes | None]:
    """Returns the signed XML of an attempt and the authority's answer, whose name `answer_file` gives."""
    signed = await signed_xml(tenant, document, emission)
    if emission is None or emission.digest is None:
        return None, None
    return signed, await tenant.archive.get(document.id, answer_file(emission.digest))


def _file_stem(document: Document) -> str:
    return (document.emission and document.emission.document_key) or str(document.id)


@dataclass(frozen=True)
class Links:
    """Creates and checks links that open a document's file without credentials for a limited time.

    The file and the expiry are part of the link and signed. The owner is encrypted, because the id of a
    subscription is half of its credentials. Holds the installation's key, so build it once.
    """

    key: bytes = field(repr=False)
    base_url: str
    valid_for: timedelta
    clock: Callable[[], datetime]

    @classmethod
    async def open(
        cls, database: Database, base_url: str, valid_for: timedelta, clock: Callable[[], datetime]
    ) -> "Links":
        """Reads the key, or creates it on the first start; it is encrypted like any secret."""
        async with database.tenant(NIL) as installation:
            key = await installation.secrets.get_or_create(NIL, "link-key", secrets.token_bytes(32))
        return cls(key, base_url, valid_for, clock)

    def pdf(self, subscription_id: UUID, document_id: UUID) -> str:
        """Returns a link to the PDF of a document."""
        return self._link(subscription_id, document_id, "pdf")

    def xml(self, subscription_id: UUID, document_id: UUID) -> str:
        """Returns a link to the authorized XML of a document."""
        return self._link(subscription_id, document_id, "xml")

    def received_xml(self, subscription_id: UUID, document_id: UUID) -> str:
        """Returns a link to the XML of a received document."""
        return self._link(subscription_id, document_id, RECEIVED_XML)

    def opened(
        self, owner: str, document_id: str, extension: str, expires: str, signature: str
    ) -> DocumentReference:
        """Returns the document of a link; refuses a link that has expired or that we did not sign."""
        file = f"{owner}/{document_id}.{extension}"
        is_ours = hmac.compare_digest(self._signature(file, expires).encode(), signature.encode())
        if not is_ours or self.clock().timestamp() >= int(expires):
            raise Refusal(
                ErrorCode.LINK_INVALID, _RECEIVED_LINK_INVALID if extension == RECEIVED_XML else None
            )
        document = UUID(document_id)
        return DocumentReference(self._masked_owner(UUID(owner), document), document)

    def _link(self, subscription_id: UUID, document_id: UUID, extension: str) -> str:
        file = f"{self._masked_owner(subscription_id, document_id)}/{document_id}.{extension}"
        expires = str(int((self.clock() + self.valid_for).timestamp()))
        return f"{self.base_url}/files/{file}?expires={expires}&signature={self._signature(file, expires)}"

    def _masked_owner(self, owner: UUID, document_id: UUID) -> UUID:
        """Encrypts or decrypts the owner of a document, by XOR with a keyed hash."""
        mask = hmac.digest(self.key, f"owner of {document_id}".encode(), hashlib.sha256)
        return UUID(int=owner.int ^ int.from_bytes(mask[:16]))

    def _signature(self, file: str, expires: str) -> str:
        digest = hmac.digest(self.key, f"{file}?expires={expires}".encode(), hashlib.sha256)
        return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
