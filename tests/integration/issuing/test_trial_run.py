"""The rules of a document, and `dryRun`, which tells of them without anything happening."""

from decimal import Decimal
from typing import Any

import pytest
from lxml import etree

from carimbo.fiscal.schemas import Schema, Schemas
from integration.issuing.floor import Floor
from integration.issuing.shop import (
    KINDS,
    MUG,
    NewShop,
    Shop,
    accepted,
    bare_shop,
    body_of,
    error_of,
    own_number,
)
from support import data_of, fields_of

_GOODS = {"items": [MUG | {"ncm": "99999999"}, MUG | {"cfop": "1102"}], "payments": None}
BROKEN: dict[str, dict[str, Any]] = {
    "nfe": _GOODS,
    "nfce": _GOODS,
    "nfse": {"nbs": "999999999", "immunityType": "3"},
}
"""Changes that break a rule each, at two places."""
BLAMED = {
    "nfe": {"items[0].ncm", "items[1].cfop"},
    "nfce": {"items[0].ncm", "items[1].cfop"},
    "nfse": {"nbs", "immunityType"},
}
XML = {"nfe": ("nNF", "vNF"), "nfce": ("nNF", "vNF"), "nfse": ("nDPS", "vServ")}
"""Where a document has its number and its amount."""
SCHEMAS = {"nfe": Schema.NFE, "nfce": Schema.NFE, "nfse": Schema.NFSE_DPS}
REQUIRED = {"nfe": "items", "nfce": "items", "nfse": "borrower"}
TRIAL = {"totals", "xml", "problems", "warnings"}
of_every_type = pytest.mark.parametrize("kind", KINDS)


async def everything_stored(floor: Floor, shop: Shop) -> list[Any]:
    """What a subscription has of documents, sales, numbers and places in its plan."""
    owned = (
        "documents", "emissions", "document_events", "archive", "number_sequences", "allowances",
        "customers", "products", "sales", "sale_lines",
    )  # fmt: skip
    return [
        await floor.fetch(f"select * from {table} where subscription_id = $1", shop.caller.subscription_id)
        for table in owned
    ]


@of_every_type
class TestBrokenRules:
    async def test_are_told_all_at_once_and_nothing_is_stored(self, idle_shop: Shop, kind: str) -> None:
        body = body_of(kind, **BROKEN[kind])
        details = error_of(await idle_shop.post(f"/{kind}", body, key="k"), 422, "FISCAL_RULE_VIOLATION")
        rules = details["rules"]
        assert {rule["field"] for rule in rules} >= BLAMED[kind]
        assert {frozenset(rule) for rule in rules} == {frozenset({"code", "field", "message", "hint"})}
        assert all(rule["code"] and rule["message"] for rule in rules)
        assert await idle_shop.count() == 0

    async def test_leave_the_key_free(self, shop: Shop, kind: str) -> None:
        body = body_of(kind, **BROKEN[kind], externalId="a")
        error_of(await shop.post(f"/{kind}", body, key="k"), 422, "FISCAL_RULE_VIOLATION")
        answer = await shop.post(f"/{kind}", body_of(kind, externalId="a"), key="k")
        assert answer.status_code == 202


