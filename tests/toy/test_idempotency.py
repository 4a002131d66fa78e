"""The same order twice makes one document, even if the second order is wrong."""

import asyncio
import json
from collections import Counter
from typing import Any

import httpx2
import pytest

from carimbo.service.subscriptions import set_features
from integration.issuing.actions import replayed
from integration.issuing.floor import Floor
from integration.issuing.shop import NewShop, Shop, accepted, error_of, own_number
from support import fields_of
from toy.codes import REFUSED
from toy.shop import BODY, KINDS, LATER, body_of
from toy.xml import MOST

CROWD = 50


def replay_warnings(caplog: pytest.LogCaptureFixture) -> list[dict[str, Any]]:
    logged = [record.msg for record in caplog.records if isinstance(record.msg, dict)]
    return [line for line in logged if line["event"] == "replay_differs"]


class TestKey:
    @pytest.mark.parametrize("kind", KINDS)
    async def test_repeated_in_the_header_returns_the_document_as_it_is_now(
        self, shop: Shop, kind: str
    ) -> None:
        made = accepted(await shop.post(f"/{kind}", body_of(), key="pedido-1"))
        record = await shop.settled(made)
        events = await shop.events(record)
        assert replayed(await shop.post(f"/{kind}", body_of(), key="pedido-1")) == record
        assert await shop.events(record) == events
        assert await shop.count() == 1

    @pytest.mark.parametrize("kind", KINDS)
    async def test_is_the_external_id_without_the_header(self, shop: Shop, kind: str) -> None:
        record = await shop.issue(kind, externalId="pedido-1")
        assert replayed(await shop.post(f"/{kind}", body_of(externalId="pedido-1"))) == record

    @pytest.mark.parametrize("kind", KINDS)
    async def test_a_refused_document_is_not_processed_again(self, shop: Shop, kind: str) -> None:
        record = await shop.issue(kind, externalId="pedido-1", notes=REFUSED)
        assert record["status"] == "rejected"
        assert replayed(await shop.post(f"/{kind}", body_of(externalId="pedido-1"))) == record

    @pytest.mark.parametrize(("first", "second"), [("k", '"k"'), ('"k"', "k")])
    async def test_may_be_quoted_or_bare(self, shop: Shop, first: str, second: str) -> None:
        made = accepted(await shop.post("/toy", LATER, key=first))
        assert replayed(await shop.post("/toy", LATER, key=second))["id"] == made["id"]

    async def test_of_the_header_goes_before_the_external_id(self, shop: Shop) -> None:
        made = accepted(await shop.post("/toy", LATER | {"externalId": "a"}, key="k"))
        assert replayed(await shop.post("/toy", LATER | {"externalId": "b"}, key="k"))["id"] == made["id"]

    async def test_that_is_new_does_not_make_a_used_external_id_new(self, shop: Shop) -> None:
        made = accepted(await shop.post("/toy", LATER | {"externalId": "a"}, key="k1"))
        again = replayed(await shop.post("/toy", LATER | {"externalId": "a"}, key="k2"))
        assert again["id"] == made["id"]

    async def test_goes_before_the_external_id_of_another_document(self, shop: Shop) -> None:
        accepted(await shop.post("/toy", LATER | {"externalId": "a"}))
        made = accepted(await shop.post("/toy", LATER, key="k"))
        assert replayed(await shop.post("/toy", LATER | {"externalId": "a"}, key="k"))["id"] == made["id"]

    async def test_is_the_same_in_the_header_and_as_external_id(self, shop: Shop) -> None:
        made = accepted(await shop.post("/toy", LATER, key="k"))
        assert replayed(await shop.post("/toy", LATER | {"externalId": "k"}))["id"] == made["id"]

    async def test_that_differs_makes_another_document(self, shop: Shop) -> None:
        made = [accepted(await shop.post("/toy", LATER, key=key)) for key in ("k", "K", "k2")]
        assert len({record["id"] for record in made}) == 3

    async def test_that_is_absent_makes_another_document_each_time(self, shop: Shop) -> None:
        made = [accepted(await shop.post("/toy", LATER)) for _ in range(2)]
        assert made[0]["id"] != made[1]["id"]

    @pytest.mark.parametrize("empty", ["", '""', "  "])
    async def test_that_is_empty_counts_as_absent(self, shop: Shop, empty: str) -> None:
        made = [accepted(await shop.post("/toy", LATER, key=empty)) for _ in range(2)]
        assert made[0]["id"] != made[1]["id"]

    async def test_of_the_longest_size_is_kept_whole(self, shop: Shop) -> None:
        longest = "k" * 255
        made = accepted(await shop.post("/toy", LATER, key=f'"{longest}"'))
        assert replayed(await shop.post("/toy", LATER, key=longest))["id"] == made["id"]
        assert set(fields_of(await shop.post("/toy", LATER, key=longest + "k"))) == {"Idempotency-Key"}

    @pytest.mark.parametrize("kind", KINDS)
    async def test_is_shared_by_all_these_types(self, shop: Shop, kind: str) -> None:
        made = accepted(await shop.post(f"/{kind}", body_of(), key="k"))
        for other in KINDS:
            again = replayed(await shop.post(f"/{other}", body_of(), key="k"))
            assert (again["id"], again["type"]) == (made["id"], kind)

    @pytest.mark.parametrize("kind", KINDS)
    async def test_an_external_id_is_shared_by_all_these_types(self, shop: Shop, kind: str) -> None:
        made = accepted(await shop.post(f"/{kind}", body_of(externalId="a")))
        for other in KINDS:
            again = replayed(await shop.post(f"/{other}", body_of(externalId="a"), key=f"k-{other}"))
            assert (again["id"], again["type"]) == (made["id"], kind)

    async def test_of_another_company_is_another_key(self, shop: Shop, new_shop: NewShop) -> None:
        other = await new_shop(shop.caller)
        body = LATER | {"externalId": "a"}
        made = [accepted(await company.post("/toy", body, key="k")) for company in (shop, other)]
        assert made[0]["id"] != made[1]["id"]

    async def test_of_an_external_id_has_no_spaces_around_it(self, shop: Shop) -> None:
        made = accepted(await shop.post("/toy", LATER | {"externalId": " a "}))
        assert made["externalId"] == "a"
        for written in ("a", " a ", "a "):
            assert replayed(await shop.post("/toy", LATER | {"externalId": written}))["id"] == made["id"]

    async def test_that_is_a_number_equals_its_digits(self, shop: Shop) -> None:
        made = accepted(await shop.post("/toy", LATER | {"externalId": 5}))
        assert replayed(await shop.post("/toy", LATER | {"externalId": "5"}))["id"] == made["id"]
        assert set(fields_of(await shop.post("/toy", LATER | {"externalId": True}))) == {"externalId"}


