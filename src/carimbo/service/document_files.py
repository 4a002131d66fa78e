"""The XML of documents, to be downloaded."""

from collections.abc import Callable
from dataclasses import dataclass

from carimbo.fiscal.lifecycle import Status
from carimbo.fiscal.xml_reading import UnreadableXml
from carimbo.fiscal.xml_reading import read_xml as parse_xml
from carimbo.service.archived_files import authorization_file, refusal_file, signed_file
from carimbo.service.documents import Reference, refusing_unreadable_xml, require_document, without_xml
from carimbo.service.errors import Code, Refusal, not_found
from carimbo.service.kinds import kind_named
from carimbo.storage.database import Database, Tenant
from carimbo.storage.documents import Document
from carimbo.storage.emissions import Emission

_STATUS_WORDS = {
    Status.PENDING: "pendente",
    Status.PROCESSING: "em processamento",
    Status.AUTHORIZED: "autorizado",
    Status.REJECTED: "rejeitado",
    Status.CANCELED: "cancelado",
}


@dataclass(frozen=True)
class XmlFile:
    """A file to be downloaded."""

    name: str
    xml: bytes


async def read_xml(database: Database, which: Reference) -> XmlFile:
    """The file that has legal force: the signed document with its authorization."""
    async with database.autocommit(which.subscription_id) as tenant:
        return await xml_of(tenant, await require_document(tenant, which))


async def xml_of(tenant: Tenant, document: Document) -> XmlFile:
    """The file of a document that was authorized."""
    xml = await authorized_xml(tenant, document, document.emission)
    if xml is None:
        raise without_authorization(document, "XML")
    return XmlFile(f"{_file_stem(document)}.xml", xml)


async def read_rejection_xml(database: Database, which: Reference) -> XmlFile:
    """What was sent, with what came back."""
    async with database.autocommit(which.subscription_id) as tenant:
        document = await require_document(tenant, which)
        signed, answer = await _files(tenant, document, document.emission, refusal_file)
    if signed is None or answer is None:
        raise _without_rejection_file(document)
    xml = kind_named(document.type).issuing.refused(signed, answer or None)
    return XmlFile(f"{_file_stem(document)}-rejection.xml", xml)


async def authorized_xml(tenant: Tenant, document: Document, emission: Emission | None) -> bytes | None:
    """An attempt of a document with its authorization; None while there is none."""
    signed, protocol = await _files(tenant, document, emission, authorization_file)
    if signed is None or protocol is None:
        return None
    require_xml(document, signed, protocol)
    return kind_named(document.type).issuing.archived(signed, protocol)


def without_authorization(document: Document, file: str) -> Refusal:
    """Refuses a file that there is only after the authorization of its document, or that was lost since."""
    issued = (Status.AUTHORIZED, Status.CANCELED)
    if document.status in issued:
        return without_xml(document)
    return _absent(document, f"Só há {file} depois da autorização", *issued)


async def signed_xml(tenant: Tenant, document: Document, emission: Emission | None) -> bytes | None:
    """Returns what was signed of an attempt, None before that; refuses a file that is not that one."""
    digest = emission.digest if emission else None
    signed = await tenant.archive.get(document.id, signed_file(digest)) if digest else None
    if digest and signed is not None:
        with refusing_unreadable_xml(document):
            if digest.encode() not in signed:
                raise UnreadableXml("O XML não tem o resumo do que foi assinado.")
    return signed


def require_xml(document: Document, *files: bytes) -> None:
    """Refuses stored files that are no XML: nobody should take what is made of them for a legal file."""
    with refusing_unreadable_xml(document):
        for file in files:
            parse_xml(file)


def _without_rejection_file(document: Document) -> Refusal:
    if document.status == Status.REJECTED:
        return not_found("O documento foi recusado antes de ser enviado à autoridade: não há XML.")
    return _absent(document, "Só há este XML depois de uma rejeição", Status.REJECTED)


def _absent(document: Document, rule: str, *allowed: Status) -> Refusal:
    sentence = f"{rule}; o documento está {_STATUS_WORDS[Status(document.status)]}."
    return Refusal(Code.INVALID_STATE, sentence, currentStatus=document.status, allowed=[*allowed])


async def _files(
    tenant: Tenant, document: Document, emission: Emission | None, other: Callable[[str], str]
) -> tuple[bytes | None, bytes | None]:
    signed = await signed_xml(tenant, document, emission)
    if emission is None or emission.digest is None:
        return None, None
    return signed, await tenant.archive.get(document.id, other(emission.digest))


def _file_stem(document: Document) -> str:
    return (document.emission and document.emission.document_key) or str(document.id)
