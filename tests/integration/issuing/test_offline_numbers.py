"""Numbers and keys of offline NFC-e: each belongs to one document, however often it is submitted."""

import asyncio
from collections import Counter
from uuid import UUID

import pytest

from carimbo.fiscal.identity.certificate import A1Certificate
from integration.issuing.actions import replayed
from integration.issuing.point_of_sale import PointOfSale
from integration.issuing.shop import accepted, error_of, ready_shop
from integration.issuing.system import System

CROWD = 50


async def add_inutilization(point_of_sale: PointOfSale, first: int, last: int, state: str) -> str:
    """Adds an inutilization of a range in this state."""
    (row,) = await point_of_sale.shop.system.fetch(
        "insert into inutilizations (subscription_id, id, company_id, document_type, environment, series,"
        " first_number, last_number, year, justification, state, next_action_at)"
        " values ($1, gen_random_uuid(), $2, 'nfce', 'production', 1, $3, $4, 26, 'Falha', $5, null)"
        " returning id",
        point_of_sale.shop.caller.subscription_id, UUID(point_of_sale.shop.id), first, last, state,
    )  # fmt: skip
    return str(row["id"])


class TestNumber:
    async def test_next_receipt_gets_the_number_after_the_printed_one(
        self, point_of_sale: PointOfSale
    ) -> None:
        await point_of_sale.shop.settled(await point_of_sale.submit(point_of_sale.paper(10)))
        assert await point_of_sale.next_number() == 11
        assert (await point_of_sale.shop.issue("nfce"))["number"] == 11

    async def test_lower_printed_number_does_not_move_the_counter_back(
        self, point_of_sale: PointOfSale
    ) -> None:
        for number in (10, 3):
            await point_of_sale.keep(number)
        assert await point_of_sale.next_number() == 11

    async def test_printed_number_moves_only_the_counter_of_its_series(
        self, point_of_sale: PointOfSale
    ) -> None:
        await point_of_sale.keep(10, series=2)
        assert await point_of_sale.next_number() == 1

    async def test_number_of_a_normal_receipt_is_already_used(self, point_of_sale: PointOfSale) -> None:
        document = await point_of_sale.shop.issue("nfce")
        details = error_of(
            await point_of_sale.shop.post("/nfce", point_of_sale.paper(1)), 409, "NUMBER_ALREADY_USED"
        )
        assert details == {"documentId": document["id"]}
        assert await point_of_sale.shop.count() == 1

    async def test_number_of_another_printed_receipt_is_already_used(
        self, point_of_sale: PointOfSale
    ) -> None:
        document = await point_of_sale.keep()
        details = error_of(
            await point_of_sale.shop.post("/nfce", point_of_sale.paper(10)), 409, "NUMBER_ALREADY_USED"
        )
        assert details == {"documentId": document["id"]}

    async def test_number_is_free_in_another_series_and_environment(self, point_of_sale: PointOfSale) -> None:
        await point_of_sale.keep()
        await point_of_sale.keep(series=2)
        await point_of_sale.shop.put_settings(nfce={"environment": "test"})
        assert (await point_of_sale.keep())["environment"] == "homologation"

    async def test_only_one_of_many_concurrent_receipts_gets_the_number(
        self, point_of_sale: PointOfSale
    ) -> None:
        papers = [point_of_sale.paper(10, transmit="later") for _ in range(CROWD)]
        answers = await asyncio.gather(*(point_of_sale.shop.post("/nfce", paper) for paper in papers))
        assert Counter(answer.status_code for answer in answers) == {202: 1, 409: CROWD - 1}
        assert await point_of_sale.shop.count() == 1

    @pytest.mark.parametrize("state", ["queued", "sent", "registered"])
    async def test_voided_number_is_already_used(self, point_of_sale: PointOfSale, state: str) -> None:
        inutilized = await add_inutilization(point_of_sale, 9, 11, state)
        details = error_of(
            await point_of_sale.shop.post("/nfce", point_of_sale.paper(10)), 409, "NUMBER_ALREADY_USED"
        )
        assert details == {"inutilizationId": inutilized}
        assert (await point_of_sale.shop.count(), await point_of_sale.next_number()) == (0, 1)

    async def test_number_whose_inutilization_was_refused_is_free(self, point_of_sale: PointOfSale) -> None:
        await add_inutilization(point_of_sale, 9, 11, "refused")
        await add_inutilization(point_of_sale, 11, 12, "registered")
        assert (await point_of_sale.keep())["number"] == 10

    async def test_printed_number_that_somebody_else_used_at_the_authority_is_kept(
        self, system: System, point_of_sale: PointOfSale, certificate: A1Certificate
    ) -> None:
        assert (await point_of_sale.shop.settled(await point_of_sale.submit(point_of_sale.paper(10))))[
            "status"
        ] == "authorized"
        stranger = await ready_shop(system, await system.new_caller(), certificate, point_of_sale.tax_id)
        refused = await stranger.settled(accepted(await stranger.post("/nfce", point_of_sale.paper(10))))
        for _ in range(2):
            assert (refused["status"], refused["number"]) == ("rejected", 10)
            assert refused["rejection"]["code"] == "539"
            accepted(await stranger.emit(refused))
            refused = await stranger.settled(refused)
        assert [event["type"] for event in await stranger.events(refused)].count("transmitted") == 3
        assert (await stranger.get(f"/nfce/{refused['id']}/rejection-xml")).status_code == 200


