"""Adds notes and their events to the sequences of their parties in the data environment (ADN)."""

from carimbo.simulator.distribution_sequence import DistributionSequence
from carimbo.simulator.family import RequestContext
from carimbo.simulator.group import Group
from carimbo.simulator.ledger import Ledger, StoredDocument, StoredEvent
from carimbo.simulator.nfse.stored_notes import parties_of, stored_dps

FAMILY = "nfse"
NOTE = "NFSE"
"""The schema of a note; that of an event is its type."""


def distribute_note(document: StoredDocument, note: Group, context: RequestContext) -> None:
    """Distributes a note to all its parties, also to its issuer; `note` is its `infDPS`."""
    _add(note, document.environment, document.access_key, NOTE, document.protocol_xml, context)


def distribute_event(event: StoredEvent, context: RequestContext) -> None:
    """Distributes an event to all parties of its note, also to its author."""
    document = Ledger(context.store).document(event.environment, event.access_key)
    if document:
        note = stored_dps(document)
        _add(note, event.environment, event.access_key, event.type, event.answer_xml, context)


def _add(
    note: Group, environment: str, access_key: str, schema: str, xml: bytes, context: RequestContext
) -> None:
    sequence = DistributionSequence(context.store, environment, FAMILY)
    for taxpayer in sorted(parties_of(note)):
        sequence.add(taxpayer, access_key, schema, xml.decode(), context.now)
