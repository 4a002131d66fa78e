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
from carimbo.service.document_types import receiving_of_type
from carimbo.service.errors import invalid_field
from carimbo.service.receiving.inbox import Inbox, ReadFile, read_file
from carimbo.service.receiving.record import ReceivedRecord, received_record
from carimbo.storage.companies import CompanyRow

_FIELD = "file"
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
        row = await Inbox(tenant, company.id, environment, receiving).put(file, "import")
    if row is None:
        raise LookupError("an imported document was not stored")
    return received_record(row)


def _schema_of(receiving: Receiving, xml: bytes) -> str:
    """Returns the schema that the root of a file implies. Raises UnreadFile."""
    try:
        root = read_xml(xml)
    except UnreadableXml as error:
        raise UnreadFile(str(error)) from error
    schema = receiving.imported_schemas.get(local_name(root))
    if schema is None:
        expected = " ou ".join(receiving.imported_schemas)
        raise UnreadFile(f"O XML deve ser o documento com o seu protocolo ({expected}).")
    return schema


def _require_of_company(file: ReadFile, company: CompanyRow, environment: Environment) -> None:
    document = file.content
    is_stranger = isinstance(document, ReceivedDocument) and document.role is Role.OTHER
    if is_stranger and company.tax_id.encode() not in file.xml:
        raise invalid_field(_FIELD, _NOT_A_PARTY)
    if read_xml(file.xml).findtext(".//{*}tpAmb", "").strip() != environment.code:
        raise invalid_field(_FIELD, "O documento é do outro ambiente: confira o ambiente da empresa.")
