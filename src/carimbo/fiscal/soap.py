"""SOAP envelopes: written around a message, and taken off an answer whatever the host wraps it in."""

import re
from functools import cache

from lxml import etree

from carimbo.fiscal.outcome import Cause, NotJudged, one_line, unexpected, unreadable
from carimbo.fiscal.xml_reading import UnreadableXml, read_xml

_SOAP_1_2 = "http://www.w3.org/2003/05/soap-envelope"
_FAULTS = (f"{{{_SOAP_1_2}}}Fault", "{http://schemas.xmlsoap.org/soap/envelope/}Fault")

_MESSAGE = re.compile(r"\{http://www\.portalfiscal\.inf\.br/(?!.*/wsdl\b)")
_WEB_PAGE = re.compile(rb"<(?:!doctype\s+)?html\b", re.IGNORECASE)
_MARKUP = re.compile(r"<[^>]*>")
# Text inside an envelope has been decoded already: the encoding that it claims is no longer true.
_DECLARATION = re.compile(r"<\?xml\s[^>]*>")

_LOOKED_AT = 2_000


def envelope(namespace: str, message: bytes, tag: str, header: bytes = b"") -> bytes:
    """Puts a message into a SOAP 1.2 envelope without touching it: what is signed must arrive as it is."""
    before, after = _around(namespace, tag, header)
    return b"".join((before, message, after))


@cache
def _around(namespace: str, tag: str, header: bytes) -> tuple[bytes, bytes]:
    before = (
        b'<?xml version="1.0" encoding="UTF-8"?>',
        f'<soap:Envelope xmlns:soap="{_SOAP_1_2}">'.encode(),
        header and b"".join((b"<soap:Header>", header, b"</soap:Header>")),
        f'<soap:Body><{tag} xmlns="{namespace}">'.encode(),
    )
    return b"".join(before), f"</{tag}></soap:Body></soap:Envelope>".encode()


def open_envelope(body: bytes) -> etree._Element | NotJudged:
    """Find the authority's message in an answer, or tell what came in its place.

    Hosts differ in the wrapper's name, in the SOAP version, and some carry the message as escaped text.
    """
    root = _read(body)
    if isinstance(root, NotJudged):
        return root
    message = _message(root)
    if message is None and (carried := _carried_text(root)):
        root = _read(carried.encode())
        if isinstance(root, NotJudged):
            return root
        message = _message(root)
    return _unexpected(root) if message is None else message


def _read(body: bytes) -> etree._Element | NotJudged:
    if not body.strip():
        return NotJudged(cause=Cause.EMPTY, detail="resposta vazia")
    try:
        root = read_xml(body.strip())
    except UnreadableXml as reason:
        return _unreadable(body, str(reason))
    if root.tag.lower().endswith("html"):
        return _web_page(body)
    fault = next(root.iter(*_FAULTS), None)
    return root if fault is None else NotJudged(cause=Cause.FAULT, detail=one_line(_words(fault)))


def _message(root: etree._Element) -> etree._Element | None:
    """The first element of a message's namespace; wrappers and headers stand in the service's (`/wsdl/`)."""
    return next((element for element in root.iter("{*}*") if _MESSAGE.match(element.tag)), None)


def _carried_text(root: etree._Element) -> str | None:
    texts = ((element.text or "").strip() for element in root.iter("{*}*"))
    found = next((text for text in texts if text.startswith("<")), None)
    return found and _DECLARATION.sub("", found, count=1)


def _unreadable(body: bytes, reason: str) -> NotJudged:
    if _WEB_PAGE.search(body[:_LOOKED_AT]):
        return _web_page(body)
    return unreadable(f"{reason} {_beginning(body)}")


def _web_page(body: bytes) -> NotJudged:
    return NotJudged(cause=Cause.HTML, detail=one_line(_MARKUP.sub(" ", _beginning(body))))


def _unexpected(root: etree._Element) -> NotJudged:
    return unexpected(f"{root.tag} {_words(root)}")


def _words(element: etree._Element) -> str:
    return " ".join(str(text) for text in element.itertext("{*}*"))


def _beginning(body: bytes) -> str:
    return body[:_LOOKED_AT].decode(errors="replace")
