"""Read XML that others wrote, so that no document can exhaust or deceive the reader."""

import re

from lxml import etree

# An authority's message has at most 500 kB (MOC 7.0); the largest answer, a distribution, brings 50 such
# documents zipped and in base64, about 4 MB. libxml2 draws the line for a single text at the same place.
MAX_BYTES = 10_000_000
# The deepest of the layouts, in its envelopes, stays under 20.
MAX_DEPTH = 64

_BOM = b"\xef\xbb\xbf"
_DECLARED_ENCODING = re.compile(rb"<\?xml\s[^>]*?\bencoding\s*=\s*[\"']([^\"'>]*)[\"']")
_TOO_DEEP = etree.XPath(f"boolean({'/*' * (MAX_DEPTH + 1)})")


class UnreadableXml(ValueError):
    """The bytes are not XML that a fiscal document or an authority's answer could be; told in Portuguese."""


def read_xml(data: bytes, limit: int = MAX_BYTES) -> etree._Element:
    """Parse UTF-8 bytes into their root element, or refuse what is hostile, too large or not well-formed.

    Comments and processing instructions stay in the tree: whoever checks a signature must refuse them.
    """
    _refuse_unparsed(data.removeprefix(_BOM), limit)
    try:
        root = etree.fromstring(data, _parser())
    except etree.LxmlError as error:
        raise UnreadableXml(_not_well_formed(error)) from error
    if _TOO_DEEP(root):
        raise UnreadableXml(f"O XML tem mais de {MAX_DEPTH} níveis.")
    return root


def root_alone(document: bytes) -> bytes:
    """A document without byte order mark, declaration and white space around it, as another can hold it.

    One that has none of them, as ours, is not copied.
    """
    content = document.removeprefix(_BOM).strip()
    return content[content.index(b"?>") + 2 :].lstrip() if content.startswith(b"<?xml") else content


def local_name(element: etree._Element) -> str:
    """A tag without its namespace."""
    return etree.QName(element).localname


def _refuse_unparsed(content: bytes, limit: int) -> None:
    if not content:
        raise UnreadableXml("O XML está vazio.")
    if len(content) > limit:
        raise UnreadableXml(f"O XML tem mais de {limit} bytes.")
    declared = _DECLARED_ENCODING.match(content)
    if b"\0" in content or (declared and declared[1].upper() != b"UTF-8"):
        raise UnreadableXml("O XML não está codificado em UTF-8.")
    # Entities are declared in a DTD and nowhere else. In well-formed UTF-8 these bytes mean one, or stand in
    # a CDATA section or a comment, where no document has them.
    if b"<!DOCTYPE" in content:
        raise UnreadableXml("O XML tem uma declaração DOCTYPE, que não é aceita.")


def _parser() -> etree.XMLParser:
    """A parser of the call's own: it takes a microsecond to make, and no thread waits for another's."""
    return etree.XMLParser(
        # Given here, it rules out every other encoding, whatever is declared or looks like one.
        encoding="utf-8",
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        huge_tree=False,
    )


def _not_well_formed(error: etree.LxmlError) -> str:
    """Tell the place only: the parser's own sentence is English and quotes the document."""
    line, column = getattr(error, "position", (0, 0))
    return f"O XML está mal formado ou cortado (linha {line}, coluna {column})."
