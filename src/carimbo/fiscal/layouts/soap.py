"""SOAP envelopes: writes them around messages, and finds the message in an answer."""

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
# Text inside of an envelope is decoded already: its declaration of an encoding is wrong.
_DECLARATION = re.compile(r"<\?xml\s[^>]*>")

_MAX_BEGINNING_LENGTH = 2_000


def envelope(namespace: str, message: bytes, tag: str, header: bytes = b"") -> bytes:
    """Puts a message into a SOAP 1.2 envelope; the signed message stays unchanged."""
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
    """Returns the authority's message in an answer, or the reason why there is none.

    Hosts differ in the name of the wrapper and the SOAP version; some send the message as escaped text.
    """
    root = _read(body)
    if isinstance(root, NotJudged):
        return root
    message = _message(root)
    if message is None:
        texts = ((element.text or "").strip() for element in root.iter("{*}*"))
        escaped = next((text for text in texts if text.startswith("<")), "")
        escaped = _DECLARATION.sub("", escaped, count=1)
        if escaped:
            root = _read(escaped.encode())
            if isinstance(root, NotJudged):
                return root
            message = _message(root)
    return unexpected(f"{root.tag} {_words(root)}") if message is None else message


def _read(body: bytes) -> etree._Element | NotJudged:
    if not body.strip():
        return NotJudged(cause=Cause.EMPTY, detail="resposta vazia")
    try:
        root = read_xml(body.strip())
    except UnreadableXml as reason:
        if _WEB_PAGE.search(body[:_MAX_BEGINNING_LENGTH]):
            return _web_page(body)
        return unreadable(f"{reason} {_beginning(body)}")
    if root.tag.lower().endswith("html"):
        return _web_page(body)
    fault = next(root.iter(*_FAULTS), None)
    return root if fault is None else NotJudged(cause=Cause.FAULT, detail=one_line(_words(fault)))


def _message(root: etree._Element) -> etree._Element | None:
    """Returns the first element in a message's namespace; wrappers have that of the service (`/wsdl/`)."""
    return next((element for element in root.iter("{*}*") if _MESSAGE.match(element.tag)), None)


def _web_page(body: bytes) -> NotJudged:
    return NotJudged(cause=Cause.HTML, detail=one_line(_MARKUP.sub(" ", _beginning(body))))


def _words(element: etree._Element) -> str:
    return " ".join(str(text) for text in element.itertext("{*}*"))


def _beginning(body: bytes) -> str:
    return body[:_MAX_BEGINNING_LENGTH].decode(errors="replace")
