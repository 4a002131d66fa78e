"""Companies that issue toys."""

from dataclasses import replace
from typing import Any

from carimbo.fiscal.identity.certificate import A1Certificate
from integration.issuing.shop import Shop, changed, registered_shop
from integration.issuing.system import System
from support import Caller, data_of
from toy.authority import REGISTER

RECIPIENT = {"taxId": "529.982.247-25", "name": "Maria da Silva"}
BODY = {"amount": 59.8, "recipient": RECIPIENT}
LATER = BODY | {"transmit": "later"}
"""A valid body that only stores the document."""
BODIES: dict[str, dict[str, Any]] = {"toy": BODY, "toynote": BODY}
KINDS = [*BODIES]
"""A type whose documents we number, and one whose documents the authority numbers."""


async def toy_shop(
    system: System, caller: Caller, certificate: A1Certificate, tax_id: str | None = None
) -> Shop:
    """Creates a company that is ready to issue toys."""
    return replace(await registered_shop(system, caller, certificate, tax_id), bodies=BODIES)


def body_of(**changes: Any) -> dict[str, Any]:
    """Returns a valid body of either type with changes; a field that is None is left out."""
    return changed(BODY, changes)


async def codes_of(shop: Shop, document: dict[str, Any]) -> list[tuple[str, str | None]]:
    """Returns the requests to the authority about a document, with the codes of the answers."""
    query = "select access_key, assigned_key from emissions where document_id = $1 order by ordinal"
    keys = [key for row in await shop.system.fetch(query, document["id"]) for key in row.values()]
    return [(entry.service, entry.code) for entry in REGISTER.journal if entry.key in keys]


async def tax_id_of(shop: Shop) -> str:
    """Returns the CNPJ of a shop."""
    return str(data_of(await shop.get(""))["taxId"])
