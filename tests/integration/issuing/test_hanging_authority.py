"""An authority that does not answer keeps nobody waiting but the documents that it has."""

from typing import Any
from uuid import UUID

import pytest

from carimbo.authorities import pool
from integration.issuing.floor import Floor, gate_before
from integration.issuing.shop import Shop

MOST_AT_ONCE = pool._MOST_REQUESTS


async def never_given_up(floor: Floor, documents: list[dict[str, Any]]) -> int:
    """How many wait for the answer to their first request."""
    query = "select count(*) from emissions where state = 'sent' and tries = 0 and document_id = any($1)"
    (row,) = await floor.fetch(query, [UUID(one["id"]) for one in documents])
    return int(row["count"])


@pytest.mark.parametrize(
    ("kind", "service"),
    [("nfe", "/producao/sp/nfe/NFeAutorizacao4"), ("nfse", "/producao/sefin/nfse/SefinNacional/nfse")],
)
class TestAnAuthorityThatHangs:
    async def test_holds_up_no_nfce_of_the_same_company(
        self, floor: Floor, shop: Shop, kind: str, service: str
    ) -> None:
        async with gate_before(service) as gate:
            held = [await shop.create(kind) for _ in range(MOST_AT_ONCE + 5)]
            await gate.until_arrived(MOST_AT_ONCE)
            assert (await shop.issue("nfce"))["status"] == "authorized"
            assert await never_given_up(floor, held) >= MOST_AT_ONCE
        assert {(await shop.settled(one))["status"] for one in held} == {"authorized"}
