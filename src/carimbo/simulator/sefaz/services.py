"""The services of a SEFAZ family: how each is called, what describes it, and what answers it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from carimbo.fiscal.schemas.catalog import Schema
from carimbo.fiscal.tables.authorizers import NATIONAL
from carimbo.fiscal.tables.endpoints import services_of
from carimbo.simulator.place import Place
from carimbo.simulator.sefaz.answers import Answer, Verdict
from carimbo.simulator.sefaz.call import Call, Message
from carimbo.simulator.sefaz.dialect import Dialect
from carimbo.simulator.soap import Wrapping
from carimbo.simulator.wsdl import Described, Operation


class ServiceHandler(Protocol):
    """Answers the calls of a service: an object, or a module."""

    def answer(self, call: Call) -> Answer:
        """Judges a message and answers it."""

    def refuse(self, call: Call, verdict: Verdict) -> Answer:
        """Refuses what a message asks for, without judging it."""

    def refuse_message(self, call: Call, verdict: Verdict) -> Answer:
        """Refuses a message as a whole."""

    def subject(self, message: Message) -> str:
        """Returns what a message is about: a key, an Id, a state."""


@dataclass(frozen=True)
class Service:
    """One service."""

    dialect: Dialect
    name: str
    operation: str
    handler: ServiceHandler
    schema: Schema | None = None
    """None where an XSD is at hand for a part of the message only, or for nothing of it."""
    is_zipped: bool = False
    """Whether the message travels as gzip in base64, and in no other form."""
    zipped_operation: str = ""
    """A second operation for the same message as gzip in base64."""
    has_header: bool = False
    around: tuple[str, str] | None = None
    """The operation's own elements, around those of the message and of the answer."""
    names_its_answer: bool = False
    """Whether the answer is in an element with the operation's name, whatever the dialect says."""

    @property
    def namespace(self) -> str:
        """Of the elements around the messages."""
        return f"{self.dialect.namespace}/wsdl/{self.name}"

    @cached_property
    def wrapping(self) -> Wrapping:
        """The elements around the messages."""
        asks = self.dialect.request_tag
        if self.around:
            outer_asks, outer_answers = self.around
            return Wrapping(self.namespace, (outer_asks, asks), (outer_answers, self._result))
        return Wrapping(
            self.namespace,
            (asks,),
            (self._answers,),
            zipped=self._zipped_tag if self.zipped_operation else "",
            is_zipped=self.is_zipped,
            header=self._header,
        )

    @property
    def description(self) -> Described:
        """The service as its WSDL describes it."""
        answers = self._result if self.around else self._answers
        asks = self.dialect.request_tag
        operations = [Operation(self.operation, asks, answers, holds_text=self.is_zipped)]
        if self.zipped_operation:
            zipped = Operation(
                self.zipped_operation, self._zipped_tag, self.dialect.answer_tag, holds_text=True
            )
            operations.append(zipped)
        return Described(self.name, self.namespace, operations, self.around, self._header)

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


class Services:
    """The services of a family, found by the paths of its authorities."""

    def __init__(
        self,
        services: Iterable[Service],
        aliases: Mapping[str, str] | None = None,
        national: Iterable[Service] = (),
    ) -> None:
        """Takes aliases of names in paths, and the services that differ at the national environment.

        Names are compared in small letters, like addresses.
        """
        self.by_name = {service.name.lower(): service for service in services}
        self._aliases = aliases or {}
        self._national = {service.name.lower(): service for service in national}

    def at(self, place: Place, model: str) -> Service | None:
        """Returns the service that a path names; None if the authority does not have it for a model."""
        name = place.service.lower().removesuffix(".asmx")
        name = self._aliases.get(name, name)
        service = self.by_name.get(name)
        if place.rest or service is None or service.name not in services_of(model, place.authorizer):
            return None
        return self._national.get(name, service) if place.authorizer == NATIONAL else service
