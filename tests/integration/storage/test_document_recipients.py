"""The recipients of documents that were stored before there was a column for them."""

import json
from typing import Any

import pytest

from carimbo.storage.migrate import known_migrations
from integration.storage.document_rows import Shop


async def recipient_after_migration(shop: Shop, request: Any) -> tuple[str | None, str | None]:
    """Stores a document as the release before did, and runs the statements that fill its columns."""
    document = await shop.added(
        queued=False, request=request if isinstance(request, str) else json.dumps(request)
    )
    (migration,) = (one for one in known_migrations() if one.name == "document_reading")
    for statement in migration.outside_transactions:
        if statement.startswith("update"):
            async with shop.database.connection() as connection:
                await connection.execute(statement)
    row = await shop.row_of(document)
    return row["recipient_tax_id"], row["recipient_name"]


@pytest.mark.parametrize(
    ("request_body", "recipient"),
    [
        ({"recipient": {"taxId": "529.982.247-25", "name": "Maria"}}, ("52998224725", "Maria")),
        ({"borrower": {"taxId": "12.abc.345/01de-35", "name": "Loja"}}, ("12ABC34501DE35", "Loja")),
        ({"recipient": {"foreignId": "AB123", "name": "John"}}, (None, "John")),
        ({"items": []}, (None, None)),
        ({"recipient": None, "notes": "a\u0000"}, (None, None)),
        ("[", (None, None)),
    ],
)
async def test_earlier_documents_get_the_recipient_of_their_request(
    shop: Shop, request_body: Any, recipient: tuple[str | None, str | None]
) -> None:
    assert await recipient_after_migration(shop, request_body) == recipient
