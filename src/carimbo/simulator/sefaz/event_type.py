"""A type of event as data: who may register it, on which documents, and what it does to them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from carimbo.fiscal.schemas.catalog import Schema
from carimbo.simulator.ledger import DocumentStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class EventType:
    """What the authorities know of one type of event."""

    code: str
    """`tpEvento`."""
    description: str = ""
    """`xEvento` of the answer that registers it."""
    schema: Schema | None = None
    """The XSD of the event; None where there is none at hand."""
    last_sequence: int = 1
    """How often a document may have it (`nSeqEvento`)."""
    models: frozenset[str] = frozenset()
    """The models of the documents that it is for, where the authority of the issuer's state takes it."""
    is_national: bool = False
    """Whether the national environment takes it, instead of the authority of the issuer's state."""
    by_issuer: bool = True
    """Whether its author is the issuer of the document."""
    in_contingency: bool = True
    """Whether a contingency authority (SVC) takes it."""
    is_bound: bool = False
    """Whether the authority must have the document: registered with 135. Others get 136 without it."""
    refused_in: Mapping[DocumentStatus, str] = field(default_factory=dict)
    """By the state of the document, the code that it is refused with; every other state allows it."""
    leads_to: DocumentStatus | None = None
    """The state of the document afterwards; None: it stays as it is."""
    names_recipient: bool = False
    """Whether the answer repeats the recipient of the document."""
