"""A call of a service, the authority that has received it, and the contingency authorities (SVC)."""

from dataclasses import dataclass
from typing import Protocol

from lxml import etree

from carimbo.fiscal.schemas.files import Schema
from carimbo.fiscal.tables.authorities import AUTHORIZERS, NATIONAL, is_contingency_of
from carimbo.fiscal.tables.geography import state_of_ibge
from carimbo.simulator.controls import ContingencySwitch
from carimbo.simulator.family import RequestContext, ServicePath
from carimbo.simulator.identifiers import KEY_STATE
from carimbo.simulator.ledger import StoredDocument
from carimbo.simulator.sefaz.dialect import FamilyDialect
from carimbo.simulator.trust import JudgedCertificate

UTF_8 = "UTF-8"


class ReceivedMessage(Protocol):
    """Anything that an authority has received: a call, a document, an event, a question."""

    @property
    def dialect(self) -> FamilyDialect:
        """The dialect of its family."""

    @property
    def service_path(self) -> ServicePath:
        """The path of the service, which names the authority."""

    @property
    def context(self) -> RequestContext:
        """The request that brought it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message of a family."""

    dialect: FamilyDialect
    root: etree._Element
    """The message itself, such as `enviNFe`, as the root of its own tree."""

    def text_at(self, tag: str) -> str:
        """Returns the text of a child of the message; empty if there is none."""
        return self.root.findtext(self.dialect.tag(tag)) or ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceCall(Message):
    """A message from its envelope, and the authority that has received it."""

    text: bytes
    """The message as bytes, for checks that need no tree."""
    schema: Schema | None
    """The XSD of the service; None if it has none, or if it is checked elsewhere."""
    sender: JudgedCertificate | None
    service_path: ServicePath
    context: RequestContext
    envelope_encoding: str = UTF_8
    """The encoding that the body of the request declares, in capitals."""
    needs_header: bool = False
    header: etree._Element | None = None
    """The element in the header of the envelope, if the service has one."""

    @property
    def taxpayer(self) -> str:
        """CNPJ or CPF of the sender; empty if the certificate has none."""
        return self.sender.owner if self.sender else ""


@dataclass(frozen=True)
class ServiceQuestion:
    """The question of a call, as its service has read it."""

    call: ServiceCall

    @property
    def dialect(self) -> FamilyDialect:
        """The dialect of its family."""
        return self.call.dialect

    @property
    def service_path(self) -> ServicePath:
        """The path of the service."""
        return self.call.service_path

    @property
    def context(self) -> RequestContext:
        """The request that brought it."""
        return self.call.context


def in_contingency(received: ReceivedMessage, state: str) -> bool:
    """Returns whether the receiving authority serves a state (`SP`) only in contingency."""
    return is_contingency_of(
        received.dialect.model_at(received.service_path), received.service_path.authorizer, state
    )


def contingency_is_open(received: ReceivedMessage, state: str, authorizer: str = "") -> bool:
    """Returns whether an SVC, by default the receiving authority, serves a state (`SP`) now."""
    authorizer = authorizer or received.service_path.authorizer
    serving = AUTHORIZERS.rows.get((received.dialect.model_at(received.service_path), state))
    if serving is None or serving.contingency != authorizer:
        return False
    controls = received.context.controls
    switch = controls.contingency_of(authorizer)
    if switch is ContingencySwitch.AUTO:
        return serving.authorizer in controls.outages
    return switch is not ContingencySwitch.OFF


def holds_document(received: ReceivedMessage, document: StoredDocument) -> bool:
    """Returns whether the receiving authority has a document (MOC 7.0, anexo III, 2.1.3.4).

    Documents of an SVC reach the state's own authority when the SVC closes; the state's own documents never
    reach an SVC. The national environment gets all documents.
    """
    authorizer = received.service_path.authorizer
    if authorizer in (document.authorizer, NATIONAL):
        return True
    model, state = received.dialect.model_at(received.service_path), state_in(document.access_key)
    if in_contingency(received, state) or not is_contingency_of(model, document.authorizer, state):
        return False
    return not contingency_is_open(received, state, document.authorizer)


def state_in(access_key: str) -> str:
    """Returns the state in a key, in letters; empty if there is no such state."""
    state = state_of_ibge(access_key[KEY_STATE])
    return state.code if state else ""
