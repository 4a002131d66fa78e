"""Manifests of the companies of tests."""

from itertools import count
from typing import Any

from integration.issuing.shop import MDFE, Shop, accepted, changed

PLATES = (f"ABC{number // 100 % 10}{chr(65 + number // 1000)}{number % 100:02}" for number in count())
DRIVER = {"name": "Marcos Vinícius Lima", "taxId": "390.533.447-05"}


async def create(shop: Shop, *, plate: str | None = None, **changes: Any) -> dict[str, Any]:
    """Creates a manifest on a truck of its own: the companies of all tests have the same CNPJ base."""
    body = changed(MDFE, changes)
    modal: Any = body["modal"]
    vehicle = modal["vehicle"] | {"plate": plate or next(PLATES)}
    return accepted(await shop.post("/mdfe", body | {"modal": modal | {"vehicle": vehicle}}))


async def issue(shop: Shop, *, plate: str | None = None, **changes: Any) -> dict[str, Any]:
    return await shop.settled(await create(shop, plate=plate, **changes))
