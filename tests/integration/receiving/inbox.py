"""A company that receives the documents of a supplier, and ways to let time pass for its streams."""

from dataclasses import dataclass
from itertools import count
from typing import Any
from uuid import UUID

import httpx2

from carimbo.fiscal.identity.tax_ids import cnpj_check_digits
from integration.issuing.shop import ADDRESS, NFE, Shop, accepted
from support import data_of

SUPPLIER_CNPJ = "55666777000181"
NFES = "received-nfes"
_SUPPLIERS = count(2)
HOUR_AND_MORE = 4200
"""Longer than any rest or block of a stream, in seconds."""
_STREAMS = "select stream_id from receptions where company_id = $1"


def next_supplier_tax_id() -> str:
    """Returns the CNPJ of an establishment of the supplier that no other test has."""
    first = f"{SUPPLIER_CNPJ[:8]}{next(_SUPPLIERS):04}"
    return first + cnpj_check_digits(first)


@dataclass(frozen=True)
class Buyer:
    """A company that receives the documents of a supplier."""

    shop: Shop
    supplier: Shop

    async def tax_id(self) -> str:
        (row,) = await self.shop.system.fetch(
            "select tax_id from companies where id = $1", UUID(self.shop.id)
        )
        return str(row["tax_id"])

    async def buys(self, **changes: Any) -> dict[str, Any]:
        """Has the supplier issue an NF-e to this company, and returns its record."""
        recipient = {
            "taxId": await self.tax_id(),
            "name": "Loja Compradora",
            "stateRegistration": "110042490114",
            "address": ADDRESS,
        }
        document = await self.supplier.issue("nfe", **{**NFE, "recipient": recipient, **changes})
        assert document["status"] == "authorized", document
        return document

    async def sync(self, collection: str = NFES) -> dict[str, Any]:
        """Follows the distribution, and waits until nothing more is due."""
        record = accepted(await self.shop.post(f"/{collection}/sync"))
        await self.quiet()
        return record

    async def quiet(self) -> None:
        """Waits until the streams and receptions of the company have nothing to do now."""
        await self.shop.system.until(
            "(select coalesce(bool_and(coalesce(s.next_action_at > now() + interval '5 seconds', true)"
            " and s.lease_until is null"
            " and coalesce(r.next_action_at > now() + interval '5 seconds', true)"
            " and r.lease_until is null), false) from receptions r join streams s on s.id = r.stream_id"
            f" where r.company_id = '{UUID(self.shop.id)}' and r.is_active)"
        )

    async def inbox(self, collection: str = NFES, **query: Any) -> list[dict[str, Any]]:
        return list(data_of(await self.shop.get(f"/{collection}", **query)))

    async def only(self, collection: str = NFES) -> dict[str, Any]:
        """Returns the only received document."""
        (document,) = await self.inbox(collection)
        return document

    async def stream(self) -> dict[str, Any]:
        """Returns the only stream in the status of the company."""
        (stream,) = data_of(await self.shop.get("/status"))["streams"]
        return dict(stream)

    async def an_hour_passes(self) -> None:
        """Lets more than an hour pass, for the authority and for the streams."""
        await self.time_passes()
        await self.quiet()

    async def time_passes(self, seconds: int = HOUR_AND_MORE) -> None:
        """Lets time pass: the clock of the authority is set, and the rows of the streams move back."""
        await self.authority_ages(seconds)
        await self.streams_age(seconds)

    async def authority_ages(self, seconds: int = HOUR_AND_MORE) -> None:
        """Lets time pass for the authority alone."""
        system = self.shop.system
        async with httpx2.AsyncClient(base_url=system.simulator.control_url) as client:
            controls = (await client.get("/controls")).json()
        await system.switch(clockOffsetSeconds=controls["clockOffsetSeconds"] + seconds)

    async def streams_age(self, seconds: int = HOUR_AND_MORE) -> None:
        """Lets time pass for the streams alone, which go on at once if they are due now."""
        system = self.shop.system
        # The worker's own guard against too many questions counts by the clock of its process.
        pacing = system.context.authorities["nfe"]._pacing  # type: ignore[attr-defined]
        pacing._pauses.clear()
        pacing._sent.clear()
        columns = ("ask_at", "blocked_until", "asked_at", "answered_at", "next_action_at")
        moved = ", ".join(f"{name} = {name} - interval '{seconds} seconds'" for name in columns)
        await system.fetch(f"update streams set {moved} where id in ({_STREAMS})", UUID(self.shop.id))
        await system.fetch(
            f"update stream_calls set at = at - interval '{seconds} seconds' where stream_id in ({_STREAMS})",
            UUID(self.shop.id),
        )

    async def leave(self) -> None:
        """Ends the work of the company's streams after a test."""
        await self.shop.system.fetch(
            f"update streams set next_action_at = null where id in ({_STREAMS})", UUID(self.shop.id)
        )
        await self.shop.system.fetch(
            "update receptions set is_active = false, next_action_at = null where company_id = $1",
            UUID(self.shop.id),
        )

    async def questions(self, kind: str = "distNSU", service: str = "NFeDistribuicaoDFe") -> list[str]:
        """Returns the authority's codes for the questions about this company, oldest first."""
        async with httpx2.AsyncClient(base_url=self.shop.system.simulator.control_url) as client:
            query = {"subject": f"{await self.tax_id()} {kind}", "service": service, "limit": "100"}
            entries = (await client.get("/journal", params=query)).json()
        return [entry["code"] for entry in sorted(entries, key=lambda entry: entry["id"])]


async def party_of(buyer: Buyer) -> dict[str, Any]:
    return {
        "taxId": await buyer.tax_id(),
        "name": "Loja Tomadora Ltda",
        "stateRegistration": "110042490114",
        "address": ADDRESS,
    }


async def carried(buyer: Buyer) -> dict[str, Any]:
    """Has the carrier issue a CT-e whose taker is the company."""
    document = await buyer.supplier.issue("cte", shipper=await party_of(buyer), taker="shipper")
    assert document["status"] == "authorized", document
    return document


async def served(buyer: Buyer) -> dict[str, Any]:
    """Has the provider issue an NFS-e to the company."""
    borrower = {"taxId": await buyer.tax_id(), "name": "Loja Tomadora Ltda", "address": ADDRESS}
    document = await buyer.supplier.issue("nfse", borrower=borrower)
    assert document["status"] == "authorized", document
    return document


async def forget_emissions(shop: Shop) -> None:
    """Makes the documents of a company those of another program."""
    await shop.system.fetch("delete from emissions where company_id = $1", UUID(shop.id))


async def xml_of(shop: Shop, document: dict[str, Any]) -> bytes:
    """Returns the XML of a document that a company issued."""
    return (await shop.get(f"/{document['type']}/{document['id']}/xml")).content


async def upload(shop: Shop, xml: bytes, collection: str = NFES) -> httpx2.Response:
    """Imports a file by hand."""
    return await shop.caller.http.post(
        shop.path(f"/{collection}/import"), files={"file": ("nota.xml", xml, "application/xml")}
    )
