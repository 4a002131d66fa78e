"""Answers and files that can't be read: they are kept as they came, and nothing else is lost by them."""

import gzip
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from carimbo.simulator.http import ConnectionClosed, Reply
from carimbo.simulator.program.site import Site
from carimbo.worker.chores import read_unread_files
from integration.receiving.inbox import Buyer

UNKNOWN = ("resNova_v9.99.xsd", gzip.compress(b"<resNova/>"))
BOMB = ("procNFe_v4.00.xsd", gzip.compress(b"<a>" + bytes(8 * 1024 * 1024)))
DAMAGED = ("procNFe_v4.00.xsd", b"no gzip")
_UNREAD = (
    "select u.schema, u.content, u.reason from stream_unread_files u join receptions r"
    " on r.stream_id = u.stream_id where r.company_id = $1 order by u.position"
)


@contextmanager
def altered_pages(alter: Callable[[bytes], bytes]) -> Iterator[None]:
    """Changes the answers of the distribution on their way out of the simulator."""
    answer_as_it_is = Site._answer_call

    async def answer(site: Site, family: Any, arrival: Any) -> Reply | ConnectionClosed:
        reply = await answer_as_it_is(site, family, arrival)
        if isinstance(reply, ConnectionClosed) or not arrival.request.path.endswith("DistribuicaoDFe"):
            return reply
        return replace(reply, body=alter(reply.body))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Site, "_answer_call", answer)
        yield


async def unread(buyer: Buyer) -> list[dict[str, Any]]:
    return [dict(row) for row in await buyer.shop.system.fetch(_UNREAD, UUID(buyer.shop.id))]


async def test_files_that_can_not_be_read_are_kept_and_the_others_arrive(buyer: Buyer) -> None:
    await buyer.shop.put_settings(received={"autoAcknowledge": False})
    bought = await buyer.buys()
    texts = [(schema, b64encode(content).decode()) for schema, content in (UNKNOWN, BOMB, DAMAGED)]
    hostile = "".join(f'<docZip NSU="0" schema="{schema}">{text}</docZip>' for schema, text in texts)
    with altered_pages(lambda body: body.replace(b"<docZip", hostile.encode() + b"<docZip", 1)):
        await buyer.sync()
    assert (await buyer.only())["accessKey"] == bought["accessKey"]
    rows = await unread(buyer)
    assert [(row["schema"], row["content"]) for row in rows] == texts
    assert all(row["reason"] for row in rows)
    assert (await buyer.stream())["unreadFiles"] == 3


async def test_answer_that_can_not_be_read_is_kept_and_its_documents_come_one_by_one(buyer: Buyer) -> None:
    await buyer.shop.put_settings(received={"autoAcknowledge": False})
    keys = {(await buyer.buys())["accessKey"] for _ in range(2)}
    with altered_pages(lambda body: body.replace(b"</docZip>", b"</docZap>", 1)):
        await buyer.sync()
    assert await buyer.inbox() == []
    assert (await buyer.stream())["lastNsu"] == 0
    await buyer.an_hour_passes()
    # The next answer proved the certificate: from now on the company reads the journal.
    (answer,) = await unread(buyer)
    assert answer["schema"] == "answer"
    (gap,) = (await buyer.stream())["gaps"]
    assert (gap["firstNsu"], gap["lastNsu"], gap["reason"]) == (1, 2, "lostAnswer")
    await buyer.an_hour_passes()
    assert {document["accessKey"] for document in await buyer.inbox()} == keys


class TestReadingAgain:
    @pytest.fixture
    async def bought(self, buyer: Buyer) -> dict[str, Any]:
        """A document whose schema nobody knew when it came."""
        await buyer.shop.put_settings(received={"autoAcknowledge": False})
        document = await buyer.buys()
        with altered_pages(lambda body: body.replace(b"resNFe_v1.01.xsd", b"resNova_v1.01.xsd")):
            await buyer.sync()
        assert await buyer.inbox() == []
        return document

    async def test_file_is_read_again_when_its_schema_is_known(
        self, buyer: Buyer, bought: dict[str, Any]
    ) -> None:
        # As if a newer release knew the schema.
        await self._change(buyer, "schema = 'resNFe_v1.01.xsd', tried_at = now() - interval '1 day'")
        await read_unread_files(buyer.shop.system.database)
        assert (await buyer.only())["accessKey"] == bought["accessKey"]
        assert await unread(buyer) == []

    async def test_file_that_is_still_unknown_is_tried_once_a_day(
        self, buyer: Buyer, bought: dict[str, Any]
    ) -> None:
        await self._change(buyer, "tried_at = now() - interval '1 day'")
        await read_unread_files(buyer.shop.system.database)
        await self._change(buyer, "schema = 'resNFe_v1.01.xsd'")
        await read_unread_files(buyer.shop.system.database)
        assert len(await unread(buyer)) == 1
        assert await buyer.inbox() == []

    @staticmethod
    async def _change(buyer: Buyer, changes: str) -> None:
        await buyer.shop.system.fetch(
            f"update stream_unread_files set {changes} where stream_id in"
            " (select stream_id from receptions where company_id = $1)",
            UUID(buyer.shop.id),
        )
