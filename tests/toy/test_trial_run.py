"""Dry runs (`dryRun`): they show what a document would be, and change nothing."""

from typing import Any

import pytest
from lxml import etree

from integration.issuing.actions import spend, switch_environment, usage
from integration.issuing.shop import NewShop, Shop, accepted, error_of, own_number
from integration.issuing.system import System
from support import data_of, fields_of
from toy.shop import BODY, KINDS, body_of
from toy.xml import MAX_AMOUNT

SHOWN = {"totals", "xml", "problems", "warnings"}
OWNED = (
    "documents", "emissions", "document_events", "archive", "number_sequences", "allowances", "order_keys"
)  # fmt: skip
of_every_type = pytest.mark.parametrize("document_type", KINDS)


async def trial_of(shop: Shop, document_type: str, **changes: Any) -> dict[str, Any]:
    return dict(data_of(await shop.post(f"/{document_type}", body_of(**changes), dryRun="true")))


async def everything_stored(system: System, shop: Shop) -> dict[str, Any]:
    """Returns the documents, numbers, keys and allowances of a subscription."""
    owner = shop.caller.subscription_id
    return {
        table: await system.fetch(f"select * from {table} where subscription_id = $1", owner)
        for table in OWNED
    }


def text_in(trial: dict[str, Any], tag: str) -> str | None:
    return etree.fromstring(trial["xml"].encode()).findtext(f".//{{*}}{tag}")


@of_every_type
class TestTrialRun:
    async def test_dry_run_stores_nothing_and_uses_no_number_and_no_key(
        self, system: System, new_shop: NewShop, document_type: str
    ) -> None:
        shop = await new_shop(plan="trial")
        before = await everything_stored(system, shop)
        answer = await shop.post(f"/{document_type}", body_of(externalId="a"), key="k", dryRun="true")
        assert set(data_of(answer)) == SHOWN
        assert "Idempotent-Replayed" not in answer.headers
        assert await everything_stored(system, shop) == before
        record = await shop.settled(accepted(await shop.post(f"/{document_type}", body_of(), key="k")))
        assert (record["status"], own_number(record)) == ("authorized", 1)

    async def test_dry_run_shows_the_document_as_number_1_whatever_was_issued_before(
        self, shop: Shop, document_type: str
    ) -> None:
        await shop.issue(document_type)
        trial = await trial_of(shop, document_type)
        assert (text_in(trial, "number"), text_in(trial, "amount"), text_in(trial, "tpAmb")) == (
            "1", "59.80", "1",
        )  # fmt: skip
        assert b"Signature" not in trial["xml"].encode()

    async def test_dry_run_with_the_key_of_a_document_is_no_replay(
        self, shop: Shop, document_type: str
    ) -> None:
        accepted(await shop.post(f"/{document_type}", body_of(), key="k"))
        assert set(data_of(await shop.post(f"/{document_type}", body_of(), key="k", dryRun="true"))) == SHOWN

    async def test_dry_run_needs_no_certificate(self, shop: Shop, document_type: str) -> None:
        data_of(await shop.caller.http.delete(shop.path("/certificate")))
        assert (await trial_of(shop, document_type))["problems"] == []

    async def test_dry_run_needs_the_company_data_of_a_document(self, bare: Shop, document_type: str) -> None:
        answer = await bare.post(f"/{document_type}", BODY, dryRun="true")
        assert "address" in error_of(answer, 422, "COMPANY_NOT_READY")["missing"]

    async def test_dry_run_is_possible_beyond_the_plan_and_is_not_counted(
        self, new_shop: NewShop, document_type: str
    ) -> None:
        shop = await new_shop(plan="trial")
        await spend(shop)
        before = await usage(shop)
        assert (await trial_of(shop, document_type))["problems"] == []
        assert await usage(shop) == before

    async def test_request_with_dry_run_off_creates_a_document(self, shop: Shop, document_type: str) -> None:
        for off in ("false", "False", "0"):
            document = accepted(await shop.post(f"/{document_type}", body_of(), dryRun=off))
            assert document["status"] == "processing", off

    async def test_dry_run_reports_the_errors_of_a_request(self, idle_shop: Shop, document_type: str) -> None:
        assert set(fields_of(await idle_shop.post(f"/{document_type}", {}, dryRun="true"))) == {
            "amount",
            "recipient",
        }
        assert set(fields_of(await idle_shop.post(f"/{document_type}", BODY, dryRun="talvez"))) == {"dryRun"}
        body = body_of(amount=MAX_AMOUNT + 1)
        refused = error_of(await idle_shop.post(f"/{document_type}", body), 422, "FISCAL_RULE_VIOLATION")
        assert (await trial_of(idle_shop, document_type, amount=MAX_AMOUNT + 1))["problems"] == refused[
            "rules"
        ]
        assert await idle_shop.count() == 0


@of_every_type
async def test_request_that_breaks_a_rule_leaves_its_keys_free(shop: Shop, document_type: str) -> None:
    body = body_of(externalId="a", amount=MAX_AMOUNT + 1)
    error_of(await shop.post(f"/{document_type}", body, key="k"), 422, "FISCAL_RULE_VIOLATION")
    accepted(await shop.post(f"/{document_type}", body_of(externalId="a"), key="k"))


async def test_dry_run_in_homologation_is_written_for_homologation(shop: Shop) -> None:
    await shop.put_settings(toy={"environment": "test"})
    assert text_in(await trial_of(shop, "toy"), "tpAmb") == "2"
    assert text_in(await trial_of(shop, "toynote"), "tpAmb") == "1"
    await switch_environment(shop, "homologation")
    assert text_in(await trial_of(shop, "toynote"), "tpAmb") == "2"
