"""A type that is created in its own collection, and read in that of another type."""

from typing import Any

import httpx2
import pytest

from integration.issuing.actions import cancel, correct, listed_ids
from integration.issuing.printer import ask, pdf_of
from integration.issuing.shop import Shop, accepted, error_of
from support import data_of
from toy.shop import BODY


@pytest.fixture
async def charter(shop: Shop) -> dict[str, Any]:
    """An authorized charter, as the shared collection shows it."""
    document = accepted(await shop.post("/toy-charter", BODY))
    assert document["type"] == "toycharter"
    settled = await shop.settled({**document, "type": "toy"})
    return {**settled, "type": "toy"}


async def seal(shop: Shop, document: dict[str, Any]) -> httpx2.Response:
    return await shop.post(f"/toy/{document['id']}/seal", {"reason": "Carga lacrada"})


class TestSharedCollection:
    async def test_shared_collection_lists_the_documents_of_both_types(
        self, shop: Shop, charter: dict[str, Any]
    ) -> None:
        toy = await shop.issue()
        assert charter["status"] == "authorized"
        assert await listed_ids(shop, "/toy") == [toy["id"], charter["id"]]
        assert await listed_ids(shop, "/toynote") == []

    async def test_shared_collection_prints_and_cancels_documents_of_the_other_type(
        self, shop: Shop, charter: dict[str, Any]
    ) -> None:
        pdf_of(await ask(shop, charter))
        assert data_of(await cancel(shop, charter))["type"] == "toycharter"
        assert (await shop.read(charter))["status"] == "canceled"

    async def test_each_type_has_its_own_events_in_the_shared_collection(
        self, shop: Shop, charter: dict[str, Any]
    ) -> None:
        toy = await shop.issue()
        assert data_of(await seal(shop, charter))["type"] == "sealing"
        assert data_of(await correct(shop, toy))["type"] == "correction"
        for answer in (await seal(shop, toy), await correct(shop, charter)):
            details = error_of(answer, 409, "INVALID_STATE")
            assert details == {"currentStatus": "authorized", "allowed": []}

    async def test_document_is_read_only_in_the_shared_collection(
        self, shop: Shop, charter: dict[str, Any]
    ) -> None:
        error_of(await shop.get(f"/toy-charter/{charter['id']}"), 404, "NOT_FOUND")
        error_of(await shop.get(f"/toynote/{charter['id']}"), 404, "NOT_FOUND")
