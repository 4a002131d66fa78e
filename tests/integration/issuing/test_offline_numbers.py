"""Numbers and keys of NFC-e that were issued offline: each is one document's, whoever asks how often."""

import asyncio
from collections import Counter
from uuid import UUID

import pytest

from carimbo.fiscal.certificate import A1Certificate
from integration.issuing.actions import replayed
from integration.issuing.floor import Floor
from integration.issuing.shop import accepted, error_of, ready_shop
from integration.issuing.till import Till

CROWD = 50


async def give_up(till: Till, first: int, last: int, state: str) -> str:
    """Let a range of numbers be given up, or be refused to be."""
    (row,) = await till.shop.floor.fetch(
        "insert into inutilizations (subscription_id, id, company_id, document_type, environment, series,"
        " first_number, last_number, year, justification, state, next_action_at)"
        " values ($1, gen_random_uuid(), $2, 'nfce', 'production', 1, $3, $4, 26, 'Falha', $5, null)"
        " returning id",
        till.shop.caller.subscription_id, UUID(till.shop.id), first, last, state,
    )  # fmt: skip
    return str(row["id"])


class TestNumber:
    async def test_of_the_next_receipt_comes_after_the_printed_one(self, till: Till) -> None:
        await till.shop.settled(await till.hand_over(till.paper(10)))
        assert await till.next_number() == 11
        assert (await till.shop.issue("nfce"))["number"] == 11

    async def test_never_goes_back(self, till: Till) -> None:
        for number in (10, 3):
            await till.keep(number)
        assert await till.next_number() == 11

    async def test_moves_in_its_own_series_alone(self, till: Till) -> None:
        await till.keep(10, series=2)
        assert await till.next_number() == 1

    async def test_of_a_receipt_of_ours_is_taken(self, till: Till) -> None:
        made = await till.shop.issue("nfce")
        details = error_of(await till.shop.post("/nfce", till.paper(1)), 409, "NUMBER_ALREADY_USED")
        assert details == {"documentId": made["id"]}
        assert await till.shop.count() == 1

    async def test_of_another_paper_is_taken(self, till: Till) -> None:
        made = await till.keep()
        details = error_of(await till.shop.post("/nfce", till.paper(10)), 409, "NUMBER_ALREADY_USED")
        assert details == {"documentId": made["id"]}

    async def test_is_free_in_another_series_and_environment(self, till: Till) -> None:
        await till.keep()
        await till.keep(series=2)
        await till.shop.put_settings(nfce={"environment": "test"})
        assert (await till.keep())["environment"] == "homologation"

    async def test_of_many_papers_at_once_is_that_of_one(self, till: Till) -> None:
        papers = [till.paper(10, transmit="later") for _ in range(CROWD)]
        answers = await asyncio.gather(*(till.shop.post("/nfce", paper) for paper in papers))
        assert Counter(answer.status_code for answer in answers) == {202: 1, 409: CROWD - 1}
        assert await till.shop.count() == 1

    @pytest.mark.parametrize("state", ["queued", "sent", "registered"])
    async def test_that_was_given_up_is_taken(self, till: Till, state: str) -> None:
        voided = await give_up(till, 9, 11, state)
        details = error_of(await till.shop.post("/nfce", till.paper(10)), 409, "NUMBER_ALREADY_USED")
        assert details == {"inutilizationId": voided}
        assert (await till.shop.count(), await till.next_number()) == (0, 1)

    async def test_that_could_not_be_given_up_is_free(self, till: Till) -> None:
        await give_up(till, 9, 11, "refused")
        await give_up(till, 11, 12, "registered")
        assert (await till.keep())["number"] == 10

    async def test_of_somebody_else_at_the_authority_is_never_replaced(
        self, floor: Floor, till: Till, certificate: A1Certificate
    ) -> None:
        assert (await till.shop.settled(await till.hand_over(till.paper(10))))["status"] == "authorized"
        stranger = await ready_shop(floor, await floor.new_caller(), certificate, till.tax_id)
        refused = await stranger.settled(accepted(await stranger.post("/nfce", till.paper(10))))
        for _ in range(2):
            assert (refused["status"], refused["number"]) == ("rejected", 10)
            assert refused["rejection"]["code"] == "539"
            accepted(await stranger.emit(refused))
            refused = await stranger.settled(refused)
        assert [event["type"] for event in await stranger.events(refused)].count("transmitted") == 3
        assert (await stranger.get(f"/nfce/{refused['id']}/rejection-xml")).status_code == 200


class TestReplay:
    @pytest.mark.parametrize("mark", [{}, {"externalId": "b"}], ids=["no-mark", "another-mark"])
    async def test_is_found_by_its_key_alone(self, till: Till, mark: dict[str, str]) -> None:
        paper = till.paper(10, transmit="later", externalId="a")
        made = accepted(await till.shop.post("/nfce", paper, key="k"))
        again = {name: value for name, value in paper.items() if name != "externalId"} | mark
        assert replayed(await till.shop.post("/nfce", again, key="k2")) == made
        assert replayed(await till.shop.post("/nfce", again)) == made
        assert await till.shop.count() == 1

    async def test_is_answered_before_validation(self, till: Till) -> None:
        made = await till.keep()
        key = made["accessKey"]
        for written in (key, f" {key[:4]} {key[4:]}"):
            assert replayed(await till.shop.post("/nfce", {"accessKey": written})) == made

    async def test_of_another_paper_is_found_by_the_idempotency_key(self, till: Till) -> None:
        made = accepted(await till.shop.post("/nfce", till.paper(10, transmit="later"), key="k"))
        assert replayed(await till.shop.post("/nfce", till.paper(11), key="k")) == made

    @pytest.mark.parametrize(
        "keys", [["k"] * CROWD, [f"k{place}" for place in range(CROWD)], [None] * CROWD],
        ids=["one-key", "many-keys", "no-key"],
    )  # fmt: skip
    async def test_of_fifty_at_once_is_one_document(self, till: Till, keys: list[str | None]) -> None:
        paper = till.paper(10, transmit="later")
        answers = await asyncio.gather(*(till.shop.post("/nfce", paper, key=key) for key in keys))
        assert Counter(answer.status_code for answer in answers) == {202: 1, 200: CROWD - 1}
        assert len({answer.json()["data"]["id"] for answer in answers}) == 1
        assert await till.shop.count() == 1

    async def test_is_not_found_by_the_key_of_a_receipt_that_was_not_printed(self, till: Till) -> None:
        made = await till.shop.issue("nfce")
        paper = till.paper(1) | {"accessKey": made["accessKey"]}
        error_of(await till.shop.post("/nfce", paper), 422, "FISCAL_RULE_VIOLATION")

    async def test_is_found_in_either_environment(self, till: Till) -> None:
        paper = till.paper(10, transmit="later")
        made = await till.hand_over(paper)
        await till.shop.put_settings(nfce={"environment": "test"})
        assert replayed(await till.shop.post("/nfce", paper)) == made
