"""The catalog item that an NFS-e creates, as the catalog shows it."""

from integration.issuing.shop import DETAILED, Shop
from support import data_of, fields_of


class TestItem:
    async def test_item_can_be_read_and_searched(self, shop: Shop) -> None:
        await shop.create("nfse")
        (item,) = data_of(await shop.get("/products", search="direct-api-nfse", type="service"))
        assert data_of(await shop.get(f"/products/{item['id']}")) == item
        assert (item["name"], item["category"], item["price"]) == ("Assinatura mensal", "other_service", None)
        assert item["fiscalFollowsCompanyDefaults"] is True

    async def test_item_has_the_codes_of_the_service(self, shop: Shop) -> None:
        await shop.create("nfse", **DETAILED, nbs="1.1502.10.00", guarantee=7)
        (item,) = data_of(await shop.get("/products"))
        codes = {name: item[name] for name in ("serviceItemCode", "cityServiceCode", "nbs", "guarantee")}
        assert codes == {
            "serviceItemCode": DETAILED["federalServiceCode"],
            "cityServiceCode": DETAILED["cityServiceCode"],
            "nbs": "115021000",
            "guarantee": 7,
        }

    async def test_item_can_be_written_back_with_the_name_that_was_read(self, shop: Shop) -> None:
        await shop.create("nfse", serviceDescription="A", sku="novo")
        (item,) = data_of(await shop.get("/products"))
        path = shop.path(f"/products/{item['id']}")
        again = data_of(await shop.caller.http.put(path, json=item))
        assert again == item | {"updatedAt": again["updatedAt"]}
        assert data_of(await shop.caller.http.put(path, json={"price": 5}))["name"] == "A"
        assert list(fields_of(await shop.caller.http.put(path, json=item | {"name": "B"}))) == ["name"]
