"""What use cases work with: those that take requests, and those that workers run."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta

from carimbo.service.backoff import Backoff
from carimbo.service.dossier import Dossiers
from carimbo.service.outage_board import OutageBoard
from carimbo.service.ports import Authority
from carimbo.service.workshop import Workshop
from carimbo.storage.database import Database
from carimbo.storage.documents import Document

Reached = Callable[[str, str], None]
"""Called after every step with its name and with the document or filing that it was about."""
Concluded = Callable[[Document, str], None]
"""Called with every concluded document, as it was before, and with its new status."""


def nobody_is_told(_step: str, _subject: str) -> None:
    """Does nothing with a step."""


@dataclass(frozen=True)
class WorkerContext:
    """What a worker needs to issue documents and to file events and ranges of numbers."""

    database: Database
    dossiers: Dossiers
    workshop: Workshop
    authorities: Mapping[str, Authority]
    backoff: Backoff
    outages: OutageBoard
    latest_arrival: timedelta
    """How long after it was given up an attempt may still arrive at an authority."""
    reached: Reached
    concluded: Concluded


@dataclass(frozen=True)
class IssuingContext:
    """What a request needs to be accepted: the database, the companies, and what reviews documents."""

    database: Database
    dossiers: Dossiers
    workshop: Workshop
