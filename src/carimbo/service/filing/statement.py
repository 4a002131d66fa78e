"""A statement in a worker's hands: what the pipeline needs to know of an event or a range of numbers."""

from datetime import datetime
from typing import Protocol, Self

from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.filing import Filed, Teller
from carimbo.fiscal.lifecycle import Effect, Status
from carimbo.fiscal.outcome import Outcome
from carimbo.fiscal.sender import Sender
from carimbo.fiscal.signature import Signer
from carimbo.service.dossier import Dossier
from carimbo.service.filing.decision import Decision, FilingJudge
from carimbo.service.ports import Authority
from carimbo.service.workshop import Workshop
from carimbo.storage.filings import Filing


class Statement(Protocol):
    """Something to be told to an authority, as it was when a step began."""

    @property
    def filing(self) -> Filing:
        """Its row."""

    @property
    def dossier(self) -> Dossier:
        """Whose it is."""

    @property
    def kind(self) -> DocumentType:
        """The type of document that it is about."""

    @property
    def environment(self) -> Environment:
        """Where that is issued."""

    @property
    def name(self) -> str:
        """What it is called where its steps are told."""

    @property
    def subject(self) -> str:
        """Which one it is, where its steps are told."""

    @property
    def effect(self) -> Effect:
        """What it changes of its document."""

    @property
    def allowed(self) -> tuple[Status, ...]:
        """The statuses of the document in which it changes anything."""

    @property
    def replaced_by(self) -> str | None:
        """The key of what takes its document's place, if it is canceled for that."""

    @property
    def persists(self) -> bool:
        """Whether it waits for what its company lacks, instead of being refused."""

    def having(self, **changes: object) -> Self:
        """The same statement after its row came further."""

    def make(self, teller: Teller, now: datetime) -> Filed:
        """Sign it, or tell what is wrong with it."""

    async def send(self, authority: Authority, sender: Sender, signed: bytes) -> Outcome:
        """Ask for its registration."""

    async def ask(self, authority: Authority, sender: Sender, signed: bytes) -> Outcome:
        """Ask whether it was registered."""

    def decide(self, judge: FilingJudge, outcome: Outcome) -> Decision:
        """Tell what an answer means for it."""


def teller_of(workshop: Workshop, dossier: Dossier, environment: Environment, signer: Signer) -> Teller:
    """The company, with everything that it tells an authority something with."""
    return Teller(dossier.company, environment, workshop.software, signer, workshop.schemas)
