"""Imports the XML of a document by hand: what the distribution does not give, or not any more."""

import asyncio
import re
from uuid import UUID

from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.identity.certificate import UnreadableCertificate, owner_of
from carimbo.fiscal.identity.signature import BadSignature, verify
from carimbo.fiscal.identity.tax_ids import cnpj_base, is_cpf
from carimbo.fiscal.receiving import ReceivedDocument, Receiving, Role, UnreadFile
from carimbo.fiscal.xml_reading import UnreadableXml, local_name, read_xml
from carimbo.service.companies.registration import hold_company
from carimbo.service.contexts import IssuingContext
from carimbo.service.document_types import receiving_of_type
from carimbo.service.errors import invalid_field
from carimbo.service.receiving.inbox import Inbox, ReadFile, read_file
from carimbo.service.receiving.record import ReceivedRecord, received_record
from carimbo.storage.companies import CompanyRow

_ENVIRONMENT = re.compile(rb"<tpAmb>\s*([12])\s*</tpAmb>")
_DIGEST = re.compile(rb"<digVal>\s*([^<\s]+)\s*</digVal>")
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
        await asyncio.to_thread(_require_signed, receiving, xml, file.content.issuer_tax_id)
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


def _require_signed(receiving: Receiving, xml: bytes, issuer_tax_id: str) -> None:
    """Refuses a document that was changed after it was signed, or whose protocol is of another version."""
    for element in read_xml(xml).iterchildren("*"):
        if local_name(element) not in receiving.signed_tags:
            continue
        try:
            signature = verify(element)
        except BadSignature as error:
            raise invalid_field(_FIELD, f"{error} Envie o XML como foi autorizado.") from error
        if not _is_of(signature.certificate_der, issuer_tax_id):
            raise invalid_field(_FIELD, "A assinatura não é do emitente do documento.")
        authorized = _DIGEST.search(xml)
        if authorized and authorized[1].decode() != signature.digest_value:
            raise invalid_field(_FIELD, "O protocolo é de outra versão deste documento.")


def _is_of(certificate_der: bytes, tax_id: str) -> bool:
    """Returns whether a certificate is of a person, or of an establishment of a company."""
    try:
        owner, _ = owner_of(certificate_der)
    except UnreadableCertificate:
        return False
    if owner is None or is_cpf(tax_id):
        return owner == tax_id
    return cnpj_base(owner) == cnpj_base(tax_id)


def _require_of_company(file: ReadFile, company: CompanyRow, environment: Environment) -> None:
    document = file.content
    is_stranger = isinstance(document, ReceivedDocument) and document.role is Role.OTHER
    if is_stranger and company.tax_id.encode() not in file.xml:
        raise invalid_field(_FIELD, _NOT_A_PARTY)
    match = _ENVIRONMENT.search(file.xml)
    if match is None or match[1].decode() != environment.code:
        raise invalid_field(_FIELD, "O documento é do outro ambiente: confira o ambiente da empresa.")
