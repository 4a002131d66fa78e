"""Trial runs (`dryRun`): they show what a document would be, and nothing happens."""

from typing import Any

import pytest
from lxml import etree

from integration.issuing.actions import spend, switch_environment, usage
from integration.issuing.floor import Floor
from integration.issuing.shop import NewShop, Shop, accepted, error_of, own_number
from support import data_of, fields_of
from toy.shop import BODY, KINDS, body_of
from toy.xml import MOST

SHOWN = {"totals", "xml", "problems", "warnings"}
OWNED = (
    "documents", "emissions", "document_events", "archive", "number_sequences", "allowances", "order_keys"
)  # fmt: skip
of_every_type = pytest.mark.parametrize("kind", KINDS)


async def trial_of(shop: Shop, kind: str, **changes: Any) -> dict[str, Any]:
    return dict(data_of(await shop.post(f"/{kind}", body_of(**changes), dryRun="true")))


async def everything_stored(floor: Floor, shop: Shop) -> dict[str, Any]:
    """Returns what a subscription has of documents, numbers, keys and its plan."""
    owner = shop.caller.subscription_id
    return {
        table: await floor.fetch(f"select * from {table} where subscription_id = $1", owner)
        for table in OWNED
    }


def text_in(trial: dict[str, Any], tag: str) -> str | None:
    return etree.fromstring(trial["xml"].encode()).findtext(f".//{{*}}{tag}")


@of_every_type
class TestTrialRun:
    async def test_stores_nothing_and_uses_no_number_and_no_key(
        self, floor: Floor, new_shop: NewShop, kind: str
    ) -> None:
        shop = await new_shop(plan="trial")
        before = await everything_stored(floor, shop)
        answer = await shop.post(f"/{kind}", body_of(externalId="a"), key="k", dryRun="true")
        assert set(data_of(answer)) == SHOWN
        assert "Idempotent-Replayed" not in answer.headers
        assert await everything_stored(floor, shop) == before
        record = await shop.settled(accepted(await shop.post(f"/{kind}", body_of(), key="k")))
        assert (record["status"], own_number(record)) == ("authorized", 1)

    async def test_shows_the_document_as_number_1_whatever_was_issued_before(
        self, shop: Shop, kind: str
    ) -> None:
        await shop.issue(kind)
        trial = await trial_of(shop, kind)
        assert (text_in(trial, "number"), text_in(trial, "amount"), text_in(trial, "tpAmb")) == (
            "1", "59.80", "1",
        )  # fmt: skip
        assert b"Signature" not in trial["xml"].encode()

    async def test_with_the_key_of_a_document_is_no_replay(self, shop: Shop, kind: str) -> None:
        accepted(await shop.post(f"/{kind}", body_of(), key="k"))
        assert set(data_of(await shop.post(f"/{kind}", body_of(), key="k", dryRun="true"))) == SHOWN

    async def test_needs_no_certificate(self, shop: Shop, kind: str) -> None:
        data_of(await shop.caller.http.delete(shop.path("/certificate")))
        assert (await trial_of(shop, kind))["problems"] == []

    async def test_needs_a_company_that_a_document_can_be_made_of(self, bare: Shop, kind: str) -> None:
        answer = await bare.post(f"/{kind}", BODY, dryRun="true")
        assert "address" in error_of(answer, 422, "COMPANY_NOT_READY")["missing"]

    async def test_takes_no_place_in_a_plan_that_is_spent(self, new_shop: NewShop, kind: str) -> None:
        shop = await new_shop(plan="trial")
        await spend(shop)
        before = await usage(shop)
        assert (await trial_of(shop, kind))["problems"] == []
        assert await usage(shop) == before

    async def test_that_is_off_creates_a_document(self, shop: Shop, kind: str) -> None:
        for off in ("false", "False", "0"):
            made = accepted(await shop.post(f"/{kind}", body_of(), dryRun=off))
            assert made["status"] == "processing", off

    async def test_refuses_what_an_order_refuses(self, idle_shop: Shop, kind: str) -> None:
        assert set(fields_of(await idle_shop.post(f"/{kind}", {}, dryRun="true"))) == {"amount", "recipient"}
        assert set(fields_of(await idle_shop.post(f"/{kind}", BODY, dryRun="talvez"))) == {"dryRun"}
        body = body_of(amount=MOST + 1)
        refused = error_of(await idle_shop.post(f"/{kind}", body), 422, "FISCAL_RULE_VIOLATION")
        assert (await trial_of(idle_shop, kind, amount=MOST + 1))["problems"] == refused["rules"]
        assert await idle_shop.count() == 0


@of_every_type
async def test_an_order_that_breaks_a_rule_leaves_its_keys_free(shop: Shop, kind: str) -> None:
    body = body_of(externalId="a", amount=MOST + 1)
    error_of(await shop.post(f"/{kind}", body, key="k"), 422, "FISCAL_RULE_VIOLATION")
    accepted(await shop.post(f"/{kind}", body_of(externalId="a"), key="k"))


async def test_a_trial_in_homologation_is_written_for_homologation(shop: Shop) -> None:
    await shop.put_settings(toy={"environment": "test"})
    assert text_in(await trial_of(shop, "toy"), "tpAmb") == "2"
    assert text_in(await trial_of(shop, "toynote"), "tpAmb") == "1"
    await switch_environment(shop, "homologation")
    assert text_in(await trial_of(shop, "toynote"), "tpAmb") == "2"
