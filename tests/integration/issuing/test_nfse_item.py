"""The item of the catalog that an NFS-e makes, as the catalog shows it."""

from integration.issuing.shop import DETAILED, Shop
from support import data_of, fields_of


class TestItem:
    async def test_is_read_and_found(self, shop: Shop) -> None:
        await shop.create("nfse")
        (item,) = data_of(await shop.get("/products", search="direct-api-nfse", type="service"))
        assert data_of(await shop.get(f"/products/{item['id']}")) == item
        assert (item["name"], item["category"], item["price"]) == ("Assinatura mensal", "other_service", None)
        assert item["fiscalFollowsCompanyDefaults"] is True

    async def test_has_the_codes_of_the_service(self, shop: Shop) -> None:
        await shop.create("nfse", **DETAILED, nbs="1.1502.10.00", guarantee=7)
        (item,) = data_of(await shop.get("/products"))
        told = {name: item[name] for name in ("serviceItemCode", "cityServiceCode", "nbs", "guarantee")}
        assert told == {
            "serviceItemCode": DETAILED["federalServiceCode"],
            "cityServiceCode": DETAILED["cityServiceCode"],
            "nbs": "115021000",
            "guarantee": 7,
        }

    async def test_can_be_sent_back_as_read_under_any_name(self, shop: Shop) -> None:
        await shop.create("nfse", serviceDescription="A", sku="novo")
        (item,) = data_of(await shop.get("/products"))
        path = shop.path(f"/products/{item['id']}")
        again = data_of(await shop.caller.http.put(path, json=item))
        assert again == item | {"updatedAt": again["updatedAt"]}
        assert data_of(await shop.caller.http.put(path, json={"price": 5}))["name"] == "A"
        assert list(fields_of(await shop.caller.http.put(path, json=item | {"name": "B"}))) == ["name"]
