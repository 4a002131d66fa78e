"""An authority that does not answer delays only the documents that were sent to it."""

from typing import Any
from uuid import UUID

import pytest

from carimbo.authorities import connection_pool
from integration.issuing.shop import Shop
from integration.issuing.system import System, gate_before

MAX_AT_ONCE = connection_pool._MAX_REQUESTS


async def count_of_waiting(system: System, documents: list[dict[str, Any]]) -> int:
    """Returns how many documents wait for the answer to their first request."""
    query = "select count(*) from emissions where state = 'sent' and tries = 0 and document_id = any($1)"
    (row,) = await system.fetch(query, [UUID(document["id"]) for document in documents])
    return int(row["count"])


@pytest.mark.parametrize(
    ("document_type", "service"),
    [("nfe", "/producao/sp/nfe/NFeAutorizacao4"), ("nfse", "/producao/sefin/nfse/SefinNacional/nfse")],
)
class TestHangingAuthority:
    async def test_hanging_authority_delays_no_nfce_of_the_same_company(
        self, system: System, shop: Shop, document_type: str, service: str
    ) -> None:
        async with gate_before(service) as gate:
            held = [await shop.create(document_type) for _ in range(MAX_AT_ONCE + 5)]
            await gate.until_arrived(MAX_AT_ONCE)
            assert (await shop.issue("nfce"))["status"] == "authorized"
            assert await count_of_waiting(system, held) >= MAX_AT_ONCE
        assert {(await shop.settled(document))["status"] for document in held} == {"authorized"}
