"""The declaration of a service (`infDPS`), from which the authority makes the NFS-e."""

from datetime import date, datetime

from lxml import etree

from carimbo.fiscal.identity.signature import Signature
from carimbo.fiscal.layouts.dps_v1.amounts import Amounts
from carimbo.fiscal.layouts.dps_v1.ibs_cbs import ServiceIbsCbs
from carimbo.fiscal.layouts.dps_v1.parties import Provider, Taker
from carimbo.fiscal.layouts.dps_v1.service import ProvidedService
from carimbo.fiscal.layouts.group import INLINE, attribute, child, day, group, integer, moment, text
from carimbo.fiscal.layouts.reading import read_group
from carimbo.fiscal.layouts.signed_part import WrittenPart, try_write_part
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.schemas import Schema, Schemas
from carimbo.fiscal.signed_documents import SignedDocument

NAMESPACE = "http://www.sped.fazenda.gov.br/nfse"
"""Namespace of every message of the national NFS-e."""

VERSION = "1.01"
"""Version of the layout, in the root element of every message."""


@group("subst")
class Substitution:
    """`subst`: the note that this one replaces; its registration cancels it (e105102)."""

    access_key: str = text("chSubstda", 50, path="documentId")
    reason_code: str = text("cMotivo", 2)
    reason: str | None = text("xMotivo", 255, default=None)


@group("infDPS")
class ServiceNote:
    """`infDPS`: the signed part of a DPS."""

    id: str = attribute("Id", 45)
    environment: str = text("tpAmb", 1)
    issued_at: datetime = moment("dhEmi")
    application_version: str = text("verAplic", 20)
    series: int = integer("serie")
    number: int = integer("nDPS")
    competence: date = day("dCompet", path="issueDate")
    issuer: str = text("tpEmit", 1)
    """1 the provider, 2 the taker, 3 the intermediary."""
    issuer_reason: str | None = text("cMotivoEmisTI", 1, default=None)
    rejected_key: str | None = text("chNFSeRej", 50, default=None)
    city_code: str = text("cLocEmi", 7, path="company.address.cityCode")
    substitution: Substitution | None = child("subst", path="replaces", default=None)
    provider: Provider = child("prest", path="company")
    taker: Taker | None = child("toma", path="borrower", default=None)
    intermediary: Taker | None = child("interm", default=None)
    service: ProvidedService = child("serv", path=INLINE)
    amounts: Amounts = child("valores", path=INLINE)
    ibs_cbs: ServiceIbsCbs | None = child("IBSCBS", default=None)


_ROOT = f'<DPS xmlns="{NAMESPACE}" versao="{VERSION}">'.encode()


def write(note: ServiceNote) -> WrittenPart | tuple[Problem, ...]:
    """Returns the written declaration, or a problem for every value that can't be written."""
    return try_write_part(note, NAMESPACE)


def enclose(written: WrittenPart, signature: Signature) -> SignedDocument:
    """Returns a signed DPS in its root element; its Id is the key until the authority assigns one."""
    return SignedDocument(
        xml=in_root(written, signature.text),
        access_key=written.id,
        digest_value=signature.digest_value,
    )


def in_root(written: WrittenPart, *beside: bytes) -> bytes:
    """Returns a declaration in its root element, followed by other elements."""
    return b"".join((_ROOT, written.inside, *beside, b"</DPS>"))


def read_note(document: bytes) -> ServiceNote:
    """Reads a whole DPS back; raises `UnreadableDocument`."""
    (content,) = etree.fromstring(document).iter(f"{{{NAMESPACE}}}infDPS")
    return read_group(ServiceNote, content)


def check(document: SignedDocument, schemas: Schemas) -> tuple[Problem, ...]:
    """Returns the problems that the official XSD finds in a signed DPS."""
    return schemas.problems(Schema.NFSE_DPS, etree.fromstring(document.xml), ServiceNote)
