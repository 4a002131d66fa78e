"""The contract between the simulator program and a family of documents.

The program knows families only through `DocumentFamily`; a new family is one line in `registry.py`.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, Protocol, Self

from carimbo.fiscal.tables.authorities import is_authorizer
from carimbo.simulator.controls import Controls
from carimbo.simulator.http import Reply, Request
from carimbo.simulator.ledger import StoredDocument
from carimbo.simulator.signatures import THROWAWAY_SIGNER, AuthoritySigner
from carimbo.simulator.store import Store
from carimbo.simulator.trust import TrustedAuthorities
from carimbo.simulator.xml_messages import BUILT_IN_XSDS, Xsds

PRODUCTION, HOMOLOGATION = "1", "2"
"""`tpAmb`."""

_PRODUCTION_PREFIX = "producao"
_PARTS = 3


class ServicePath(NamedTuple):
    """The address of a service: `/svrs/nfe/NFeAutorizacao4`, with `/producao` before it in production."""

    authorizer: str
    """`SP`, `SVRS`, `SVCAN`, `AN`…"""
    environment: str
    family: str
    """The second part of the path, such as `nfe` and `nfce`."""
    service: str
    """As written in the path."""
    rest: str = ""
    """The rest of the path: `nfse/{key}/eventos` at a REST service, empty at others."""

    @classmethod
    def of(cls, path: str) -> Self | None:
        """Returns the parts of a path; None if its authorizer does not exist."""
        parts = path.strip("/").split("/")
        environment = HOMOLOGATION
        if parts[0].lower() == _PRODUCTION_PREFIX:
            environment, parts = PRODUCTION, parts[1:]
        if len(parts) < _PARTS:
            return None
        authorizer = parts[0].upper().replace("-", "")
        if not is_authorizer(authorizer):
            return None
        return cls(authorizer, environment, parts[1].lower(), parts[2], "/".join(parts[_PARTS:]))


@dataclass(frozen=True, slots=True)
class RequestContext:
    """Everything an authority needs to answer one request."""

    now: datetime
    store: Store
    trust: TrustedAuthorities
    controls: Controls
    xsds: Xsds = BUILT_IN_XSDS
    signer: AuthoritySigner = THROWAWAY_SIGNER


@dataclass(frozen=True, slots=True)
class IncomingCall:
    """A request that was read as a call of a service, before it is judged."""

    service: str
    """Official name, `NFeAutorizacao4`; for a REST resource `POST /nfse`."""
    subject: str
    """Subject for the journal: access key, Id of DPS, event or range, receipt, state, city."""
    texts: tuple[str, ...]
    """Texts that may contain triggers: names, descriptions, notes, reasons."""
    message: object
    """The request as the family has read it."""
    keys: tuple[str, ...] = ()
    """Access keys of the documents that the call is about, for the journal."""
    parts: tuple[str, ...] = ()
    """The subject of each document or event of a lot: a trigger acts once for each."""


@dataclass(frozen=True, slots=True)
class CallReply:
    """The answer of an authority."""

    reply: Reply
    code: str
    """The code that decides, of the document's protocol rather than the lot's; empty in a fault.

    For services without codes, the HTTP status.
    """
    message: str = ""
    """The text of the code, or the reason of a fault."""
    keys: tuple[str, ...] = ()
    """Access keys that the authority has assigned, for the journal."""


class DocumentFamily(Protocol):
    """Documents that share services, below one part of the path."""

    @property
    def name(self) -> str:
        """The part of the path: `nfe`."""

    @property
    def methods(self) -> frozenset[str]:
        """The HTTP methods of its calls; GET and HEAD of a description are not calls."""

    @property
    def codes(self) -> frozenset[str]:
        """The codes of its rules, which an operator can switch off."""

    def describe(self, service_path: ServicePath, address: str) -> Reply | None:
        """Returns the reply to a GET of a service, such as its WSDL; None if there is nothing to show."""

    def read_call(self, service_path: ServicePath, request: Request) -> IncomingCall | CallReply | None:
        """Reads a request. Returns a fault if it is malformed, None if there is no such service."""

    def answer(
        self, service_path: ServicePath, incoming: IncomingCall, request: Request, context: RequestContext
    ) -> CallReply:
        """Judges a call, stores the result and returns the answer."""

    def refuse(
        self, service_path: ServicePath, incoming: IncomingCall, code: str, context: RequestContext
    ) -> CallReply:
        """Returns an answer with the code of a trigger or a control, without judging."""

    def can_refuse_with(self, code: str) -> bool:
        """Returns whether a trigger or a control can ask for a code."""

    def fail(self) -> Reply:
        """Returns the reply of a failing server: a SOAP fault, or the equivalent of the family."""

    def archived_document(self, document: StoredDocument) -> bytes | None:
        """Returns a document with its authorization, as it is archived; None if it is of another family."""
