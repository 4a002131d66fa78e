"""The dependencies of use cases: one record for requests and one for workers."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta

from carimbo.fiscal.authority import Authority
from carimbo.service.companies.snapshot import CompanySnapshots
from carimbo.service.documents.builder import DocumentBuilder
from carimbo.service.outage_board import OutageBoard
from carimbo.service.waiting import Backoff
from carimbo.storage.database import Database
from carimbo.storage.documents import Document

StepListener = Callable[[str, str], None]
"""Called after every step, with the name of the step and the document or filing."""
ConclusionListener = Callable[[Document, str], None]
"""Called after a document is concluded, with the document as it was before and its new status."""


def ignore_step(_step: str, _subject: str) -> None:
    """A step listener that does nothing."""


@dataclass(frozen=True)
class WorkerContext:
    """Everything that a worker needs to issue documents and to file events and ranges of numbers."""

    database: Database
    snapshots: CompanySnapshots
    builder: DocumentBuilder
    authorities: Mapping[str, Authority]
    backoff: Backoff
    outages: OutageBoard
    in_flight_limit: timedelta
    """How long after we gave up waiting a request may still reach the authority."""
    reached: StepListener
    concluded: ConclusionListener


@dataclass(frozen=True)
class IssuingContext:
    """Everything that a request needs to create or change documents."""

    database: Database
    snapshots: CompanySnapshots
    builder: DocumentBuilder
