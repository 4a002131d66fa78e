"""Safe reading of XML from outside: limits on size and depth, no DTDs, only UTF-8."""

import re

from lxml import etree

# An authority's message has at most 500 kB (MOC 7.0). The largest answer, a distribution, has 50 such
# documents, zipped and in base64, about 4 MB. libxml2 has the same limit for a single text.
MAX_BYTES = 10_000_000
# The deepest layout has less than 20 levels, with its envelopes.
MAX_DEPTH = 64

_BOM = b"\xef\xbb\xbf"
_DECLARED_ENCODING = re.compile(rb"<\?xml\s[^>]*?\bencoding\s*=\s*[\"']([^\"'>]*)[\"']")
_TOO_DEEP = etree.XPath(f"boolean({'/*' * (MAX_DEPTH + 1)})")


class UnreadableXml(ValueError):
    """The bytes can't be a fiscal document or an authority's answer; the message is Portuguese."""


def read_xml(data: bytes, limit: int = MAX_BYTES) -> etree._Element:
    """Parses UTF-8 bytes and returns the root element.

    Raises `UnreadableXml` for XML that is hostile, too large or not well-formed. Comments and processing
    instructions stay in the tree: code that verifies a signature must refuse them.
    """
    _refuse_unparsed(data.removeprefix(_BOM), limit)
    # A new parser takes a microsecond to create, and threads do not wait for each other.
    parser = etree.XMLParser(
        # Excludes every other encoding, whatever the document declares or looks like.
        encoding="utf-8",
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        huge_tree=False,
    )
    try:
        root = etree.fromstring(data, parser)
    except etree.LxmlError as error:
        # Only the position: the parser's own message is English and quotes the document.
        line, column = getattr(error, "position", (0, 0))
        message = f"O XML está mal formado ou cortado (linha {line}, coluna {column})."
        raise UnreadableXml(message) from error
    if _TOO_DEEP(root):
        raise UnreadableXml(f"O XML tem mais de {MAX_DEPTH} níveis.")
    return root


def root_alone(document: bytes) -> bytes:
    """Returns a document without byte order mark, declaration and surrounding white space.

    The result can be embedded in another document. A document without these is not copied.
    """
    content = document.removeprefix(_BOM).strip()
    return content[content.index(b"?>") + 2 :].lstrip() if content.startswith(b"<?xml") else content


def local_name(element: etree._Element) -> str:
    """Returns the tag of an element without its namespace."""
    return etree.QName(element).localname


def _refuse_unparsed(content: bytes, limit: int) -> None:
    if not content:
        raise UnreadableXml("O XML está vazio.")
    if len(content) > limit:
        raise UnreadableXml(f"O XML tem mais de {limit} bytes.")
    declared = _DECLARED_ENCODING.match(content)
    if b"\0" in content or (declared and declared[1].upper() != b"UTF-8"):
        raise UnreadableXml("O XML não está codificado em UTF-8.")
    # Entities are only declared in a DTD. In well-formed UTF-8 these bytes begin a DTD, or are inside of a
    # CDATA section or a comment, where no real document has them.
    if b"<!DOCTYPE" in content:
        raise UnreadableXml("O XML tem uma declaração DOCTYPE, que não é aceita.")
