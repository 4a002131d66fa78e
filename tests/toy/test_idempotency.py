"""A repeated request creates one document, even if the second request is invalid."""

import asyncio
import json
from collections import Counter
from typing import Any

import httpx2
import pytest

from carimbo.service.subscriptions import set_features
from integration.issuing.actions import replayed
from integration.issuing.shop import NewShop, Shop, accepted, error_of, own_number
from integration.issuing.system import System
from support import fields_of
from toy.codes import REFUSED
from toy.shop import BODY, KINDS, LATER, body_of
from toy.xml import MAX_AMOUNT

CROWD = 50


def replay_warnings(caplog: pytest.LogCaptureFixture) -> list[dict[str, Any]]:
    logged = [record.msg for record in caplog.records if isinstance(record.msg, dict)]
    return [line for line in logged if line["event"] == "replay_differs"]


class TestKey:
    @pytest.mark.parametrize("document_type", KINDS)
    async def test_repeated_key_returns_the_document_as_it_is_now(
        self, shop: Shop, document_type: str
    ) -> None:
        document = accepted(await shop.post(f"/{document_type}", body_of(), key="pedido-1"))
        record = await shop.settled(document)
        events = await shop.events(record)
        assert replayed(await shop.post(f"/{document_type}", body_of(), key="pedido-1")) == record
        assert await shop.events(record) == events
        assert await shop.count() == 1

    @pytest.mark.parametrize("document_type", KINDS)
    async def test_external_id_is_the_key_without_the_header(self, shop: Shop, document_type: str) -> None:
        record = await shop.issue(document_type, externalId="pedido-1")
        assert replayed(await shop.post(f"/{document_type}", body_of(externalId="pedido-1"))) == record

    @pytest.mark.parametrize("document_type", KINDS)
    async def test_repeated_key_does_not_process_a_refused_document_again(
        self, shop: Shop, document_type: str
    ) -> None:
        record = await shop.issue(document_type, externalId="pedido-1", notes=REFUSED)
        assert record["status"] == "rejected"
        assert replayed(await shop.post(f"/{document_type}", body_of(externalId="pedido-1"))) == record

    @pytest.mark.parametrize(("first", "second"), [("k", '"k"'), ('"k"', "k")])
    async def test_key_may_be_quoted_or_not(self, shop: Shop, first: str, second: str) -> None:
        document = accepted(await shop.post("/toy", LATER, key=first))
        assert replayed(await shop.post("/toy", LATER, key=second))["id"] == document["id"]

    async def test_key_of_the_header_has_precedence_over_another_external_id(self, shop: Shop) -> None:
        document = accepted(await shop.post("/toy", LATER | {"externalId": "a"}, key="k"))
        assert replayed(await shop.post("/toy", LATER | {"externalId": "b"}, key="k"))["id"] == document["id"]

    async def test_new_key_does_not_make_a_used_external_id_new(self, shop: Shop) -> None:
        document = accepted(await shop.post("/toy", LATER | {"externalId": "a"}, key="k1"))
        again = replayed(await shop.post("/toy", LATER | {"externalId": "a"}, key="k2"))
        assert again["id"] == document["id"]

    async def test_key_has_precedence_over_the_external_id_of_another_document(self, shop: Shop) -> None:
        accepted(await shop.post("/toy", LATER | {"externalId": "a"}))
        document = accepted(await shop.post("/toy", LATER, key="k"))
        assert replayed(await shop.post("/toy", LATER | {"externalId": "a"}, key="k"))["id"] == document["id"]

    async def test_key_of_the_header_is_the_same_as_an_external_id(self, shop: Shop) -> None:
        document = accepted(await shop.post("/toy", LATER, key="k"))
        assert replayed(await shop.post("/toy", LATER | {"externalId": "k"}))["id"] == document["id"]

    async def test_different_keys_create_different_documents(self, shop: Shop) -> None:
        documents = [accepted(await shop.post("/toy", LATER, key=key)) for key in ("k", "K", "k2")]
        assert len({record["id"] for record in documents}) == 3

    async def test_requests_without_a_key_create_different_documents(self, shop: Shop) -> None:
        documents = [accepted(await shop.post("/toy", LATER)) for _ in range(2)]
        assert documents[0]["id"] != documents[1]["id"]

    @pytest.mark.parametrize("empty", ["", '""', "  "])
    async def test_empty_key_counts_as_absent(self, shop: Shop, empty: str) -> None:
        documents = [accepted(await shop.post("/toy", LATER, key=empty)) for _ in range(2)]
        assert documents[0]["id"] != documents[1]["id"]

    async def test_key_of_the_maximum_length_is_stored_whole(self, shop: Shop) -> None:
        longest = "k" * 255
        document = accepted(await shop.post("/toy", LATER, key=f'"{longest}"'))
        assert replayed(await shop.post("/toy", LATER, key=longest))["id"] == document["id"]
        assert set(fields_of(await shop.post("/toy", LATER, key=longest + "k"))) == {"Idempotency-Key"}

    @pytest.mark.parametrize("document_type", KINDS)
    async def test_key_is_shared_by_all_types(self, shop: Shop, document_type: str) -> None:
        document = accepted(await shop.post(f"/{document_type}", body_of(), key="k"))
        for other in KINDS:
            again = replayed(await shop.post(f"/{other}", body_of(), key="k"))
            assert (again["id"], again["type"]) == (document["id"], document_type)

    @pytest.mark.parametrize("document_type", KINDS)
    async def test_external_id_is_shared_by_all_types(self, shop: Shop, document_type: str) -> None:
        document = accepted(await shop.post(f"/{document_type}", body_of(externalId="a")))
        for other in KINDS:
            again = replayed(await shop.post(f"/{other}", body_of(externalId="a"), key=f"k-{other}"))
            assert (again["id"], again["type"]) == (document["id"], document_type)

    async def test_key_of_another_company_is_another_key(self, shop: Shop, new_shop: NewShop) -> None:
        other = await new_shop(shop.caller)
        body = LATER | {"externalId": "a"}
        documents = [accepted(await company.post("/toy", body, key="k")) for company in (shop, other)]
        assert documents[0]["id"] != documents[1]["id"]

    async def test_spaces_around_an_external_id_are_ignored(self, shop: Shop) -> None:
        document = accepted(await shop.post("/toy", LATER | {"externalId": " a "}))
        assert document["externalId"] == "a"
        for written in ("a", " a ", "a "):
            assert replayed(await shop.post("/toy", LATER | {"externalId": written}))["id"] == document["id"]

    async def test_numeric_external_id_equals_its_digits(self, shop: Shop) -> None:
        document = accepted(await shop.post("/toy", LATER | {"externalId": 5}))
        assert replayed(await shop.post("/toy", LATER | {"externalId": "5"}))["id"] == document["id"]
        assert set(fields_of(await shop.post("/toy", LATER | {"externalId": True}))) == {"externalId"}


