"""Fiscal fields of the catalog: values that no sale can use are refused, stored ones are read."""

from typing import Any
from uuid import UUID

from carimbo.storage.database import Database
from carimbo.storage.products import NewProduct, new_product_id
from integration.api.product_api import COURSE, LACKING_ALONE, MUG, ProductApi
from support import DEPENDS_ON_SALE, data_of, fields_of

OLD_FISCAL: dict[str, Any] = {
    "ncm": "00",
    "cfop": "1102",
    "cest": "9999999",
    "gtin": "7891000315500",
    "icms": {"cst": "00", "rate": 18.0, "base": 100, "amount": 18},
    "ibsCbs": {"base": 100},
}


async def add_old_product(database: Database, products: ProductApi) -> str:
    """Stores a product from a time with fewer checks, and returns its id."""
    product = NewProduct(
        id=new_product_id(),
        company_id=UUID(products.company_id),
        sku="antiga",
        name="Caneca antiga",
        type="product",
        category="physical",
        follows_company_defaults=True,
        fiscal=OLD_FISCAL,
    )
    async with database.tenant(products.caller.subscription_id) as tenant:
        assert await tenant.products.add(product)
    return product.id


class TestAmounts:
    async def test_amounts_are_refused_by_their_paths(self, products: ProductApi) -> None:
        taxes = {
            "icms": {"cst": "00", "base": 100, "rate": 18, "amount": 18},
            "pis": {"cst": "03", "unitRate": 0.5, "quantity": 2},
            "ibsCbs": {"cbs": {"amount": 1}},
        }
        refused = dict.fromkeys(
            ["icms.base", "icms.amount", "pis.quantity", "ibsCbs.cbs.amount"], DEPENDS_ON_SALE
        )
        assert fields_of(await products.post(MUG | taxes)) == refused
        item = await products.add(MUG)
        assert fields_of(await products.put(item["id"], MUG | taxes)) == refused

    async def test_amounts_of_one_unit_are_accepted_as_rates(self, products: ProductApi) -> None:
        pis = {"cst": "03", "unitRate": 0.5}
        assert (await products.add(MUG, pis=pis))["pis"] == pis


class TestCodes:
    async def test_codes_that_no_sale_can_use_are_refused(self, products: ProductApi) -> None:
        goods = {"cfop": "6102", "cest": "9999999", "gtin": "7891000315500", "ncm": "00"}
        assert fields_of(await products.post(MUG | goods)).keys() == goods.keys()
        item = await products.add(MUG)
        unknown = MUG | {"ncm": "69129999"}
        for answer in (await products.post(unknown), await products.put(item["id"], unknown)):
            assert fields_of(answer) == {"ncm": "Não existe na tabela NCM em vigor."}
        service = {"serviceItemCode": "99.99", "nbs": "9.9999.99.99"}
        assert fields_of(await products.post(COURSE | service)).keys() == service.keys()


class TestAlone:
    async def test_item_without_company_defaults_needs_its_rate(self, products: ProductApi) -> None:
        alone = MUG | {"ncm": "69120000", "cfop": "5102", "fiscalFollowsCompanyDefaults": False}
        assert fields_of(await products.post(alone | {"icms": {}})) == {"icms.cst": LACKING_ALONE}
        assert fields_of(await products.post(alone | {"icms": {"cst": "00"}})) == {"icms.rate": LACKING_ALONE}
        assert await products.add(alone, icms={"cst": "00", "rate": 18})


class TestStoredBefore:
    async def test_old_product_is_read_without_fields_that_depend_on_the_sale(
        self, products: ProductApi, database: Database
    ) -> None:
        item = data_of(await products.get(f"/{await add_old_product(database, products)}"))
        assert {name: item[name] for name in OLD_FISCAL} == OLD_FISCAL | {
            "icms": {"cst": "00", "rate": 18.0},
            "ibsCbs": {},
        }
        assert data_of(await products.get()) == [item]

    async def test_old_product_is_checked_when_it_is_written(
        self, products: ProductApi, database: Database
    ) -> None:
        item_id = await add_old_product(database, products)
        assert set(fields_of(await products.put(item_id, MUG | OLD_FISCAL))) == {
            "ncm", "cfop", "cest", "gtin", "icms.base", "icms.amount", "ibsCbs.base",
        }  # fmt: skip