class TestReplay:
    """Comes after credentials, company and JSON, and before all that could be refused."""

    @pytest.fixture
    async def made(self, shop: Shop) -> dict[str, Any]:
        return await shop.settled(accepted(await shop.post("/toy", BODY, key="k")))

    @pytest.mark.parametrize("body", [{}, [], None, "x", {"amount": "x"}, BODY | {"cor": "azul"}], ids=str)
    async def test_is_answered_before_validation(self, shop: Shop, made: dict[str, Any], body: Any) -> None:
        headers = {"Idempotency-Key": "k", "Content-Type": "application/json"}
        content = json.dumps(body).encode()
        answer = await shop.caller.http.post(shop.path("/toy"), content=content, headers=headers)
        assert replayed(answer) == made

    async def test_is_answered_before_the_rules(self, shop: Shop, made: dict[str, Any]) -> None:
        body = body_of(amount=MOST + 1)
        assert replayed(await shop.post("/toy", body, key="k")) == made

    async def test_is_answered_before_readiness(self, shop: Shop, made: dict[str, Any]) -> None:
        assert (await shop.caller.http.delete(shop.path("/certificate"))).status_code == 200
        await shop.put_settings(toy={"active": False})
        assert replayed(await shop.post("/toy", BODY, key="k")) == made

    async def test_is_answered_before_features(self, floor: Floor, shop: Shop, made: dict[str, Any]) -> None:
        await set_features(floor.database, shop.caller.subscription_id, [])
        assert replayed(await shop.post("/toy", BODY, key="k")) == made

    async def test_is_answered_before_the_allowance(self, floor: Floor, new_shop: NewShop) -> None:
        shop = await new_shop(plan="trial")
        made = accepted(await shop.post("/toy", BODY, key="k"))
        await floor.fetch(
            "update allowances set used = 10 where subscription_id = $1", shop.caller.subscription_id
        )
        assert replayed(await shop.post("/toy", BODY, key="k"))["id"] == made["id"]
        error_of(await shop.post("/toy", BODY, key="k2"), 402, "DOCUMENT_LIMIT_REACHED")

    @pytest.mark.usefixtures("made")
    async def test_comes_after_credentials(self, floor: Floor, shop: Shop) -> None:
        stranger = floor.client({"Idempotency-Key": "k"})
        error_of(await stranger.post(shop.path("/toy"), json=BODY), 401, "INVALID_API_CREDENTIALS")

    @pytest.mark.usefixtures("made")
    async def test_comes_after_the_company(self, floor: Floor, shop: Shop) -> None:
        other = Shop(floor, await floor.new_caller(), shop.id)
        error_of(await other.post("/toy", BODY, key="k"), 404, "NOT_FOUND")

    @pytest.mark.usefixtures("made")
    async def test_comes_after_json(self, shop: Shop) -> None:
        headers = {"Idempotency-Key": "k", "Content-Type": "application/json"}
        answer = await shop.caller.http.post(shop.path("/toy"), content=b"{", headers=headers)
        error_of(answer, 400, "MALFORMED_JSON")

    async def test_with_another_body_is_logged(
        self, shop: Shop, made: dict[str, Any], caplog: pytest.LogCaptureFixture
    ) -> None:
        replayed(await shop.post("/toy", body_of(notes="outra"), key="k"))
        (warning,) = replay_warnings(caplog)
        assert warning["document_id"] == made["id"]

    async def test_of_another_type_is_logged(
        self, shop: Shop, made: dict[str, Any], caplog: pytest.LogCaptureFixture
    ) -> None:
        replayed(await shop.post("/toynote", BODY, key="k"))
        (warning,) = replay_warnings(caplog)
        assert (warning["document_id"], warning["type"], warning["asked"]) == (made["id"], "toy", "toynote")

    @pytest.mark.usefixtures("made")
    async def test_with_the_same_body_written_otherwise_is_not_logged(
        self, shop: Shop, caplog: pytest.LogCaptureFixture
    ) -> None:
        turned = json.dumps(dict(reversed(BODY.items())), indent=4).encode()
        headers = {"Idempotency-Key": "k", "Content-Type": "application/json"}
        replayed(await shop.caller.http.post(shop.path("/toy"), content=turned, headers=headers))
        assert replay_warnings(caplog) == []