class TestReplay:
    """A replay is answered after credentials, company and JSON, and before all other checks."""

    @pytest.fixture
    async def document(self, shop: Shop) -> dict[str, Any]:
        return await shop.settled(accepted(await shop.post("/toy", BODY, key="k")))

    @pytest.mark.parametrize("body", [{}, [], None, "x", {"amount": "x"}, BODY | {"cor": "azul"}], ids=str)
    async def test_replay_is_answered_before_validation(
        self, shop: Shop, document: dict[str, Any], body: Any
    ) -> None:
        headers = {"Idempotency-Key": "k", "Content-Type": "application/json"}
        content = json.dumps(body).encode()
        answer = await shop.caller.http.post(shop.path("/toy"), content=content, headers=headers)
        assert replayed(answer) == document

    async def test_replay_is_answered_before_the_rules(self, shop: Shop, document: dict[str, Any]) -> None:
        body = body_of(amount=MAX_AMOUNT + 1)
        assert replayed(await shop.post("/toy", body, key="k")) == document

    async def test_replay_is_answered_before_readiness(self, shop: Shop, document: dict[str, Any]) -> None:
        assert (await shop.caller.http.delete(shop.path("/certificate"))).status_code == 200
        await shop.put_settings(toy={"active": False})
        assert replayed(await shop.post("/toy", BODY, key="k")) == document

    async def test_replay_is_answered_before_features(
        self, system: System, shop: Shop, document: dict[str, Any]
    ) -> None:
        await set_features(system.database, shop.caller.subscription_id, [])
        assert replayed(await shop.post("/toy", BODY, key="k")) == document

    async def test_replay_is_answered_before_the_allowance(self, system: System, new_shop: NewShop) -> None:
        shop = await new_shop(plan="trial")
        document = accepted(await shop.post("/toy", BODY, key="k"))
        await system.fetch(
            "update allowances set used = 10 where subscription_id = $1", shop.caller.subscription_id
        )
        assert replayed(await shop.post("/toy", BODY, key="k"))["id"] == document["id"]
        error_of(await shop.post("/toy", BODY, key="k2"), 402, "DOCUMENT_LIMIT_REACHED")

    @pytest.mark.usefixtures("document")
    async def test_replay_is_answered_after_the_credentials(self, system: System, shop: Shop) -> None:
        stranger = system.client({"Idempotency-Key": "k"})
        error_of(await stranger.post(shop.path("/toy"), json=BODY), 401, "INVALID_API_CREDENTIALS")

    @pytest.mark.usefixtures("document")
    async def test_replay_is_answered_after_the_company(self, system: System, shop: Shop) -> None:
        other = Shop(system, await system.new_caller(), shop.id)
        error_of(await other.post("/toy", BODY, key="k"), 404, "NOT_FOUND")

    @pytest.mark.usefixtures("document")
    async def test_replay_is_answered_after_the_json(self, shop: Shop) -> None:
        headers = {"Idempotency-Key": "k", "Content-Type": "application/json"}
        answer = await shop.caller.http.post(shop.path("/toy"), content=b"{", headers=headers)
        error_of(answer, 400, "MALFORMED_JSON")

    async def test_replay_with_another_body_is_logged(
        self, shop: Shop, document: dict[str, Any], caplog: pytest.LogCaptureFixture
    ) -> None:
        replayed(await shop.post("/toy", body_of(notes="outra"), key="k"))
        (warning,) = replay_warnings(caplog)
        assert warning["document_id"] == document["id"]

    async def test_replay_of_another_type_is_logged(
        self, shop: Shop, document: dict[str, Any], caplog: pytest.LogCaptureFixture
    ) -> None:
        replayed(await shop.post("/toynote", BODY, key="k"))
        (warning,) = replay_warnings(caplog)
        assert (warning["document_id"], warning["type"], warning["asked"]) == (
            document["id"],
            "toy",
            "toynote",
        )

    @pytest.mark.usefixtures("document")
    async def test_replay_with_the_same_body_in_another_notation_is_not_logged(
        self, shop: Shop, caplog: pytest.LogCaptureFixture
    ) -> None:
        turned = json.dumps(dict(reversed(BODY.items())), indent=4).encode()
        headers = {"Idempotency-Key": "k", "Content-Type": "application/json"}
        replayed(await shop.caller.http.post(shop.path("/toy"), content=turned, headers=headers))
        assert replay_warnings(caplog) == []


