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
class Counter:
    """Where requests are taken: the database, the companies, and the workshop that reviews documents."""

    database: Database
    dossiers: Dossiers
    workshop: Workshop
