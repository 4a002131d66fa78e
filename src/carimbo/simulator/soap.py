"""SOAP as the authorities speak it: requests opened with care, answers in the version of the question."""

import re
from copy import deepcopy
from dataclasses import dataclass, replace
from enum import Enum, auto
from html import escape

from lxml import etree

from carimbo.fiscal.xml_reading import UnreadableXml, local_name, read_xml
from carimbo.simulator.gzipped import unzipped
from carimbo.simulator.http import XML, Reply

UTF_8 = "UTF-8"
# A message has at most 500 kB (MOC 7.0, B01): twice as much is enough to say that it is too long.
LARGEST_UNZIPPED = 1_000_000

_DECLARATION = re.compile(rb"(?:\xef\xbb\xbf)?\s*<\?xml\s[^>]*?\?>")
_ENCODING = re.compile(rb"\bencoding\s*=\s*[\"']([^\"'>]*)[\"']")
# Others that people write XML in. Python knows many more, some of which take minutes for a megabyte.
_OTHER_ENCODINGS = frozenset({"ISO-8859-1", "ISO-8859-15", "WINDOWS-1252", "US-ASCII", "UTF-16"})
_MOST_NAMESPACES = 1_000


class Version(Enum):
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


_VERSIONS = {f"{{{version.namespace}}}Envelope": version for version in Version}


class SoapFault(ValueError):
    """What came is no call of the service; told in Portuguese."""

    def __init__(self, reason: str, version: Version = Version.SOAP_1_2) -> None:
        super().__init__(reason)
        self.version = version


@dataclass(frozen=True, slots=True)
class Wrapping:
    """What a service puts around its messages, inside the body of the envelope."""

    namespace: str
    asks: tuple[str, ...]
    """Elements one inside the other, the outermost first."""
    answers: tuple[str, ...]
    zipped: str = ""
    """What stands in their place around gzip in base64; empty where the service takes none."""
    is_zipped: bool = False
    """Whether the elements hold gzip in base64 instead of XML."""
    header: str = ""
    """The element in the header of the envelope; empty where the service wants none."""


class Damage(Enum):
    """Why a message cannot be read although its envelope can."""

    NOT_ZIPPED = auto()
    TOO_LARGE = auto()
    MALFORMED = auto()


@dataclass(frozen=True, slots=True)
class Opened:
    """A message whose envelope was taken off."""

    version: Version
    root: etree._Element
    """Of a tree of its own, without the namespaces of the envelope that it does not use."""
    text: bytes
    """The message as it is written."""
    encoding: str = UTF_8
    """The one that is declared, in capitals."""
    damage: Damage | None = None
    """Then nothing is in the root."""
    header: etree._Element | None = None
    """The element in the header of the envelope, where the service has one."""


def open_request(body: bytes, wrapping: Wrapping) -> Opened:
    """Take the message out of a request, or raise `SoapFault`."""
    content, encoding = _in_utf_8(body)
    envelope = _read(content)
    version = _VERSIONS.get(envelope.tag)
    if version is None:
        raise SoapFault("A requisição não é um envelope SOAP 1.1 ou 1.2.")
    wrapper = _inside(envelope, version, wrapping, wrapping.asks)
    if wrapper is None:
        # Mato Grosso puts the operation around the message where others do not.
        wrapper = _inside(envelope, version, wrapping, ("*", wrapping.asks[-1]))
    if wrapper is not None:
        if wrapping.is_zipped:
            opened = _unzipped(version, wrapper.text or "")
        else:
            opened = _opened(version, _message(wrapper, version), encoding)
        return replace(opened, header=_header(envelope, version, wrapping)) if wrapping.header else opened
    zipped = _inside(envelope, version, wrapping, (wrapping.zipped,)) if wrapping.zipped else None
    if zipped is not None:
        return _unzipped(version, zipped.text or "")
    way = "/".join(wrapping.asks)
    reason = f"O corpo do envelope não tem o elemento {way} no namespace {wrapping.namespace}."
    raise SoapFault(reason, version)