class TestConcurrentRequests:
    @pytest.mark.parametrize("document_type", KINDS)
    async def test_fifty_requests_with_one_key_create_one_document(
        self, shop: Shop, document_type: str
    ) -> None:
        body = body_of()
        answers = await asyncio.gather(*(shop.post(f"/{document_type}", body, key="k") for _ in range(CROWD)))
        await self.assert_one_document(shop, answers)

    @pytest.mark.parametrize("document_type", KINDS)
    async def test_fifty_requests_with_one_external_id_create_one_document(
        self, shop: Shop, document_type: str
    ) -> None:
        body = body_of(externalId="a")
        answers = await asyncio.gather(*(shop.post(f"/{document_type}", body) for _ in range(CROWD)))
        await self.assert_one_document(shop, answers)

    async def test_fifty_requests_of_all_types_with_one_external_id_create_one_document(
        self, shop: Shop
    ) -> None:
        document_types = (KINDS * CROWD)[:CROWD]
        calls = (
            shop.post(f"/{document_type}", body_of(externalId="a"), key=f"k{place}")
            for place, document_type in enumerate(document_types)
        )
        await self.assert_one_document(shop, await asyncio.gather(*calls))

    async def test_fifty_requests_with_one_key_are_counted_once(
        self, system: System, new_shop: NewShop
    ) -> None:
        shop = await new_shop(plan="trial")
        answers = await asyncio.gather(*(shop.post("/toy", BODY, key="k") for _ in range(CROWD)))
        await self.assert_one_document(shop, answers)
        (row,) = await system.fetch(
            "select used, reserved from allowances where subscription_id = $1", shop.caller.subscription_id
        )
        assert tuple(row) == (1, 0)

    @staticmethod
    async def assert_one_document(shop: Shop, answers: list[httpx2.Response]) -> None:
        assert Counter(answer.status_code for answer in answers) == {202: 1, 200: CROWD - 1}
        marks = Counter(answer.headers.get("Idempotent-Replayed") for answer in answers)
        assert marks == {None: 1, "true": CROWD - 1}
        assert len({answer.json()["data"]["id"] for answer in answers}) == await shop.count() == 1
        record = await shop.settled(answers[0].json()["data"])
        assert (record["status"], own_number(record)) == ("authorized", 1)
