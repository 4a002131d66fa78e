"""Manifests of the companies of tests."""

from itertools import count
from typing import Any

from integration.issuing.shop import MDFE, Shop, accepted, changed
from support import data_of

PLATES = (f"ABC{number // 100 % 10}{chr(65 + number // 1000)}{number % 100:02}" for number in count())
LATER: dict[str, Any] = {
    "laterLoading": True,
    "documents": None,
    "cargoTotalAmount": None,
    "cargoQuantity": None,
}
PAYMENT = {
    "payerTaxId": "11.222.333/0001-81",
    "components": [{"type": "freight", "amount": 3000}],
    "pixKey": "marcos@example.com",
}
AGGREGATED = {
    "taxId": "390.533.447-05",
    "name": "Marcos Vinícius Lima",
    "rntrc": "87654321",
    "type": "aggregatedTac",
}
DRIVER = {"name": "Marcos Vinícius Lima", "taxId": "390.533.447-05"}


async def create(shop: Shop, *, plate: str | None = None, **changes: Any) -> dict[str, Any]:
    """Creates a manifest on a truck of its own: the companies of all tests have the same CNPJ base."""
    body = changed(MDFE, changes)
    modal: Any = body["modal"]
    vehicle = modal["vehicle"] | {"plate": plate or next(PLATES)}
    return accepted(await shop.post("/mdfe", body | {"modal": modal | {"vehicle": vehicle}}))


async def issue(shop: Shop, *, plate: str | None = None, **changes: Any) -> dict[str, Any]:
    return await shop.settled(await create(shop, plate=plate, **changes))


async def issue_on_hired_truck(shop: Shop) -> dict[str, Any]:
    """Issues the manifest of an aggregated carrier, whose freight may be paid by events."""
    vehicle = MDFE["modal"]["vehicle"] | {"owner": AGGREGATED}
    modal = {"vehicle": vehicle, "ciots": [{"ciot": "123456789012", "taxId": await tax_id_of(shop)}]}
    load = {"loading": {"zipcode": "01310-100"}, "unloading": {"zipcode": "20040-030"}}
    product = {"cargoType": "general", "description": "Canecas", "ncm": "69120000", "fullLoad": load}
    return await issue(shop, modal=modal, predominantProduct=product, payments=[PAYMENT])


async def issue_with_cte(shop: Shop, access_key: str) -> dict[str, Any]:
    """Issues the manifest of a carrier that is filled from a CT-e of the company."""
    load = {"loading": {"zipcode": "01310-100"}, "unloading": {"zipcode": "20040-030"}}
    insurance = {"insurerName": "Seguradora", "insurerTaxId": "88.999.000/0001-98"}
    manifest = await issue(
        shop,
        fromDocuments=True,
        municipalityStartIbge=None,
        documents=[{"cteAccessKeys": [access_key]}],
        cargoTotalAmount=None,
        cargoQuantity=None,
        modal=MDFE["modal"] | {"ciots": [{"ciot": "123456789012", "taxId": await tax_id_of(shop)}]},
        insurance=[insurance | {"policyNumber": "1", "endorsements": ["2"]}],
        predominantProduct={
            "cargoType": "general", "description": "Aparelhos", "ncm": "85287200", "fullLoad": load,
        },
        payments=[PAYMENT],
    )  # fmt: skip
    assert manifest["status"] == "authorized", manifest["rejection"]
    return manifest


async def tax_id_of(shop: Shop) -> str:
    return str(data_of(await shop.get(""))["taxId"])
