"""A client of a company's customers."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

import httpx2

from support import Caller, data_of

MARIA: dict[str, Any] = {"name": "Maria da Silva", "email": "maria@example.com", "document": "52998224725"}
ADDRESS: dict[str, Any] = {
    "zipcode": "01310100",
    "street": "Avenida Paulista",
    "number": "1000",
    "complement": "Sala 12",
    "district": "Bela Vista",
    "city": "São Paulo",
    "state": "SP",
}
ABROAD: dict[str, Any] = {
    "street": "5th Avenue",
    "number": "350",
    "district": "Manhattan",
    "city": "New York",
    "region": "NY",
    "postalCode": "10118",
    "countryCode": "US",
}
WHOLE: dict[str, Any] = {
    "name": "Açaí & Cia Ltda",
    "email": "Contato@Acai.example",
    "document": "12.abc.345/01de-35",
    "phone": "(11) 98888-7777",
    "foreign": False,
    "address": ADDRESS,
    "municipalRegistration": "1234567",
    "stateRegistration": "110.042.490.114",
    "tradeName": "Açaí",
}
JOHN: dict[str, Any] = {
    "name": "John Smith",
    "email": "john@example.com",
    "foreignId": "AB-123",
    "foreign": True,
    "address": ABROAD,
}
READ_ONLY_FIELDS = ("id", "createdAt", "updatedAt")


@dataclass(frozen=True)
class CustomerApi:
    """Creates, changes and reads the customers of one company."""

    caller: Caller
    company_id: str

    def path(self, customer_id: object = None) -> str:
        rest = "" if customer_id is None else f"/{customer_id}"
        return f"/v1/companies/{self.company_id}/customers{rest}"

    async def post(self, body: Any) -> httpx2.Response:
        return await self.caller.http.post(self.path(), json=body)

    async def put(self, customer_id: object, body: Any) -> httpx2.Response:
        return await self.caller.http.put(self.path(customer_id), json=body)

    async def get(self, customer_id: object) -> httpx2.Response:
        return await self.caller.http.get(self.path(customer_id))

    async def delete(self, customer_id: object) -> httpx2.Response:
        return await self.caller.http.delete(self.path(customer_id))

    async def listed(self, **query: Any) -> httpx2.Response:
        return await self.caller.http.get(self.path(), params=query)

    async def upsert(self, body: dict[str, Any] = MARIA, **fields: Any) -> dict[str, Any]:
        """Creates or updates a customer with a body and changed fields."""
        return dict(data_of(await self.post(body | fields)))

    async def total(self) -> int:
        return int((await self.listed()).json()["pageInfo"]["total"])

    async def names(self, **query: Any) -> list[str]:
        """Returns the listed names, in order."""
        return [str(record["name"]) for record in data_of(await self.listed(**query))]


async def new_customer_api(caller: Caller, **company: Any) -> CustomerApi:
    return CustomerApi(caller, await caller.create_company(**company))


def facts_of(record: dict[str, Any]) -> dict[str, Any]:
    """Returns the fields of a record that a caller can set."""
    UUID(record["id"])
    return {name: value for name, value in record.items() if name not in READ_ONLY_FIELDS}
