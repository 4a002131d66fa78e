"""Companies that issue toys."""

from dataclasses import replace
from typing import Any

from carimbo.fiscal.certificate import A1Certificate
from integration.issuing.floor import Floor
from integration.issuing.shop import Shop, changed, registered_shop
from support import Caller, data_of
from toy.authority import REGISTER

RECIPIENT = {"taxId": "529.982.247-25", "name": "Maria da Silva"}
BODY = {"amount": 59.8, "recipient": RECIPIENT}
LATER = BODY | {"transmit": "later"}
"""A good body of which only a row comes."""
BODIES: dict[str, dict[str, Any]] = {"toy": BODY, "toynote": BODY}
KINDS = [*BODIES]
"""A type whose documents we number, and one that the authority numbers."""


async def toy_shop(
    floor: Floor, caller: Caller, certificate: A1Certificate, tax_id: str | None = None
) -> Shop:
    """A company that lacks nothing for issuing toys."""
    return replace(await registered_shop(floor, caller, certificate, tax_id), bodies=BODIES)


def body_of(**changes: Any) -> dict[str, Any]:
    """A good body of either type with changes; a field that is None is left out."""
    return changed(BODY, changes)


async def codes_of(shop: Shop, document: dict[str, Any]) -> list[tuple[str, str | None]]:
    """Returns what the authority was asked about a document, and how it answered."""
    query = "select access_key, assigned_key from emissions where document_id = $1 order by ordinal"
    keys = [key for row in await shop.floor.fetch(query, document["id"]) for key in row.values()]
    return [(entry.service, entry.code) for entry in REGISTER.journal if entry.key in keys]


async def tax_id_of(shop: Shop) -> str:
    """Returns the CNPJ by which the authority knows a shop."""
    return str(data_of(await shop.get(""))["taxId"])
