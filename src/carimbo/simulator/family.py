"""What a family of documents gives the simulator: ears for its requests, and a judge.

The site knows families only by this contract; another one joins by a line in `registry.py`.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from carimbo.simulator.controls import Controls
from carimbo.simulator.http import Reply, Request
from carimbo.simulator.place import Place
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


@dataclass(frozen=True, slots=True)
class Heard:
    """A request that was understood as a call of a service; nothing is judged yet."""

    service: str
    """Its official name, `NFeAutorizacao4`."""
    subject: str
    """What the call is about: access key, Id of an event or of a range, receipt, state; for the journal."""
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
    """The code that decides: that of the document's protocol rather than the lot's; empty in a fault."""
    message: str = ""
    """The text that goes with the code, or the reason of a fault."""


class Family(Protocol):
    """Documents that share services, under one part of the path."""

    @property
    def name(self) -> str:
        """The part of the path: `nfe`."""

    @property
    def codes(self) -> frozenset[str]:
        """The codes of its rules, which an operator may switch off."""

    def describe(self, place: Place, address: str) -> Reply | None:
        """The WSDL, or whatever a GET of a service shows; None if there is no such service here."""

    def hear(self, place: Place, request: Request) -> Heard | Said | None:
        """Understand a request; a fault if it makes no sense, None if there is no such service here."""

    def answer(self, place: Place, heard: Heard, request: Request, world: World) -> Said:
        """Judge, and write down what was judged."""

    def refuse(self, place: Place, heard: Heard, code: str, world: World) -> Said:
        """Answer with a code that was asked for by a trigger or a control, without judging."""
