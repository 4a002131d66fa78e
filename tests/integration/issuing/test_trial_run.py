"""The rules of a document, and `dryRun`, which tells of them without anything happening."""

from decimal import Decimal
from typing import Any

import pytest
from lxml import etree

from carimbo.fiscal.layouts.nfe_v4.invoice import NAMESPACE
from carimbo.fiscal.schemas import Schema, Schemas
from integration.issuing.floor import Floor
from integration.issuing.shop import MUG, NFCE, NFE, NewShop, Shop, accepted, bare_shop, body_of, error_of
from support import data_of, fields_of

BROKEN = [MUG | {"ncm": "99999999"}, MUG | {"cfop": "1102"}]
"""Items that break a rule each."""
TRIAL = {"totals", "xml", "problems", "warnings"}
of_both_types = pytest.mark.parametrize("kind", ["nfe", "nfce"])


async def everything_stored(floor: Floor, shop: Shop) -> list[Any]:
    """What a subscription has of documents, numbers and places in its plan."""
    owned = ("documents", "emissions", "document_events", "archive", "number_sequences", "allowances")
    return [
        await floor.fetch(f"select * from {table} where subscription_id = $1", shop.caller.subscription_id)
        for table in owned
    ]


@of_both_types
class TestBrokenRules:
    async def test_are_told_all_at_once_and_nothing_is_stored(self, idle_shop: Shop, kind: str) -> None:
        body = body_of(kind, items=BROKEN, payments=None)
        details = error_of(await idle_shop.post(f"/{kind}", body, key="k"), 422, "FISCAL_RULE_VIOLATION")
        rules = details["rules"]
        assert {rule["field"] for rule in rules} >= {"items[0].ncm", "items[1].cfop"}
        assert {frozenset(rule) for rule in rules} == {frozenset({"code", "field", "message", "hint"})}
        assert all(rule["code"] and rule["message"] for rule in rules)
        assert await idle_shop.count() == 0

    async def test_leave_the_key_free(self, shop: Shop, kind: str) -> None:
        body = body_of(kind, items=BROKEN, payments=None, externalId="a")
        error_of(await shop.post(f"/{kind}", body, key="k"), 422, "FISCAL_RULE_VIOLATION")
        answer = await shop.post(f"/{kind}", body_of(kind, externalId="a"), key="k")
        assert answer.status_code == 202


