"""A client of a company's catalog of products and services."""

from dataclasses import dataclass
from typing import Any

import httpx2

from support import CNPJ, Caller, data_of

COURSE = {"type": "service", "name": "Curso de cerâmica", "sku": "curso", "category": "course"}
MUG = {"type": "product", "name": "Caneca de porcelana", "sku": "caneca", "category": "physical"}
SERVICE_FISCAL: dict[str, Any] = {
    "serviceItemCode": "08.02", "cityServiceCode": "123", "nbs": "122051900", "cnaeCode": "8599604",
    "iss": {"rate": 2.5, "isWithheld": True},
    "taxes": {"pis": {"rate": 0.65, "isWithheld": False}, "pisCofinsCst": "01"},
    "ibsCbs": {"cst": "200", "taxClassCode": "200052", "operationIndicator": "100301", "referencedKeys": []},
}  # fmt: skip
GOODS_FISCAL: dict[str, Any] = {
    "ncm": "69120000", "cest": "2104600", "cfop": "5102", "gtin": "7891000315507", "unit": "CX",
    "origin": "1", "benefitCode": "SP010001", "icms": {"cst": "00", "rate": 18.0},
    "pis": {"cst": "01", "rate": 1.65}, "cofins": {"cst": "01", "rate": 7.6},
    "ipi": {"cst": "50", "frameworkCode": "999", "rate": 6.5}, "ibsCbs": {"taxClassCode": "000001"},
}  # fmt: skip
LACKING_ALONE = "Obrigatório quando fiscalFollowsCompanyDefaults é false."
READ_ONLY_FIELDS = ("id", "createdAt", "updatedAt")


@dataclass(frozen=True)
class ProductApi:
    """Creates, changes and reads the catalog of one company."""

    caller: Caller
    company_id: str

    def path(self, rest: str = "") -> str:
        return f"/v1/companies/{self.company_id}/products{rest}"

    async def post(self, body: Any) -> httpx2.Response:
        return await self.caller.http.post(self.path(), json=body)

    async def get(self, rest: str = "", **query: Any) -> httpx2.Response:
        return await self.caller.http.get(self.path(rest), params=query)

    async def put(self, item_id: str, body: Any) -> httpx2.Response:
        return await self.caller.http.put(self.path(f"/{item_id}"), json=body)

    async def delete(self, item_id: str) -> httpx2.Response:
        return await self.caller.http.delete(self.path(f"/{item_id}"))

    async def add(self, body: dict[str, Any], **fields: Any) -> dict[str, Any]:
        """Adds an item to the catalog."""
        return dict(data_of(await self.post(body | fields)))

    async def read(self, item: dict[str, Any]) -> dict[str, Any]:
        return dict(data_of(await self.get(f"/{item['id']}")))

    async def skus(self, **query: Any) -> list[str]:
        """Returns the SKUs of a list."""
        return [item["sku"] for item in data_of(await self.get(**query))]

    async def split(self, **fields: Any) -> dict[str, Any]:
        """Adds an item that divides into a course and a mug, which are added first."""
        await self.add(COURSE)
        await self.add(MUG)
        return await self.add(split_of(("curso", 70), ("caneca", 30)), **fields)


async def new_product_api(caller: Caller, tax_id: str = CNPJ) -> ProductApi:
    return ProductApi(caller, await caller.create_company(tax_id))


def split_of(*parts: tuple[str, float]) -> dict[str, Any]:
    """Returns the body of an item that divides into others, by SKU and percentage."""
    components = [{"sku": sku, "percentage": percentage} for sku, percentage in parts]
    return {"type": "split", "name": "Curso com caneca", "sku": "kit", "components": components}


def body_of(item: dict[str, Any]) -> dict[str, Any]:
    """Returns a record without its read-only fields."""
    return {name: value for name, value in item.items() if name not in READ_ONLY_FIELDS}
