"""Numbers and environments: the parts that differ between the real document types."""

from typing import Any

import pytest
from lxml import etree

from carimbo.fiscal.identity.certificate import A1Certificate
from carimbo.fiscal.layouts.nfe_v4.invoice import NAMESPACE
from integration.issuing.actions import switch_environment
from integration.issuing.shop import GOODS, Shop, accepted, own_number, ready_shop
from integration.issuing.system import System
from support import data_of


async def environment_in_xml(shop: Shop, document: dict[str, Any]) -> tuple[str | None, str | None]:
    """Returns the environment in the XML, and the field that has a fixed text in homologation."""
    answer = await shop.get(f"/{document['type']}/{document['id']}/xml")
    root = etree.fromstring(answer.content)
    fixed = {"nfe": "dest/{{{0}}}xNome", "nfce": "prod/{{{0}}}xProd"}[document["type"]].format(NAMESPACE)
    return root.findtext(f".//{{{NAMESPACE}}}tpAmb"), root.findtext(f".//{{{NAMESPACE}}}{fixed}")


@pytest.mark.parametrize("document_type", GOODS)
async def test_nfe_and_nfce_contain_the_fixed_texts_of_homologation(
    system: System, shop: Shop, document_type: str
) -> None:
    produced = await shop.issue(document_type)
    await switch_environment(shop, "homologation")
    record = await shop.issue(document_type)
    code, text = await environment_in_xml(shop, record)
    assert code == "2"
    assert "HOMOLOGACAO" in (text or "")
    assert (await environment_in_xml(shop, produced))[0] == "1"
    histories = [[event["type"] for event in await shop.events(document)] for document in (produced, record)]
    assert histories[0] == histories[1]
    (sent,) = await system.journal(record["accessKey"])
    assert sent["environment"] == "homologation"


async def test_last_number_of_a_dps_has_fifteen_digits(shop: Shop) -> None:
    last = 999_999_999_999_999
    await shop.put_settings(nfse={"number": last})
    assert own_number(await shop.issue("nfse")) == last
    beyond = await shop.issue("nfse")
    assert (beyond["status"], beyond["number"]) == ("rejected", None)


async def test_dps_that_finds_ten_numbers_taken_is_refused_with_the_code_of_services(
    system: System, shop: Shop, certificate: A1Certificate
) -> None:
    tax_id = data_of(await shop.get(""))["taxId"]
    twin = await ready_shop(system, await system.new_caller(), certificate, tax_id)
    document_type = "nfse"
    for _ in range(10 + 1):
        assert (await shop.issue(document_type))["status"] == "authorized"
    refused = await twin.issue(document_type, notes="De outra instalação")
    assert (refused["status"], refused["rejection"]["code"]) == ("rejected", "E0014")
    assert own_number(refused) == 10
    await twin.put_settings(**{document_type: {"number": 50}})
    accepted(await twin.emit(refused))
    cured = await twin.settled(refused)
    assert (cured["status"], own_number(cured)) == ("authorized", 50)
