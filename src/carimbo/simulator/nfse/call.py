"""A call of a resource: its parameters and its posted XML, unpacked and checked against the XSD."""

import gzip
import json
import re
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lxml import etree

from carimbo.fiscal.schemas.files import Schema
from carimbo.fiscal.xml_reading import UnreadableXml, read_xml
from carimbo.simulator.family import RequestContext, ServicePath
from carimbo.simulator.http import JSON, Request
from carimbo.simulator.ledger import Ledger
from carimbo.simulator.rules import AuthorityVerdict, RejectionRule, first_broken
from carimbo.simulator.trust import JudgedCertificate
from carimbo.simulator.xml_messages import first_fault, is_prefixed, unzipped

NAMESPACE = "http://www.sped.fazenda.gov.br/nfse"
# A DPS with a thousand documents for deduction, as many as its XSD allows, has less than one megabyte.
MAX_UNZIPPED_BYTES = 4_000_000
_XML_DECLARATION = b'<?xml version="1.0" encoding="utf-8"?>'
_UTF8_DECLARATION = re.compile(rb"\s*<\?xml\s[^>]*?\bencoding\s*=\s*[\"']utf-8[\"'][^>]*?\?>", re.IGNORECASE)
_OTHER_ENCODING = re.compile(rb"\s*<\?xml\s[^>]*?\bencoding\s*=")
NOT_PACKED, NOT_WELL_FORMED, NOT_HANDLED, NOT_BY_THE_XSD = "E1225", "E1226", "E1242", "E1235"
"""Later checks depend on these, so they are not rules that can be switched off."""


@dataclass(frozen=True, slots=True)
class PostedXml:
    """XML that was posted in JSON, unpacked."""

    xml: bytes = b""
    """The unpacked bytes; empty if it could not be unpacked."""
    root: etree._Element | None = None
    """The parsed tree; None if it is not well-formed."""

    @property
    def id(self) -> str:
        """The Id of its signed element, or an empty text."""
        signed = None if self.root is None else self.root.find("{*}*[@Id]")
        return "" if signed is None else signed.get("Id", "")


NOTHING_POSTED = PostedXml()


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceCall:
    """A request to a resource, as handlers and rules see it."""

    service_path: ServicePath
    context: RequestContext
    sender: JudgedCertificate | None
    """The certificate of the connection."""
    parameters: Mapping[str, str]
    """The parameters of the path by name, such as `chave` and `id`."""
    query: Mapping[str, str] = field(default_factory=dict)
    """The parameters of the query, by lower-case name as the server ignores case."""
    posted: PostedXml = NOTHING_POSTED
    """The XML of a POST."""

    @property
    def ledger(self) -> Ledger:
        """The documents and events that the authority has stored."""
        return Ledger(self.context.store)


def pack_xml(xml: bytes) -> str:
    """Returns XML as answers carry it: UTF-8 with declaration, in gzip, in base64."""
    return b64encode(gzip.compress(_XML_DECLARATION + xml, mtime=0)).decode()


def unpack_xml(text: str) -> bytes | None:
    """Unpacks base64 of gzip; None if it is something else, or larger than any message."""
    content = unzipped(text, MAX_UNZIPPED_BYTES)
    return None if content is None or len(content) > MAX_UNZIPPED_BYTES else content


def undeclared(posted: PostedXml) -> bool:
    """The XML declaration does not say UTF-8."""
    return not _UTF8_DECLARATION.match(posted.xml)


def prefixed(posted: PostedXml) -> bool:
    """Element names have a namespace prefix."""
    return posted.root is not None and is_prefixed(posted.xml, posted.root)


def otherwise_encoded(posted: PostedXml) -> bool:
    """The declaration names another encoding, which may be why the XML cannot be read."""
    return bool(_OTHER_ENCODING.match(posted.xml)) and undeclared(posted)


MESSAGE_RULES: tuple[RejectionRule[PostedXml], ...] = (
    RejectionRule("E1228", prefixed),
    RejectionRule("E1229", undeclared),
)
ENCODING_RULES: tuple[RejectionRule[PostedXml], ...] = (RejectionRule("E1229", otherwise_encoded),)
"""Rules for XML that could not be parsed."""


def is_json(request: Request) -> bool:
    """Returns whether the content type of a request is JSON."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower() == JSON


def packed_text(request: Request, field: str) -> str | None:
    """Returns a text field of a JSON body; None if the body is not JSON or lacks the text."""
    try:
        body: Any = json.loads(request.body)
    except (ValueError, RecursionError):
        return None
    text = body.get(field) if isinstance(body, dict) else None
    return text if isinstance(text, str) and text else None


def unpack_posted(packed: str) -> PostedXml:
    """Unpacks and parses the posted XML, as far as possible."""
    xml = unpack_xml(packed)
    if xml is None:
        return PostedXml()
    try:
        return PostedXml(xml, read_xml(xml))
    except UnreadableXml:
        return PostedXml(xml)


def checked_message(call: ResourceCall, tag: str, schema: Schema) -> etree._Element | AuthorityVerdict:
    """Returns the posted message, or the first error in its form, which hides all others."""
    posted, off = call.posted, call.context.controls.rules_off
    if not posted.xml:
        return AuthorityVerdict(NOT_PACKED)
    if posted.root is None:
        return first_broken(ENCODING_RULES, posted, off) or AuthorityVerdict(NOT_WELL_FORMED)
    if posted.root.tag != f"{{{NAMESPACE}}}{tag}":
        return AuthorityVerdict(NOT_HANDLED)
    if broken := first_broken(MESSAGE_RULES, posted, off):
        return broken
    fault = _comment_fault(posted.root) or first_fault(call.context.xsds.of(schema), posted.root)
    return AuthorityVerdict(NOT_BY_THE_XSD, fault) if fault else posted.root


def _comment_fault(root: etree._Element) -> str | None:
    """Names comments and processing instructions, which no XSD forbids and no signature covers."""
    node = next(root.iter(etree.Comment, etree.ProcessingInstruction), None)
    return None if node is None else "comentário ou instrução de processamento"
