"""Dry runs (`dryRun`) of the real types; the parts that all types share are in tests/toy."""

from decimal import Decimal
from typing import Any

import pytest
from lxml import etree

from carimbo.fiscal.schemas import Schema, Schemas
from integration.issuing.actions import switch_environment
from integration.issuing.shop import KINDS, MUG, Shop, body_of, error_of
from integration.issuing.system import System
from support import data_of, fields_of

_GOODS = {"items": [MUG | {"ncm": "99999999"}, MUG | {"cfop": "1102"}], "payments": None}
BROKEN: dict[str, dict[str, Any]] = {
    "nfe": _GOODS,
    "nfce": _GOODS,
    "nfse": {"nbs": "999999999", "immunityType": "3"},
    "cte": {"receivableAmount": 100, "cfop": "5102"},
}
"""Changes that break two rules of each type."""
BLAMED = {
    "nfe": {"items[0].ncm", "items[1].cfop"},
    "nfce": {"items[0].ncm", "items[1].cfop"},
    "nfse": {"nbs", "immunityType"},
    "cte": {"receivableAmount", "cfop"},
}
XML = {"nfe": ("nNF", "vNF"), "nfce": ("nNF", "vNF"), "nfse": ("nDPS", "vServ"), "cte": ("nCT", "vTPrest")}
"""The elements of a document's number and amount."""
SCHEMAS = {"nfe": Schema.NFE, "nfce": Schema.NFE, "nfse": Schema.NFSE_DPS, "cte": Schema.CTE}
REQUIRED = {"nfe": "items", "nfce": "items", "nfse": "borrower", "cte": "serviceAmount"}
OWNED = (
    "documents", "emissions", "document_events", "archive", "number_sequences", "allowances",
    "customers", "products", "sales", "sale_lines",
)  # fmt: skip
SIGNATURE = ".//{http://www.w3.org/2000/09/xmldsig#}Signature"


async def everything_stored(system: System, shop: Shop) -> dict[str, Any]:
    """Returns the documents, sales, numbers and allowances of a subscription."""
    owner = shop.caller.subscription_id
    return {
        table: await system.fetch(f"select * from {table} where subscription_id = $1", owner)
        for table in OWNED
    }


async def trial_of(shop: Shop, document_type: str, **changes: Any) -> dict[str, Any]:
    return dict(
        data_of(await shop.post(f"/{document_type}", body_of(document_type, **changes), dryRun="true"))
    )


async def test_dry_run_of_any_type_stores_nothing(system: System, shop: Shop) -> None:
    before = await everything_stored(system, shop)
    for document_type in KINDS:
        await trial_of(shop, document_type, externalId="a")
    assert await everything_stored(system, shop) == before


@pytest.mark.parametrize("document_type", KINDS)
class TestTrialRun:
    async def test_dry_run_shows_totals_and_an_unsigned_xml_of_the_environment(
        self, shop: Shop, document_type: str
    ) -> None:
        trial = await trial_of(shop, document_type)
        assert (trial["problems"], trial["warnings"]) == ([], [])
        assert trial["totals"]["amount"] == 59.8
        assert not any(isinstance(value, str) for value in trial["totals"].values())
        root = etree.fromstring(trial["xml"].encode())
        assert root.find(SIGNATURE) is None
        number, amount = XML[document_type]
        assert root.findtext(f".//{{*}}{number}") == "1"
        assert Decimal(root.findtext(f".//{{*}}{amount}") or "") == Decimal("59.80")
        assert root.findtext(".//{*}tpAmb") == "1"
        await switch_environment(shop, "homologation")
        root = etree.fromstring((await trial_of(shop, document_type))["xml"].encode())
        assert root.findtext(".//{*}tpAmb") == "2"

    async def test_xml_of_a_dry_run_lacks_only_the_signature(
        self, idle_shop: Shop, document_type: str
    ) -> None:
        schema = Schemas().compiled(SCHEMAS[document_type])
        xml = (await trial_of(idle_shop, document_type))["xml"].encode()
        # The XSD of the DPS leaves the signature to the rules.
        assert schema.validate(etree.fromstring(xml)) == (document_type == "nfse")
        errors: Any = schema.error_log
        assert all("Signature" in error.message for error in errors)

    async def test_dry_run_shows_all_rule_violations_of_the_request(
        self, idle_shop: Shop, document_type: str
    ) -> None:
        answer = await idle_shop.post(
            f"/{document_type}", body_of(document_type, **BROKEN[document_type]), key="k"
        )
        rules = error_of(answer, 422, "FISCAL_RULE_VIOLATION")["rules"]
        assert {rule["field"] for rule in rules} >= BLAMED[document_type]
        assert {frozenset(rule) for rule in rules} == {frozenset({"code", "field", "message", "hint"})}
        assert all(rule["code"] and rule["message"] for rule in rules)
        assert await idle_shop.count() == 0
        assert (await trial_of(idle_shop, document_type, **BROKEN[document_type]))["problems"] == rules
        assert REQUIRED[document_type] in fields_of(
            await idle_shop.post(f"/{document_type}", {}, dryRun="true")
        )

    async def test_dry_run_shows_assumed_values(self, shop: Shop, document_type: str) -> None:
        changes = {"taxRegime": "normal", "pisCofinsRegime": "cumulative"}
        data_of(await shop.caller.http.put(shop.path(), json=changes))
        assert (await trial_of(shop, document_type))["warnings"]
