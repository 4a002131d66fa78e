"""The fiscal fields of the catalog's items: what no sale can use is refused, what was stored is read."""

from typing import Any
from uuid import UUID

from carimbo.storage.database import Database
from carimbo.storage.products import NewProduct, new_product_id
from integration.api.product_shelf import COURSE, LACKING_ALONE, MUG, Shelf
from support import DEPENDS_ON_SALE, data_of, fields_of

OLD_FISCAL: dict[str, Any] = {
    "ncm": "00",
    "cfop": "1102",
    "cest": "9999999",
    "gtin": "7891000315500",
    "icms": {"cst": "00", "rate": 18.0, "base": 100, "amount": 18},
    "ibsCbs": {"base": 100},
}


async def stored_before(database: Database, shelf: Shelf) -> str:
    """The id of a product of the time when fewer things were checked."""
    product = NewProduct(
        id=new_product_id(),
        company_id=UUID(shelf.company_id),
        sku="antiga",
        name="Caneca antiga",
        type="product",
        category="physical",
        follows_company_defaults=True,
        fiscal=OLD_FISCAL,
    )
    async with database.tenant(shelf.caller.subscription_id) as tenant:
        assert await tenant.products.add(product)
    return product.id


class TestAmounts:
    async def test_are_refused_each_by_its_path(self, shelf: Shelf) -> None:
        taxes = {
            "icms": {"cst": "00", "base": 100, "rate": 18, "amount": 18},
            "pis": {"cst": "03", "unitRate": 0.5, "quantity": 2},
            "ibsCbs": {"cbs": {"amount": 1}},
        }
        refused = dict.fromkeys(
            ["icms.base", "icms.amount", "pis.quantity", "ibsCbs.cbs.amount"], DEPENDS_ON_SALE
        )
        assert fields_of(await shelf.post(MUG | taxes)) == refused
        item = await shelf.add(MUG)
        assert fields_of(await shelf.put(item["id"], MUG | taxes)) == refused

    async def test_of_one_unit_are_rates(self, shelf: Shelf) -> None:
        pis = {"cst": "03", "unitRate": 0.5}
        assert (await shelf.add(MUG, pis=pis))["pis"] == pis


class TestCodes:
    async def test_that_no_sale_can_use_are_refused(self, shelf: Shelf) -> None:
        goods = {"cfop": "6102", "cest": "9999999", "gtin": "7891000315500", "ncm": "00"}
        assert fields_of(await shelf.post(MUG | goods)).keys() == goods.keys()
        item = await shelf.add(MUG)
        unknown = MUG | {"ncm": "69129999"}
        for answer in (await shelf.post(unknown), await shelf.put(item["id"], unknown)):
            assert fields_of(answer) == {"ncm": "Não existe na tabela NCM em vigor."}
        service = {"serviceItemCode": "99.99", "nbs": "9.9999.99.99"}
        assert fields_of(await shelf.post(COURSE | service)).keys() == service.keys()


class TestAlone:
    async def test_needs_the_rate_that_the_company_would_give(self, shelf: Shelf) -> None:
        alone = MUG | {"ncm": "69120000", "cfop": "5102", "fiscalFollowsCompanyDefaults": False}
        assert fields_of(await shelf.post(alone | {"icms": {}})) == {"icms.cst": LACKING_ALONE}
        assert fields_of(await shelf.post(alone | {"icms": {"cst": "00"}})) == {"icms.rate": LACKING_ALONE}
        assert await shelf.add(alone, icms={"cst": "00", "rate": 18})


class TestStoredBefore:
    async def test_is_read_without_what_depends_on_the_sale(self, shelf: Shelf, database: Database) -> None:
        item = data_of(await shelf.get(f"/{await stored_before(database, shelf)}"))
        assert {name: item[name] for name in OLD_FISCAL} == OLD_FISCAL | {
            "icms": {"cst": "00", "rate": 18.0},
            "ibsCbs": {},
        }
        assert data_of(await shelf.get()) == [item]

    async def test_is_put_right_when_it_is_written(self, shelf: Shelf, database: Database) -> None:
        item_id = await stored_before(database, shelf)
        assert set(fields_of(await shelf.put(item_id, MUG | OLD_FISCAL))) == {
            "ncm", "cfop", "cest", "gtin", "icms.base", "icms.amount", "ibsCbs.base",
        }  # fmt: skip
