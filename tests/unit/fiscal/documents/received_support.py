"""Reading of received files in tests."""

import pytest

from carimbo.fiscal.receiving import ReceivedDocument, ReceivedEvent, Receiving, UnreadFile


def received_document(receiving: Receiving, schema: str, xml: bytes, tax_id: str) -> ReceivedDocument:
    """Returns the document that a file is about."""
    file = receiving.read(schema, xml, tax_id)
    assert isinstance(file, ReceivedDocument)
    return file


def received_event(receiving: Receiving, schema: str, xml: bytes, tax_id: str) -> ReceivedEvent:
    """Returns the event that a file is about."""
    file = receiving.read(schema, xml, tax_id)
    assert isinstance(file, ReceivedEvent)
    return file


def reason_unread(receiving: Receiving, schema: str, xml: bytes, tax_id: str) -> str:
    """Returns why a file is not read."""
    with pytest.raises(UnreadFile) as caught:
        receiving.read(schema, xml, tax_id)
    return str(caught.value)