def answer(version: Version, wrapping: Wrapping, message: str) -> Reply:
    """Put an answer into an envelope."""
    outermost, *inner = wrapping.answers
    opening = f'<{outermost} xmlns="{wrapping.namespace}">' + "".join(f"<{tag}>" for tag in inner)
    closing = "".join(f"</{tag}>" for tag in reversed(wrapping.answers))
    return Reply(200, _envelope(version, f"{opening}{message}{closing}"), version.media_type)


def fault(reason: str, version: Version = Version.SOAP_1_2) -> Reply:
    """Say that a request makes no sense."""
    told = escape(reason)
    if version is Version.SOAP_1_1:
        inside = f"<faultcode>soap:Client</faultcode><faultstring>{told}</faultstring>"
    else:
        inside = (
            "<soap:Code><soap:Value>soap:Sender</soap:Value></soap:Code>"
            f'<soap:Reason><soap:Text xml:lang="pt-BR">{told}</soap:Text></soap:Reason>'
        )
    return _fault(inside, version)


def server_fault() -> Reply:
    """Say that the server itself has failed."""
    inside = (
        "<soap:Code><soap:Value>soap:Receiver</soap:Value></soap:Code>"
        '<soap:Reason><soap:Text xml:lang="en">Server was unable to process request.</soap:Text>'
        "</soap:Reason><soap:Detail/>"
    )
    return _fault(inside, Version.SOAP_1_2)


def _fault(inside: str, version: Version) -> Reply:
    return Reply(500, _envelope(version, f"<soap:Fault>{inside}</soap:Fault>"), version.media_type)


def _in_utf_8(body: bytes) -> tuple[bytes, str]:
    """The body in UTF-8, and the encoding that it declares: another one is judged (402), not misread."""
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
    # Copies of a tree take the square of the number of its namespaces.
    if content.count(b"xmlns") > _MOST_NAMESPACES:
        raise SoapFault("O XML declara namespaces demais.")
    try:
        return read_xml(content.strip())
    except UnreadableXml as reason:
        raise SoapFault(str(reason)) from reason


def _inside(
    envelope: etree._Element, version: Version, wrapping: Wrapping, tags: tuple[str, ...]
) -> etree._Element | None:
    way = (f"{{{version.namespace}}}Body", *(f"{{{wrapping.namespace}}}{tag}" for tag in tags))
    return envelope.find("/".join(way))


def _header(envelope: etree._Element, version: Version, wrapping: Wrapping) -> etree._Element | None:
    return envelope.find(f"{{{version.namespace}}}Header/{{{wrapping.namespace}}}{wrapping.header}")


def _message(wrapper: etree._Element, version: Version) -> etree._Element:
    """The message as a root: a copy takes along only the namespaces that it uses, as signatures need it."""
    found = next(wrapper.iterchildren("{*}*"), None)
    if found is None:
        raise SoapFault(f"O elemento {local_name(wrapper)} não tem mensagem.", version)
    message = deepcopy(found)
    message.tail = None
    return message


def _opened(version: Version, message: etree._Element, encoding: str) -> Opened:
    return Opened(version, message, etree.tostring(message, encoding="utf-8"), encoding)


def _unzipped(version: Version, text: str) -> Opened:
    """Open what the service may take zipped."""
    content = unzipped("".join(text.split()), LARGEST_UNZIPPED)
    if content is None:
        return _damaged(version, Damage.NOT_ZIPPED)
    if len(content) > LARGEST_UNZIPPED:
        return _damaged(version, Damage.TOO_LARGE)
    try:
        body, encoding = _in_utf_8(content)
        return Opened(version, _read(body), content, encoding)
    except SoapFault:
        return _damaged(version, Damage.MALFORMED)


def _damaged(version: Version, damage: Damage) -> Opened:
    return Opened(version, etree.Element("damaged"), b"", damage=damage)


def _envelope(version: Version, inside: str) -> bytes:
    return (
        f'<?xml version="1.0" encoding="utf-8"?><soap:Envelope xmlns:soap="{version.namespace}">'
        f"<soap:Body>{inside}</soap:Body></soap:Envelope>"
    ).encode()
