"""The files of a document reach an inbox in any order, and by hand: what is stored in the end is the same."""

from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal
from itertools import permutations
from typing import Any

import pytest

from carimbo.fiscal.documents.nfe.received import RECEIVING
from carimbo.fiscal.receiving import ReceivedDocument, ReceivedEvent, ReceivedFile, Role, Situation
from carimbo.service.receiving.inbox import Inbox, ReadFile, Source
from carimbo.storage.received import ReceivedRow
from integration.storage.document_rows import Shop
from integration.storage.received_rows import ENVIRONMENT

ISSUED_AT = datetime(2026, 11, 10, 12, tzinfo=UTC)
SUPPLIER = "12ABC34501DE35"
SUMMARY, CANCELED_SUMMARY, WHOLE, IMPORT, DENIED_IMPORT, CANCELLATION, LETTER = (
    "summary", "canceled summary", "whole", "import", "denied import", "cancellation", "letter",
)  # fmt: skip


def content_of(name: str, access_key: str) -> tuple[ReceivedFile, Source]:
    """Returns what a file says, and whence it comes."""
    if name in (CANCELLATION, LETTER):
        is_letter = name == LETTER
        event = ReceivedEvent(
            access_key=access_key,
            code="110110" if is_letter else "110111",
            description="",
            sequence=1,
            author_tax_id=SUPPLIER,
            protocol="135260000000002",
            occurred_at=ISSUED_AT,
            registered_at=ISSUED_AT,
            situation=Situation.CORRECTED if is_letter else Situation.CANCELED,
        )
        return event, "distribution"
    situations = {CANCELED_SUMMARY: Situation.CANCELED, DENIED_IMPORT: Situation.DENIED}
    document = ReceivedDocument(
        type="nfe",
        access_key=access_key,
        number=1,
        series=1,
        issuer_tax_id=SUPPLIER,
        issuer_name="Fornecedora Ltda",
        role=Role.RECIPIENT,
        amount=Decimal("59.80"),
        issued_at=ISSUED_AT,
        authorized_at=ISSUED_AT,
        protocol="135260000000001",
        situation=situations.get(name, Situation.AUTHORIZED),
        is_full=name in (WHOLE, IMPORT, DENIED_IMPORT),
    )
    return document, "import" if name in (IMPORT, DENIED_IMPORT) else "distribution"


async def stored_after(shop: Shop, access_key: str, names: Sequence[str]) -> tuple[ReceivedRow, list[str]]:
    """Puts files into the inbox one after another; returns the document and the verbs of its events."""
    for nsu, name in enumerate(names, 1):
        content, source = content_of(name, access_key)
        file = ReadFile(None if source == "import" else nsu, b"<x/>", content)
        async with shop.database.tenant(shop.subscription_id) as tenant:
            await tenant.received.lock(shop.company_id)
            await Inbox(tenant, shop.company_id, ENVIRONMENT, RECEIVING).put(file, source)
    async with shop.database.tenant(shop.subscription_id) as tenant:
        row = await tenant.received.by_key(shop.company_id, ENVIRONMENT, access_key)
        assert row is not None
        topics = await tenant.connection.fetch(
            "select topic from events where document_id = $1 order by created_at, id", row.id
        )
    return row, [topic["topic"].partition(".")[2] for topic in topics]


@pytest.mark.parametrize(
    ("names", "situation"),
    [
        ((IMPORT, SUMMARY, WHOLE, CANCELLATION), "canceled"),
        ((IMPORT, CANCELED_SUMMARY, WHOLE, LETTER), "canceled"),
        ((SUMMARY, WHOLE, LETTER, CANCELLATION), "canceled"),
        ((IMPORT, SUMMARY, WHOLE, LETTER), "corrected"),
        ((DENIED_IMPORT, SUMMARY, WHOLE), "authorized"),
    ],
)
async def test_situation_is_what_the_authority_said_whatever_the_order(
    shop: Shop, names: tuple[str, ...], situation: str
) -> None:
    for number, order in enumerate(permutations(names)):
        row, verbs = await stored_after(shop, f"35{number:042}", order)
        facts: dict[str, Any] = {
            "situation": row.situation,
            "source": row.source,
            "is_full": row.has_full_xml,
            "has_nsu": row.nsu is not None,
            "first": verbs[0],
            "repeated": [verb for verb in set(verbs) if verbs.count(verb) > 1],
        }
        assert facts == {
            "situation": situation,
            "source": "distribution",
            "is_full": True,
            "has_nsu": True,
            "first": "created",
            "repeated": [],
        }, order
