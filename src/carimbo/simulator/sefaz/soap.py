"""SOAP of the authorities: opens requests safely, and answers in the SOAP version of the request."""

import re
from copy import deepcopy
from dataclasses import dataclass, replace
from enum import Enum, auto
from html import escape

from lxml import etree

from carimbo.fiscal.xml_reading import UnreadableXml, local_name, read_xml
from carimbo.simulator.http import XML, Reply
from carimbo.simulator.xml_messages import unzipped

UTF_8 = "UTF-8"
# A message has at most 500 kB (MOC 7.0, B01): twice as much is enough to detect one that is too large.
MAX_UNZIPPED_BYTES = 1_000_000

_DECLARATION = re.compile(rb"(?:\xef\xbb\xbf)?\s*<\?xml\s[^>]*?\?>")
_ENCODING = re.compile(rb"\bencoding\s*=\s*[\"']([^\"'>]*)[\"']")
# Other common encodings of XML. Python has many more, and some take minutes for a megabyte.
_OTHER_ENCODINGS = frozenset({"ISO-8859-1", "ISO-8859-15", "WINDOWS-1252", "US-ASCII", "UTF-16"})
_MAX_NAMESPACES = 1_000


class SoapVersion(Enum):
    """A version of SOAP: the namespace of its envelope, and the media type of its answers."""

    SOAP_1_1 = ("http://schemas.xmlsoap.org/soap/envelope/", "text/xml; charset=utf-8")
    SOAP_1_2 = ("http://www.w3.org/2003/05/soap-envelope", XML)

    @property
    def namespace(self) -> str:
        """Of the envelope."""
        return self.value[0]

    @property
    def media_type(self) -> str:
        """Of an answer."""
        return self.value[1]


_VERSIONS = {f"{{{version.namespace}}}Envelope": version for version in SoapVersion}


class SoapFault(ValueError):
    """The request is not a call of the service; the reason is in Portuguese."""

    def __init__(self, reason: str, version: SoapVersion = SoapVersion.SOAP_1_2) -> None:
        super().__init__(reason)
        self.version = version


@dataclass(frozen=True, slots=True)
class SoapWrapping:
    """The elements of a service around its messages, inside the body of the envelope."""

    namespace: str
    asks: tuple[str, ...]
    """Nested elements, the outermost first."""
    answers: tuple[str, ...]
    zipped: str = ""
    """The element around gzip in base64; empty if the service does not accept it."""
    is_zipped: bool = False
    """Whether the elements hold gzip in base64 instead of XML."""
    header: str = ""
    """The element in the header of the envelope; empty if the service has none."""


class MessageDamage(Enum):
    """Why a message is unreadable although its envelope is not."""

    NOT_ZIPPED = auto()
    TOO_LARGE = auto()
    MALFORMED = auto()


@dataclass(frozen=True, slots=True)
class OpenedMessage:
    """A message without its envelope."""

    version: SoapVersion
    root: etree._Element
    """Root of its own tree, without unused namespaces of the envelope."""
    text: bytes
    """The message as bytes."""
    encoding: str = UTF_8
    """The declared encoding, in capitals."""
    damage: MessageDamage | None = None
    """If it is set, the root is empty."""
    header: etree._Element | None = None
    """The element in the header of the envelope, if the service has one."""


def open_request(body: bytes, wrapping: SoapWrapping) -> OpenedMessage:
    """Returns the message of a request; raises `SoapFault`."""
    content, encoding = _in_utf_8(body)
    envelope = _read(content)
    version = _VERSIONS.get(envelope.tag)
    if version is None:
        raise SoapFault("A requisição não é um envelope SOAP 1.1 ou 1.2.")
    wrapper = _inside(envelope, version, wrapping, wrapping.asks)
    if wrapper is None:
        # Mato Grosso puts the operation around the message; other states do not.
        wrapper = _inside(envelope, version, wrapping, ("*", wrapping.asks[-1]))
    if wrapper is not None:
        if wrapping.is_zipped:
            opened = _unzipped(version, wrapper.text or "")
        else:
            message = _message(wrapper, version)
            opened = OpenedMessage(version, message, etree.tostring(message, encoding="utf-8"), encoding)
        if wrapping.header:
            header = f"{{{version.namespace}}}Header/{{{wrapping.namespace}}}{wrapping.header}"
            return replace(opened, header=envelope.find(header))
        return opened
    zipped = _inside(envelope, version, wrapping, (wrapping.zipped,)) if wrapping.zipped else None
    if zipped is not None:
        return _unzipped(version, zipped.text or "")
    path = "/".join(wrapping.asks)
    reason = f"O corpo do envelope não tem o elemento {path} no namespace {wrapping.namespace}."
    raise SoapFault(reason, version)