@of_both_types
class TestTrialRun:
    async def test_tells_what_the_document_would_be(self, idle_shop: Shop, kind: str) -> None:
        answer = await idle_shop.post(f"/{kind}", body_of(kind), dryRun="true")
        trial = data_of(answer)
        assert set(trial) == TRIAL
        assert (trial["problems"], trial["warnings"]) == ([], [])
        assert "Idempotent-Replayed" not in answer.headers

    async def test_totals_are_numbers(self, idle_shop: Shop, kind: str) -> None:
        totals = data_of(await idle_shop.post(f"/{kind}", body_of(kind), dryRun="true"))["totals"]
        assert (totals["amount"], totals["goodsAmount"]) == (59.8, 59.8)
        assert not any(isinstance(value, str) for value in totals.values())

    async def test_stores_nothing_and_uses_no_number(
        self, floor: Floor, new_shop: NewShop, kind: str
    ) -> None:
        shop = await new_shop(plan="trial")
        before = await everything_stored(floor, shop)
        data_of(await shop.post(f"/{kind}", body_of(kind, externalId="a"), key="k", dryRun="true"))
        assert await everything_stored(floor, shop) == before
        record = await shop.settled((await shop.post(f"/{kind}", body_of(kind), key="k")).json()["data"])
        assert (record["status"], record["number"]) == ("authorized", 1)

    async def test_xml_is_that_of_number_1_without_a_signature(self, shop: Shop, kind: str) -> None:
        await shop.issue(kind)
        trial = data_of(await shop.post(f"/{kind}", body_of(kind), dryRun="true"))
        root = etree.fromstring(trial["xml"].encode())
        assert root.find(".//{http://www.w3.org/2000/09/xmldsig#}Signature") is None
        assert root.findtext(f".//{{{NAMESPACE}}}nNF") == "1"
        assert Decimal(root.findtext(f".//{{{NAMESPACE}}}vNF") or "") == Decimal("59.80")
        assert root.findtext(f".//{{{NAMESPACE}}}tpAmb") == "1"

    async def test_xml_lacks_nothing_but_the_signature(self, idle_shop: Shop, kind: str) -> None:
        trial = data_of(await idle_shop.post(f"/{kind}", body_of(kind), dryRun="true"))
        schema = Schemas().compiled(Schema.NFE)
        assert not schema.validate(etree.fromstring(trial["xml"].encode()))
        errors: Any = schema.error_log
        assert ["Signature" in error.message for error in errors] == [True]

    async def test_tells_problems_as_a_list(self, idle_shop: Shop, kind: str) -> None:
        body = body_of(kind, items=BROKEN, payments=None)
        trial = data_of(await idle_shop.post(f"/{kind}", body, dryRun="true"))
        assert {one["field"] for one in trial["problems"]} >= {"items[0].ncm", "items[1].cfop"}
        assert {frozenset(one) for one in trial["problems"]} == {
            frozenset({"code", "field", "message", "hint"})
        }

    async def test_tells_the_same_problems_as_an_order(self, idle_shop: Shop, kind: str) -> None:
        body = body_of(kind, items=BROKEN, payments=None)
        refused = error_of(await idle_shop.post(f"/{kind}", body), 422, "FISCAL_RULE_VIOLATION")
        assert data_of(await idle_shop.post(f"/{kind}", body, dryRun="true"))["problems"] == refused["rules"]

    async def test_of_a_known_key_is_no_replay(self, shop: Shop, kind: str) -> None:
        await shop.post(f"/{kind}", body_of(kind), key="k")
        assert set(data_of(await shop.post(f"/{kind}", body_of(kind), key="k", dryRun="true"))) == TRIAL

    async def test_validates_the_body(self, idle_shop: Shop, kind: str) -> None:
        assert "items" in fields_of(await idle_shop.post(f"/{kind}", {}, dryRun="true"))

    async def test_needs_no_certificate(self, shop: Shop, kind: str) -> None:
        data_of(await shop.caller.http.delete(shop.path("/certificate")))
        assert data_of(await shop.post(f"/{kind}", body_of(kind), dryRun="true"))["problems"] == []

    async def test_needs_a_company_that_a_document_can_be_made_of(self, floor: Floor, kind: str) -> None:
        bare = await bare_shop(floor, await floor.new_caller())
        answer = await bare.post(f"/{kind}", body_of(kind), dryRun="true")
        assert "address" in error_of(answer, 422, "COMPANY_NOT_READY")["missing"]

    async def test_takes_no_place_in_a_plan_that_is_spent(
        self, floor: Floor, new_shop: NewShop, kind: str
    ) -> None:
        shop = await new_shop(plan="trial")
        await floor.fetch(
            "insert into allowances (subscription_id, period, used) values ($1, 'total', 10)",
            shop.caller.subscription_id,
        )
        assert data_of(await shop.post(f"/{kind}", body_of(kind), dryRun="true"))["problems"] == []

    @pytest.mark.parametrize("off", ["false", "False", "0"])
    async def test_that_is_off_creates(self, shop: Shop, kind: str, off: str) -> None:
        assert accepted(await shop.post(f"/{kind}", body_of(kind), dryRun=off))["status"] == "processing"

    async def test_that_is_neither_on_nor_off_is_invalid(self, idle_shop: Shop, kind: str) -> None:
        assert set(fields_of(await idle_shop.post(f"/{kind}", body_of(kind), dryRun="talvez"))) == {"dryRun"}
        assert await idle_shop.count() == 0


class TestTrialRunOfAChangedCompany:
    async def test_of_homologation_is_written_for_homologation(self, shop: Shop) -> None:
        await shop.put_settings(nfce={"environment": "test"})
        trial = data_of(await shop.post("/nfce", NFCE, dryRun="true"))
        root = etree.fromstring(trial["xml"].encode())
        assert root.findtext(f".//{{{NAMESPACE}}}tpAmb") == "2"

    async def test_tells_what_is_assumed(self, shop: Shop) -> None:
        changes = {"taxRegime": "normal", "pisCofinsRegime": "cumulative"}
        data_of(await shop.caller.http.put(shop.path(), json=changes))
        assert data_of(await shop.post("/nfe", NFE, dryRun="true"))["warnings"]
