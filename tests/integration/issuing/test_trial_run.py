"""What trial runs (`dryRun`) show of real types; what all types share of them is in tests/toy."""

from decimal import Decimal
from typing import Any

import pytest
from lxml import etree

from carimbo.fiscal.schemas import Schema, Schemas
from integration.issuing.actions import switch_environment
from integration.issuing.floor import Floor
from integration.issuing.shop import KINDS, MUG, Shop, body_of, error_of
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
OWNED = (
    "documents", "emissions", "document_events", "archive", "number_sequences", "allowances",
    "customers", "products", "sales", "sale_lines",
)  # fmt: skip
SIGNATURE = ".//{http://www.w3.org/2000/09/xmldsig#}Signature"


async def everything_stored(floor: Floor, shop: Shop) -> dict[str, Any]:
    """Returns what a subscription has of documents, sales, numbers and its plan."""
    owner = shop.caller.subscription_id
    return {
        table: await floor.fetch(f"select * from {table} where subscription_id = $1", owner)
        for table in OWNED
    }


async def trial_of(shop: Shop, kind: str, **changes: Any) -> dict[str, Any]:
    return dict(data_of(await shop.post(f"/{kind}", body_of(kind, **changes), dryRun="true")))


async def test_a_trial_of_any_type_stores_nothing(floor: Floor, shop: Shop) -> None:
    before = await everything_stored(floor, shop)
    for kind in KINDS:
        await trial_of(shop, kind, externalId="a")
    assert await everything_stored(floor, shop) == before


@pytest.mark.parametrize("kind", KINDS)
class TestTrialRun:
    async def test_shows_totals_and_an_unsigned_xml_of_the_environment(self, shop: Shop, kind: str) -> None:
        trial = await trial_of(shop, kind)
        assert (trial["problems"], trial["warnings"]) == ([], [])
        assert trial["totals"]["amount"] == 59.8
        assert not any(isinstance(value, str) for value in trial["totals"].values())
        root = etree.fromstring(trial["xml"].encode())
        assert root.find(SIGNATURE) is None
        number, amount = XML[kind]
        assert root.findtext(f".//{{*}}{number}") == "1"
        assert Decimal(root.findtext(f".//{{*}}{amount}") or "") == Decimal("59.80")
        assert root.findtext(".//{*}tpAmb") == "1"
        await switch_environment(shop, "homologation")
        root = etree.fromstring((await trial_of(shop, kind))["xml"].encode())
        assert root.findtext(".//{*}tpAmb") == "2"

    async def test_xml_lacks_nothing_but_the_signature(self, idle_shop: Shop, kind: str) -> None:
        schema = Schemas().compiled(SCHEMAS[kind])
        xml = (await trial_of(idle_shop, kind))["xml"].encode()
        # The XSD of the DPS leaves the signature to the rules.
        assert schema.validate(etree.fromstring(xml)) == (kind == "nfse")
        errors: Any = schema.error_log
        assert all("Signature" in error.message for error in errors)

    async def test_shows_all_broken_rules_of_an_order_that_would_be_refused(
        self, idle_shop: Shop, kind: str
    ) -> None:
        answer = await idle_shop.post(f"/{kind}", body_of(kind, **BROKEN[kind]), key="k")
        rules = error_of(answer, 422, "FISCAL_RULE_VIOLATION")["rules"]
        assert {rule["field"] for rule in rules} >= BLAMED[kind]
        assert {frozenset(rule) for rule in rules} == {frozenset({"code", "field", "message", "hint"})}
        assert all(rule["code"] and rule["message"] for rule in rules)
        assert await idle_shop.count() == 0
        assert (await trial_of(idle_shop, kind, **BROKEN[kind]))["problems"] == rules
        assert REQUIRED[kind] in fields_of(await idle_shop.post(f"/{kind}", {}, dryRun="true"))

    async def test_shows_what_is_assumed(self, shop: Shop, kind: str) -> None:
        changes = {"taxRegime": "normal", "pisCofinsRegime": "cumulative"}
        data_of(await shop.caller.http.put(shop.path(), json=changes))
        assert (await trial_of(shop, kind))["warnings"]
