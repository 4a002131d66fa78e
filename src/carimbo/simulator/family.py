"""What a family of documents gives the simulator: ears for its requests, and a judge.

The site knows families only by this contract; another one joins by a line in `registry.py`.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from carimbo.simulator.controls import Controls
from carimbo.simulator.http import Reply, Request
from carimbo.simulator.ledger import StoredDocument
from carimbo.simulator.place import Place
from carimbo.simulator.seal import THROWAWAY, Seal
from carimbo.simulator.store import Store
from carimbo.simulator.trust import Trust
from carimbo.simulator.xsds import BUILT_IN, Xsds


@dataclass(frozen=True, slots=True)
class World:
    """What an authority sees while it answers one request."""

    now: datetime
    store: Store
    trust: Trust
    controls: Controls
    xsds: Xsds = BUILT_IN
    seal: Seal = THROWAWAY


@dataclass(frozen=True, slots=True)
class Heard:
    """A request that was understood as a call of a service; nothing is judged yet."""

    service: str
    """Its official name, `NFeAutorizacao4`, or of a resource `POST /nfse`."""
    subject: str
    """What it is about, for the journal: access key, Id of DPS, event or range, receipt, state, city."""
    texts: tuple[str, ...]
    """Where triggers may stand: names, descriptions, notes, reasons."""
    message: object
    """The family's own reading of the request."""
    keys: tuple[str, ...] = ()
    """The access keys of the documents that the call is about; for the journal."""
    parts: tuple[str, ...] = ()
    """The subject of each document or event, where a call may have several: a trigger acts once for each."""


@dataclass(frozen=True, slots=True)
class Said:
    """What an authority answered."""

    reply: Reply
    code: str
    """The code that decides: that of the document's protocol rather than the lot's; empty in a fault.

    Where a service has none, the HTTP status that was decided on.
    """
    message: str = ""
    """The text that goes with the code, or the reason of a fault."""
    keys: tuple[str, ...] = ()
    """The access keys that were given; for the journal."""


class Family(Protocol):
    """Documents that share services, under one part of the path."""

    @property
    def name(self) -> str:
        """The part of the path: `nfe`."""

    @property
    def methods(self) -> frozenset[str]:
        """The HTTP methods of its calls; GET and HEAD of what is described are no calls."""

    @property
    def codes(self) -> frozenset[str]:
        """The codes of its rules, which an operator may switch off."""

    def describe(self, place: Place, address: str) -> Reply | None:
        """The WSDL, or whatever a GET of a service shows; None if nothing is shown here."""

    def hear(self, place: Place, request: Request) -> Heard | Said | None:
        """Understand a request; a fault if it makes no sense, None if there is no such service here."""

    def answer(self, place: Place, heard: Heard, request: Request, world: World) -> Said:
        """Judge, and write down what was judged."""

    def refuse(self, place: Place, heard: Heard, code: str, world: World) -> Said:
        """Answer with a code that was asked for by a trigger or a control, without judging."""

    def refuses_with(self, code: str) -> bool:
        """Tell whether its authorities may be asked to refuse with a code, or to be out of service."""

    def fail(self) -> Reply:
        """What its server says when it fails by itself: a SOAP fault, or whatever stands for one."""

    def hand_out(self, document: StoredDocument) -> bytes | None:
        """A document with what its authority added, as it is handed on; None if it is of another family."""
