"""Descriptions of services (WSDL 1.1, SOAP 1.2), for clients that make themselves from them."""

from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import quoteattr

from carimbo.simulator.http import Reply

_MEDIA_TYPE = "text/xml; charset=utf-8"
_TRANSPORT = "http://schemas.xmlsoap.org/soap/http"


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation: what it is called, and the elements around its message and its answer."""

    name: str
    asks: str
    answers: str
    holds_text: bool = False
    """Whether what it is asked is text, and not XML."""


@dataclass(frozen=True, slots=True)
class Described:
    """A service as a WSDL tells it."""

    name: str
    namespace: str
    operations: Sequence[Operation]
    around: tuple[str, str] | None = None
    """The elements around `asks` and `answers`, where the operation itself is an element."""
    header: str = ""
    """The element in the header of the envelope; empty where there is none."""


def description(service: Described, address: str) -> Reply:
    """The WSDL of a service at an address."""
    parts = (
        f"<wsdl:types>{_types(service)}</wsdl:types>",
        *(_messages(operation, service) for operation in service.operations),
        _message("Header", service.header) if service.header else "",
        _port_type(service),
        _binding(service),
        f'<wsdl:service name="{service.name}"><wsdl:port name="{service.name}Soap12"'
        f' binding="tns:{service.name}Soap12"><soap12:address location={quoteattr(address)}/></wsdl:port>'
        "</wsdl:service>",
    )
    definitions = (
        '<?xml version="1.0" encoding="utf-8"?><wsdl:definitions xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/"'
        ' xmlns:soap12="http://schemas.xmlsoap.org/wsdl/soap12/" xmlns:s="http://www.w3.org/2001/XMLSchema"'
        f' xmlns:tns="{service.namespace}" targetNamespace="{service.namespace}">'
    )
    return Reply(200, f"{definitions}{''.join(parts)}</wsdl:definitions>".encode(), _MEDIA_TYPE)


def _types(service: Described) -> str:
    elements: dict[str, str] = {}
    for operation in service.operations:
        asked = _text(operation.asks) if operation.holds_text else _any(operation.asks)
        answered = _any(operation.answers)
        if service.around:
            asks, answers = service.around
            elements[asks] = _holding(asks, asked)
            elements[answers] = _holding(answers, answered)
        else:
            elements[operation.asks] = asked
            elements[operation.answers] = answered
    if service.header:
        elements[service.header] = _any(service.header)
    content = "".join(elements.values())
    return (
        f'<s:schema elementFormDefault="qualified" targetNamespace="{service.namespace}">{content}</s:schema>'
    )


def _any(tag: str) -> str:
    return (
        f'<s:element name="{tag}"><s:complexType mixed="true"><s:sequence><s:any processContents="skip"/>'
        "</s:sequence></s:complexType></s:element>"
    )


def _text(tag: str) -> str:
    return f'<s:element name="{tag}" type="s:string"/>'


def _holding(tag: str, element: str) -> str:
    content = f"<s:complexType><s:sequence>{element}</s:sequence></s:complexType>"
    return f'<s:element name="{tag}">{content}</s:element>'


def _messages(operation: Operation, service: Described) -> str:
    asks, answers = service.around or (operation.asks, operation.answers)
    return _message(f"{operation.name}SoapIn", asks) + _message(f"{operation.name}SoapOut", answers)


def _message(name: str, tag: str) -> str:
    return f'<wsdl:message name="{name}"><wsdl:part name="{tag}" element="tns:{tag}"/></wsdl:message>'


def _port_type(service: Described) -> str:
    operations = "".join(
        f'<wsdl:operation name="{one.name}"><wsdl:input message="tns:{one.name}SoapIn"/>'
        f'<wsdl:output message="tns:{one.name}SoapOut"/></wsdl:operation>'
        for one in service.operations
    )
    return f'<wsdl:portType name="{service.name}Soap">{operations}</wsdl:portType>'


def _binding(service: Described) -> str:
    literal = '<soap12:body use="literal"/>'
    header = f'<soap12:header message="tns:Header" part="{service.header}" use="literal"/>'
    asked = literal + header if service.header else literal
    operations = "".join(
        f'<wsdl:operation name="{one.name}"><soap12:operation soapAction="{service.namespace}/{one.name}"'
        f' style="document"/><wsdl:input>{asked}</wsdl:input><wsdl:output>{literal}</wsdl:output>'
        "</wsdl:operation>"
        for one in service.operations
    )
    return (
        f'<wsdl:binding name="{service.name}Soap12" type="tns:{service.name}Soap">'
        f'<soap12:binding transport="{_TRANSPORT}"/>{operations}</wsdl:binding>'
    )