class TestReplay:
    @pytest.mark.parametrize("mark", [{}, {"externalId": "b"}], ids=["no-mark", "another-mark"])
    async def test_repeated_access_key_is_a_replay(
        self, point_of_sale: PointOfSale, mark: dict[str, str]
    ) -> None:
        paper = point_of_sale.paper(10, transmit="later", externalId="a")
        document = accepted(await point_of_sale.shop.post("/nfce", paper, key="k"))
        again = {name: value for name, value in paper.items() if name != "externalId"} | mark
        assert replayed(await point_of_sale.shop.post("/nfce", again, key="k2")) == document
        assert replayed(await point_of_sale.shop.post("/nfce", again)) == document
        assert await point_of_sale.shop.count() == 1

    async def test_replay_is_answered_before_validation(self, point_of_sale: PointOfSale) -> None:
        document = await point_of_sale.keep()
        key = document["accessKey"]
        for written in (key, f" {key[:4]} {key[4:]}"):
            assert replayed(await point_of_sale.shop.post("/nfce", {"accessKey": written})) == document

    async def test_idempotency_key_is_a_replay_even_with_another_receipt(
        self, point_of_sale: PointOfSale
    ) -> None:
        document = accepted(
            await point_of_sale.shop.post("/nfce", point_of_sale.paper(10, transmit="later"), key="k")
        )
        assert replayed(await point_of_sale.shop.post("/nfce", point_of_sale.paper(11), key="k")) == document

    @pytest.mark.parametrize(
        "keys", [["k"] * CROWD, [f"k{place}" for place in range(CROWD)], [None] * CROWD],
        ids=["one-key", "many-keys", "no-key"],
    )  # fmt: skip
    async def test_fifty_concurrent_requests_with_one_access_key_create_one_document(
        self, point_of_sale: PointOfSale, keys: list[str | None]
    ) -> None:
        paper = point_of_sale.paper(10, transmit="later")
        answers = await asyncio.gather(*(point_of_sale.shop.post("/nfce", paper, key=key) for key in keys))
        assert Counter(answer.status_code for answer in answers) == {202: 1, 200: CROWD - 1}
        assert len({answer.json()["data"]["id"] for answer in answers}) == 1
        assert await point_of_sale.shop.count() == 1

    async def test_access_key_of_a_normal_receipt_is_no_replay(self, point_of_sale: PointOfSale) -> None:
        document = await point_of_sale.shop.issue("nfce")
        paper = point_of_sale.paper(1) | {"accessKey": document["accessKey"]}
        error_of(await point_of_sale.shop.post("/nfce", paper), 422, "FISCAL_RULE_VIOLATION")

    async def test_replay_is_recognized_in_either_environment(self, point_of_sale: PointOfSale) -> None:
        paper = point_of_sale.paper(10, transmit="later")
        document = await point_of_sale.submit(paper)
        await point_of_sale.shop.put_settings(nfce={"environment": "test"})
        assert replayed(await point_of_sale.shop.post("/nfce", paper)) == document