def answer(version: SoapVersion, wrapping: SoapWrapping, message: str) -> Reply:
    """Returns an answer in its envelope."""
    outermost, *inner = wrapping.answers
    opening = f'<{outermost} xmlns="{wrapping.namespace}">' + "".join(f"<{tag}>" for tag in inner)
    closing = "".join(f"</{tag}>" for tag in reversed(wrapping.answers))
    return Reply(200, _envelope(version, f"{opening}{message}{closing}"), version.media_type)


def fault(reason: str, version: SoapVersion = SoapVersion.SOAP_1_2) -> Reply:
    """Returns the fault of a request that is not a call."""
    text = escape(reason)
    if version is SoapVersion.SOAP_1_1:
        inside = f"<faultcode>soap:Client</faultcode><faultstring>{text}</faultstring>"
    else:
        inside = (
            "<soap:Code><soap:Value>soap:Sender</soap:Value></soap:Code>"
            f'<soap:Reason><soap:Text xml:lang="pt-BR">{text}</soap:Text></soap:Reason>'
        )
    return _fault(inside, version)


def server_fault() -> Reply:
    """Returns the fault of a failing server."""
    inside = (
        "<soap:Code><soap:Value>soap:Receiver</soap:Value></soap:Code>"
        '<soap:Reason><soap:Text xml:lang="en">Server was unable to process request.</soap:Text>'
        "</soap:Reason><soap:Detail/>"
    )
    return _fault(inside, SoapVersion.SOAP_1_2)


def _fault(inside: str, version: SoapVersion) -> Reply:
    return Reply(500, _envelope(version, f"<soap:Fault>{inside}</soap:Fault>"), version.media_type)


def _in_utf_8(body: bytes) -> tuple[bytes, str]:
    """The body in UTF-8, and its declared encoding: another encoding is judged (402), not misread."""
    declaration = _DECLARATION.match(body)
    declared = _ENCODING.search(declaration[0]) if declaration else None
    encoding = declared[1].decode("ascii", "replace").upper() if declared else UTF_8
    if declaration is None or encoding == UTF_8:
        return body, UTF_8
    if encoding not in _OTHER_ENCODINGS:
        raise SoapFault("O XML declara uma codificação desconhecida.")
    try:
        return body[declaration.end() :].decode(encoding).encode(), encoding
    except ValueError as error:
        raise SoapFault(f"O XML não está na codificação que declara, {encoding}.") from error


def _read(content: bytes) -> etree._Element:
    # The time to copy a tree grows with the square of the number of its namespaces.
    if content.count(b"xmlns") > _MAX_NAMESPACES:
        raise SoapFault("O XML declara namespaces demais.")
    try:
        return read_xml(content.strip())
    except UnreadableXml as reason:
        raise SoapFault(str(reason)) from reason


def _inside(
    envelope: etree._Element, version: SoapVersion, wrapping: SoapWrapping, tags: tuple[str, ...]
) -> etree._Element | None:
    path = (f"{{{version.namespace}}}Body", *(f"{{{wrapping.namespace}}}{tag}" for tag in tags))
    return envelope.find("/".join(path))


def _message(wrapper: etree._Element, version: SoapVersion) -> etree._Element:
    """The message as a root: a copy has only the namespaces that it uses, as signatures need it."""
    child = next(wrapper.iterchildren("{*}*"), None)
    if child is None:
        raise SoapFault(f"O elemento {local_name(wrapper)} não tem mensagem.", version)
    message = deepcopy(child)
    message.tail = None
    return message


def _unzipped(version: SoapVersion, text: str) -> OpenedMessage:
    """Opens a zipped message."""
    content = unzipped("".join(text.split()), MAX_UNZIPPED_BYTES)
    if content is None:
        return _damaged(version, MessageDamage.NOT_ZIPPED)
    if len(content) > MAX_UNZIPPED_BYTES:
        return _damaged(version, MessageDamage.TOO_LARGE)
    try:
        body, encoding = _in_utf_8(content)
        return OpenedMessage(version, _read(body), content, encoding)
    except SoapFault:
        return _damaged(version, MessageDamage.MALFORMED)


def _damaged(version: SoapVersion, damage: MessageDamage) -> OpenedMessage:
    return OpenedMessage(version, etree.Element("damaged"), b"", damage=damage)


def _envelope(version: SoapVersion, inside: str) -> bytes:
    return (
        f'<?xml version="1.0" encoding="utf-8"?><soap:Envelope xmlns:soap="{version.namespace}">'
        f"<soap:Body>{inside}</soap:Body></soap:Envelope>"
    ).encode()
