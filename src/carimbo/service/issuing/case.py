"""A document in a worker's hands, and the means to bring it on its way."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cached_property

from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.fields import Body
from carimbo.service.backoff import Backoff
from carimbo.service.documents import read_request
from carimbo.service.issuing.dossier import Dossier, Dossiers
from carimbo.service.issuing.workshop import Workshop
from carimbo.service.kinds import kind_named
from carimbo.service.outage_board import OutageBoard
from carimbo.service.ports import Authority
from carimbo.storage.database import Database
from carimbo.storage.documents import Document
from carimbo.storage.emissions import Emission
from carimbo.storage.work import Lease

Reached = Callable[[str, str], None]
"""Told of every step that is behind a document or statement, and which one it is, before the next begins."""
Concluded = Callable[[Document, str], None]
"""Told of every document that got its verdict, as it was before, and which status that is."""


def nobody_is_told(_step: str, _subject: str) -> None:
    """For when nobody listens."""


@dataclass(frozen=True)
class Means:
    """What documents are issued with."""

    database: Database
    dossiers: Dossiers
    workshop: Workshop
    authorities: Mapping[str, Authority]
    backoff: Backoff
    outages: OutageBoard
    latest_arrival: timedelta
    """How long after it was given up an attempt may still get to an authority: past that it never will."""
    reached: Reached
    concluded: Concluded


@dataclass(frozen=True)
class Case:
    """One document as it was when a step began."""

    lease: Lease
    document: Document
    dossier: Dossier

    @cached_property
    def kind(self) -> DocumentType:
        return kind_named(self.document.type)

    @cached_property
    def request(self) -> Body:
        return read_request(self.document)

    @property
    def environment(self) -> Environment:
        return Environment(self.document.environment)

    @property
    def subject(self) -> str:
        """Which one it is, where its steps are told."""
        return self.document.external_id or str(self.document.id)

    @property
    def emission(self) -> Emission:
        """The attempt in force, which a numbered document has."""
        if self.document.emission is None:
            raise LookupError(f"document {self.document.id} has no number")
        return self.document.emission

    def with_emission(self, emission: Emission) -> "Case":
        """The same document after its attempt came further."""
        return replace(self, document=replace(self.document, emission=emission))
