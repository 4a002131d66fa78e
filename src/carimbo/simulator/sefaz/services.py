"""The services of a SEFAZ family: SOAP operations, WSDL descriptions (WSDL 1.1, SOAP 1.2) and handlers."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol
from xml.sax.saxutils import quoteattr

from carimbo.fiscal.schemas.files import Schema
from carimbo.fiscal.tables.authorities import NATIONAL, services_of
from carimbo.simulator.family import ServicePath
from carimbo.simulator.http import Reply
from carimbo.simulator.rules import AuthorityVerdict
from carimbo.simulator.sefaz.answers import ServiceAnswer
from carimbo.simulator.sefaz.call import Message, ServiceCall
from carimbo.simulator.sefaz.dialect import FamilyDialect
from carimbo.simulator.sefaz.soap import SoapWrapping

_MEDIA_TYPE = "text/xml; charset=utf-8"
_TRANSPORT = "http://schemas.xmlsoap.org/soap/http"


@dataclass(frozen=True, slots=True)
class WsdlOperation:
    """An operation: its name, and the elements around its message and its answer."""

    name: str
    asks: str
    answers: str
    holds_text: bool = False
    """Whether the request is text instead of XML."""


@dataclass(frozen=True, slots=True)
class WsdlService:
    """A service for its WSDL."""

    name: str
    namespace: str
    operations: Sequence[WsdlOperation]
    around: tuple[str, str] | None = None
    """The elements around `asks` and `answers`, if the operation itself is an element."""
    header: str = ""
    """The element in the header of the envelope; empty if there is none."""


def wsdl_reply(service: WsdlService, address: str) -> Reply:
    """Returns the WSDL of a service at an address."""
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


def _types(service: WsdlService) -> str:
    elements: dict[str, str] = {}
    for operation in service.operations:
        request = _text(operation.asks) if operation.holds_text else _any(operation.asks)
        answered = _any(operation.answers)
        if service.around:
            asks, answers = service.around
            elements[asks] = _holding(asks, request)
            elements[answers] = _holding(answers, answered)
        else:
            elements[operation.asks] = request
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


def _messages(operation: WsdlOperation, service: WsdlService) -> str:
    asks, answers = service.around or (operation.asks, operation.answers)
    return _message(f"{operation.name}SoapIn", asks) + _message(f"{operation.name}SoapOut", answers)


def _message(name: str, tag: str) -> str:
    return f'<wsdl:message name="{name}"><wsdl:part name="{tag}" element="tns:{tag}"/></wsdl:message>'


def _port_type(service: WsdlService) -> str:
    operations = "".join(
        f'<wsdl:operation name="{operation.name}"><wsdl:input message="tns:{operation.name}SoapIn"/>'
        f'<wsdl:output message="tns:{operation.name}SoapOut"/></wsdl:operation>'
        for operation in service.operations
    )
    return f'<wsdl:portType name="{service.name}Soap">{operations}</wsdl:portType>'


def _binding(service: WsdlService) -> str:
    literal = '<soap12:body use="literal"/>'
    header = f'<soap12:header message="tns:Header" part="{service.header}" use="literal"/>'
    request = literal + header if service.header else literal
    operations = "".join(
        f'<wsdl:operation name="{operation.name}">'
        f'<soap12:operation soapAction="{service.namespace}/{operation.name}"'
        f' style="document"/><wsdl:input>{request}</wsdl:input><wsdl:output>{literal}</wsdl:output>'
        "</wsdl:operation>"
        for operation in service.operations
    )
    return (
        f'<wsdl:binding name="{service.name}Soap12" type="tns:{service.name}Soap">'
        f'<soap12:binding transport="{_TRANSPORT}"/>{operations}</wsdl:binding>'
    )


class ServiceHandler(Protocol):
    """Answers the calls of a service."""

    def answer(self, call: ServiceCall) -> ServiceAnswer:
        """Judges a message and answers it."""

    def refuse(self, call: ServiceCall, verdict: AuthorityVerdict) -> ServiceAnswer:
        """Refuses the content of a message, without judging it."""

    def refuse_message(self, call: ServiceCall, verdict: AuthorityVerdict) -> ServiceAnswer:
        """Refuses a message as a whole."""

    def subject(self, message: Message) -> str:
        """Returns the subject of a message for the journal: a key, an Id, a state."""


@dataclass(frozen=True)
class SimulatedService:
    """One service."""

    dialect: FamilyDialect
    name: str
    operation: str
    handler: ServiceHandler
    schema: Schema | None = None
    """None if there is no XSD in the package, or only for a part of the message."""
    is_zipped: bool = False
    """Whether the message always travels as gzip in base64."""
    zipped_operation: str = ""
    """A second operation for the same message as gzip in base64."""
    has_header: bool = False
    around: tuple[str, str] | None = None
    """The operation's elements around those of the message and of the answer."""
    names_its_answer: bool = False
    """Whether the answer is in an element with the operation's name, regardless of the dialect."""

    @property
    def namespace(self) -> str:
        """Namespace of the elements around the messages."""
        return f"{self.dialect.namespace}/wsdl/{self.name}"

    @cached_property
    def wrapping(self) -> SoapWrapping:
        """The elements around the messages."""
        asks = self.dialect.request_tag
        if self.around:
            outer_asks, outer_answers = self.around
            return SoapWrapping(self.namespace, (outer_asks, asks), (outer_answers, self._result))
        return SoapWrapping(
            self.namespace,
            (asks,),
            (self._answers,),
            zipped=self._zipped_tag if self.zipped_operation else "",
            is_zipped=self.is_zipped,
            header=self._header,
        )

    @property
    def description(self) -> WsdlService:
        """The service as its WSDL describes it."""
        answers = self._result if self.around else self._answers
        asks = self.dialect.request_tag
        operations = [WsdlOperation(self.operation, asks, answers, holds_text=self.is_zipped)]
        if self.zipped_operation:
            zipped = WsdlOperation(
                self.zipped_operation, self._zipped_tag, self.dialect.answer_tag, holds_text=True
            )
            operations.append(zipped)
        return WsdlService(self.name, self.namespace, operations, self.around, self._header)

    @property
    def _answers(self) -> str:
        return (not self.names_its_answer and self.dialect.answer_tag) or self._result

    @property
    def _result(self) -> str:
        return f"{self.operation}Result"

    @property
    def _zipped_tag(self) -> str:
        return f"{self.dialect.request_tag}Zip"

    @property
    def _header(self) -> str:
        return self.dialect.header_tag if self.has_header else ""


class SimulatedServices:
    """The services of a family, by the paths of its authorities."""

    def __init__(
        self,
        services: Iterable[SimulatedService],
        aliases: Mapping[str, str] | None = None,
        national: Iterable[SimulatedService] = (),
    ) -> None:
        """Takes aliases of names in paths, and the services that differ in the national environment.

        Names are case-insensitive, like addresses.
        """
        self.by_name = {service.name.lower(): service for service in services}
        self._aliases = aliases or {}
        self._national = {service.name.lower(): service for service in national}

    def at(self, service_path: ServicePath, model: str) -> SimulatedService | None:
        """Returns the service of a path; None if the authority does not offer it for a model."""
        name = service_path.service.lower().removesuffix(".asmx")
        name = self._aliases.get(name, name)
        service = self.by_name.get(name)
        if (
            service_path.rest
            or service is None
            or service.name not in services_of(model, service_path.authorizer)
        ):
            return None
        return self._national.get(name, service) if service_path.authorizer == NATIONAL else service
