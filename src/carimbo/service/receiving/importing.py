"""Imports the XML of a document by hand: what the distribution does not give, or not any more."""

import asyncio
from uuid import UUID

from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.identity.signature import BadSignature
from carimbo.fiscal.receiving import ReceivedDocument, Receiving, Role, UnreadFile
from carimbo.fiscal.xml_reading import UnreadableXml, local_name, read_xml
from carimbo.service.companies.registration import hold_company
from carimbo.service.contexts import IssuingContext
from carimbo.service.document_types import RECEIVED_TYPES, document_type_named, receiving_of_type
from carimbo.service.errors import invalid_field
from carimbo.service.receiving.inbox import Inbox, ReadFile, read_file
from carimbo.service.receiving.queries import audit_received
from carimbo.service.receiving.record import ReceivedRecord, received_record
from carimbo.storage.audit import AuditAction
from carimbo.storage.companies import CompanyRow
from carimbo.storage.database import Tenant

_FIELD = "file"
# What people send instead of the XML, by the beginning of the file.
_NOT_XML = {
    b"PK\x03\x04": "O arquivo é um ZIP: envie o XML que está dentro dele.",
    b"%PDF": "O arquivo é um PDF: envie o XML do documento.",
}
_NOT_A_PARTY = "A empresa não está no documento: importe-o na empresa que o recebeu ou emitiu."


async def import_received(
    context: IssuingContext,
    subscription_id: UUID,
    company: CompanyRow,
    document_type: DocumentType,
    xml: bytes,
) -> ReceivedRecord:
    """Puts a document into the inbox, also one that the company issued elsewhere. Raises Refusal.

    A summary is completed by it; a document that is here already stays as it is.
    """
    receiving = receiving_of_type(document_type)
    snapshot = await context.snapshots.of(subscription_id, company.id, company.revision)
    environment = snapshot.environment_of(document_type)
    try:
        schema = _schema_of(receiving, xml)
        file = await asyncio.to_thread(read_file, receiving, schema, xml, company.tax_id, None)
    except UnreadFile as error:
        raise invalid_field(_FIELD, str(error)) from error
    _require_of_company(file, company, environment)
    if isinstance(file.content, ReceivedDocument):
        try:
            await asyncio.to_thread(receiving.check_signatures, xml, file.content.issuer_tax_id)
        except BadSignature as error:
            raise invalid_field(_FIELD, str(error)) from error
    async with context.database.tenant(subscription_id) as tenant:
        await hold_company(tenant, company.id)
        await tenant.received.lock(company.id)
        await _require_from_elsewhere(tenant, company, environment, file)
        row = await Inbox(tenant, company.id, environment, receiving).put(file, "import")
        if row is None:
            raise LookupError("an imported document was not stored")
        await audit_received(tenant, AuditAction.RECEIVED_IMPORTED, row)
    return received_record(row)


def _schema_of(receiving: Receiving, xml: bytes) -> str:
    """Returns the schema that the root of a file implies. Raises UnreadFile."""
    for beginning, sentence in _NOT_XML.items():
        if xml.startswith(beginning):
            raise UnreadFile(sentence)
    try:
        tag = local_name(read_xml(xml))
    except UnreadableXml as error:
        raise UnreadFile(str(error)) from error
    if schema := receiving.imported_schemas.get(tag):
        return schema
    for other in RECEIVED_TYPES:
        if tag in receiving_of_type(other).imported_schemas:
            collection = receiving_of_type(other).collection
            raise UnreadFile(f"O arquivo é {other.singular_with_article}: use /{collection}/import.")
    expected = " ou ".join(receiving.imported_schemas)
    raise UnreadFile(f"O XML deve ser o documento com o seu protocolo ({expected}).")


def _require_of_company(file: ReadFile, company: CompanyRow, environment: Environment) -> None:
    document, root = file.content, read_xml(file.xml)
    is_stranger = isinstance(document, ReceivedDocument) and document.role is Role.OTHER
    tax_ids = {(element.text or "").strip() for element in root.iter("{*}CNPJ", "{*}CPF")}
    if is_stranger and company.tax_id not in tax_ids:
        raise invalid_field(_FIELD, _NOT_A_PARTY)
    if root.findtext(".//{*}tpAmb", "").strip() != environment.code:
        raise invalid_field(_FIELD, "O documento é do outro ambiente: confira o ambiente da empresa.")


async def _require_from_elsewhere(
    tenant: Tenant, company: CompanyRow, environment: Environment, file: ReadFile
) -> None:
    """Refuses a document that this service issued for the company."""
    document = file.content
    if not isinstance(document, ReceivedDocument) or document.role is not Role.ISSUER:
        return
    if await tenant.received.is_issued_here(company.id, environment, document.access_key):
        collection = document_type_named(document.type).read_collection
        raise invalid_field(_FIELD, f"Este documento foi emitido aqui: ele está em /{collection}.")