class TestAtOnce:
    @pytest.mark.parametrize("kind", KINDS)
    async def test_fifty_with_one_key_make_one_document(self, shop: Shop, kind: str) -> None:
        body = body_of()
        answers = await asyncio.gather(*(shop.post(f"/{kind}", body, key="k") for _ in range(CROWD)))
        await self.assert_one(shop, answers)

    @pytest.mark.parametrize("kind", KINDS)
    async def test_fifty_with_one_external_id_make_one_document(self, shop: Shop, kind: str) -> None:
        body = body_of(externalId="a")
        answers = await asyncio.gather(*(shop.post(f"/{kind}", body) for _ in range(CROWD)))
        await self.assert_one(shop, answers)

    async def test_fifty_of_all_types_with_keys_of_their_own_and_one_external_id_make_one_document(
        self, shop: Shop
    ) -> None:
        kinds = (KINDS * CROWD)[:CROWD]
        calls = (
            shop.post(f"/{kind}", body_of(externalId="a"), key=f"k{place}")
            for place, kind in enumerate(kinds)
        )
        await self.assert_one(shop, await asyncio.gather(*calls))

    async def test_fifty_with_one_key_take_one_place_of_the_plan(
        self, floor: Floor, new_shop: NewShop
    ) -> None:
        shop = await new_shop(plan="trial")
        answers = await asyncio.gather(*(shop.post("/toy", BODY, key="k") for _ in range(CROWD)))
        await self.assert_one(shop, answers)
        (row,) = await floor.fetch(
            "select used, reserved from allowances where subscription_id = $1", shop.caller.subscription_id
        )
        assert tuple(row) == (1, 0)

    @staticmethod
    async def assert_one(shop: Shop, answers: list[httpx2.Response]) -> None:
        assert Counter(answer.status_code for answer in answers) == {202: 1, 200: CROWD - 1}
        marks = Counter(answer.headers.get("Idempotent-Replayed") for answer in answers)
        assert marks == {None: 1, "true": CROWD - 1}
        assert len({answer.json()["data"]["id"] for answer in answers}) == await shop.count() == 1
        record = await shop.settled(answers[0].json()["data"])
        assert (record["status"], own_number(record)) == ("authorized", 1)