@of_every_type
class TestTrialRun:
    async def test_tells_what_the_document_would_be(self, idle_shop: Shop, kind: str) -> None:
        answer = await idle_shop.post(f"/{kind}", body_of(kind), dryRun="true")
        trial = data_of(answer)
        assert set(trial) == TRIAL
        assert (trial["problems"], trial["warnings"]) == ([], [])
        assert "Idempotent-Replayed" not in answer.headers

    async def test_totals_are_numbers(self, idle_shop: Shop, kind: str) -> None:
        totals = data_of(await idle_shop.post(f"/{kind}", body_of(kind), dryRun="true"))["totals"]
        assert totals["amount"] == 59.8
        assert not any(isinstance(value, str) for value in totals.values())

    async def test_stores_nothing_and_uses_no_number(
        self, floor: Floor, new_shop: NewShop, kind: str
    ) -> None:
        shop = await new_shop(plan="trial")
        before = await everything_stored(floor, shop)
        data_of(await shop.post(f"/{kind}", body_of(kind, externalId="a"), key="k", dryRun="true"))
        assert await everything_stored(floor, shop) == before
        record = await shop.settled((await shop.post(f"/{kind}", body_of(kind), key="k")).json()["data"])
        assert (record["status"], own_number(record)) == ("authorized", 1)

    async def test_xml_is_that_of_number_1_without_a_signature(self, shop: Shop, kind: str) -> None:
        await shop.issue(kind)
        trial = data_of(await shop.post(f"/{kind}", body_of(kind), dryRun="true"))
        root = etree.fromstring(trial["xml"].encode())
        assert root.find(".//{http://www.w3.org/2000/09/xmldsig#}Signature") is None
        number, amount = XML[kind]
        assert root.findtext(f".//{{*}}{number}") == "1"
        assert Decimal(root.findtext(f".//{{*}}{amount}") or "") == Decimal("59.80")
        assert root.findtext(".//{*}tpAmb") == "1"

    async def test_xml_lacks_nothing_but_the_signature(self, idle_shop: Shop, kind: str) -> None:
        trial = data_of(await idle_shop.post(f"/{kind}", body_of(kind), dryRun="true"))
        schema = Schemas().compiled(SCHEMAS[kind])
        # The XSD of the DPS leaves the signature to the rules.
        assert schema.validate(etree.fromstring(trial["xml"].encode())) == (kind == "nfse")
        errors: Any = schema.error_log
        assert all("Signature" in error.message for error in errors)

    async def test_tells_problems_as_a_list(self, idle_shop: Shop, kind: str) -> None:
        body = body_of(kind, **BROKEN[kind])
        trial = data_of(await idle_shop.post(f"/{kind}", body, dryRun="true"))
        assert {one["field"] for one in trial["problems"]} >= BLAMED[kind]
        assert {frozenset(one) for one in trial["problems"]} == {
            frozenset({"code", "field", "message", "hint"})
        }

    async def test_tells_the_same_problems_as_an_order(self, idle_shop: Shop, kind: str) -> None:
        body = body_of(kind, **BROKEN[kind])
        refused = error_of(await idle_shop.post(f"/{kind}", body), 422, "FISCAL_RULE_VIOLATION")
        assert data_of(await idle_shop.post(f"/{kind}", body, dryRun="true"))["problems"] == refused["rules"]

    async def test_of_a_known_key_is_no_replay(self, shop: Shop, kind: str) -> None:
        await shop.post(f"/{kind}", body_of(kind), key="k")
        assert set(data_of(await shop.post(f"/{kind}", body_of(kind), key="k", dryRun="true"))) == TRIAL

    async def test_validates_the_body(self, idle_shop: Shop, kind: str) -> None:
        assert REQUIRED[kind] in fields_of(await idle_shop.post(f"/{kind}", {}, dryRun="true"))

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
    @of_every_type
    async def test_of_homologation_is_written_for_homologation(self, shop: Shop, kind: str) -> None:
        path = shop.path("/environment")
        data_of(await shop.caller.http.patch(path, json={"environment": "homologation"}))
        trial = data_of(await shop.post(f"/{kind}", body_of(kind), dryRun="true"))
        assert etree.fromstring(trial["xml"].encode()).findtext(".//{*}tpAmb") == "2"

    async def test_of_a_module_in_homologation_is_written_for_homologation(self, shop: Shop) -> None:
        await shop.put_settings(nfce={"environment": "test"})
        trial = data_of(await shop.post("/nfce", body_of("nfce"), dryRun="true"))
        assert etree.fromstring(trial["xml"].encode()).findtext(".//{*}tpAmb") == "2"

    @of_every_type
    async def test_tells_what_is_assumed(self, shop: Shop, kind: str) -> None:
        changes = {"taxRegime": "normal", "pisCofinsRegime": "cumulative"}
        data_of(await shop.caller.http.put(shop.path(), json=changes))
        assert data_of(await shop.post(f"/{kind}", body_of(kind), dryRun="true"))["warnings"]
