"""Fiscal values that an item takes from its company, unless it does not follow the company's defaults."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from golden import example_rates

from integration.issuing.actions import text_in_xml
from integration.issuing.shop import note_of
from integration.sales.store import COURSE, MUG, NewStore, Store
from support import data_of

INDEPENDENT = {"fiscalFollowsCompanyDefaults": False}
OWN_TAX = {"cfop": "5102", "icms": {"cst": "00", "rate": 18}}
OF_COMPANY = {"origin": "2", "icmsRate": 25}
OWN_SERVICE = {"serviceItemCode": "01.05", "iss": {"rate": 3}}


@pytest.fixture
async def normal_store(new_store: NewStore) -> AsyncIterator[Store]:
    """A store of the normal tax regime whose company has defaults for all that it sells.

    A CBS rate for 2027 is set, so that the test passes on any day.
    """
    store = await new_store()
    regime = {"taxRegime": "normal", "pisCofinsRegime": "cumulative"}
    data_of(await store.caller.http.put(store.path(), json=regime))
    await store.put_settings(defaults=OF_COMPANY, nfse={"cityServiceCode": "123", "nbs": "115022000"})
    with example_rates():
        yield store


async def goods_of(store: Store, **fiscal: Any) -> list[str | None]:
    """Returns origin and ICMS rate of a mug, read from its NF-e."""
    await store.stock(MUG | {"sku": "vaso"} | fiscal)
    sale = await store.invoiced("vaso")
    assert sale["status"] == "invoiced", sale["invoices"]
    goods = await store.invoice(sale, "nfe")
    return [await text_in_xml(store, goods, f"ICMS00/{name}") for name in ("orig", "pICMS")]


async def city_code_of(store: Store, **fiscal: Any) -> str | None:
    """Returns the municipal service code of a course, read from its NFS-e."""
    await store.stock(COURSE | {"sku": "aula"} | fiscal)
    sale = await store.invoiced("aula")
    assert sale["status"] == "invoiced", sale["invoices"]
    return (await note_of(store, await store.invoice(sale, "nfse"))).text("cTribMun")


class TestItemThatFollowsDefaults:
    async def test_an_item_takes_origin_and_rate_of_the_company(self, normal_store: Store) -> None:
        assert await goods_of(normal_store) == ["2", "25.0000"]

    async def test_an_item_s_own_values_take_precedence_over_the_company_s(self, normal_store: Store) -> None:
        assert await goods_of(normal_store, **OWN_TAX, origin="1") == ["1", "18.0000"]

    async def test_an_item_takes_the_city_code_of_the_company(self, normal_store: Store) -> None:
        assert await city_code_of(normal_store, **OWN_SERVICE) == "123"


class TestIndependentItem:
    async def test_an_independent_item_is_national_and_has_its_own_rate(self, normal_store: Store) -> None:
        assert await goods_of(normal_store, **INDEPENDENT, **OWN_TAX) == ["0", "18.0000"]

    async def test_an_independent_item_may_have_its_own_origin(self, normal_store: Store) -> None:
        assert await goods_of(normal_store, **INDEPENDENT, **OWN_TAX, origin="1") == ["1", "18.0000"]

    async def test_an_independent_item_has_no_city_code_by_default(self, normal_store: Store) -> None:
        assert await city_code_of(normal_store, **INDEPENDENT, **OWN_SERVICE) is None

    async def test_an_independent_item_may_have_its_own_city_code(self, normal_store: Store) -> None:
        assert await city_code_of(normal_store, **INDEPENDENT, **OWN_SERVICE, cityServiceCode="456") == "456"


class TestApproximateTaxRates:
    async def test_approximate_tax_rates_of_the_company_are_shown_on_the_receipt(
        self, new_store: NewStore
    ) -> None:
        store = await new_store()
        rates = {"federal": 13.45, "state": 18}
        await store.put_settings(defaults={"productInvoiceType": "nfce", "approximateTaxRates": rates})
        await store.stock(MUG | {"sku": "vaso", "price": 100})
        receipt = await store.invoice(await store.invoiced("vaso"), "nfce")
        assert receipt["warnings"] == []
        assert await text_in_xml(store, receipt, "ICMSTot/vTotTrib") == "31.45"
        assert "(federal R$ 13,45, estadual R$ 18,00" in (await text_in_xml(store, receipt, "infCpl") or "")
