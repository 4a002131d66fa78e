"""Acknowledgements of summaries in lots: each event has an outcome of its own."""

from typing import Any
from uuid import UUID

from integration.receiving.inbox import Buyer
from support import data_of

MAX_EVENTS = 20
"""In a lot (MOC 7.0)."""


async def set_acknowledging(buyer: Buyer, is_on: bool) -> None:
    await buyer.shop.put_settings(received={"autoAcknowledge": is_on})


async def summaries(buyer: Buyer, count: int) -> list[dict[str, Any]]:
    """Returns received summaries, which nobody has acknowledged."""
    await set_acknowledging(buyer, False)
    bought = [await buyer.buys() for _ in range(count)]
    await buyer.sync()
    by_key = {row["accessKey"]: row for row in await buyer.inbox(limit=100)}
    return [by_key[document["accessKey"]] | {"sold": document} for document in bought]


async def state_elsewhere(buyer: Buyer, document: dict[str, Any], kind: str) -> None:
    """Has another program make a statement: the authority has it, and we do not."""
    data_of(await buyer.shop.post(f"/received-nfes/{document['id']}/manifest", {"type": kind}))
    system, document_id = buyer.shop.system, UUID(document["id"])
    await system.fetch("delete from manifestations where document_id = $1", document_id)
    await system.fetch(
        "update received_documents set status = 'pending', acknowledge_by = now() + interval '9 days'"
        " where id = $1",
        document_id,
    )


async def manifestations(buyer: Buyer) -> list[dict[str, Any]]:
    rows = await buyer.shop.system.fetch(
        "select document_id, state, authority_code from manifestations where company_id = $1"
        " order by created_at",
        UUID(buyer.shop.id),
    )
    return [dict(row) for row in rows]


async def all_settled(buyer: Buyer, count: int) -> list[dict[str, Any]]:
    """Waits until so many statements are settled, and returns them."""
    await buyer.shop.system.until(
        "(select count(*) from manifestations where state in ('registered', 'refused')"
        f" and company_id = '{UUID(buyer.shop.id)}') = {count}"
    )
    return await manifestations(buyer)


async def lots_about(buyer: Buyer, documents: list[dict[str, Any]]) -> list[int]:
    """Returns how many documents each message with events was about, oldest first."""
    sizes = {}
    for document in documents:
        for entry in await buyer.shop.system.journal(document["accessKey"]):
            if entry["service"] == "NFeRecepcaoEvento4":
                sizes[entry["id"]] = len(entry["keys"])
    return [size for _, size in sorted(sizes.items())]


async def hours_pass(buyer: Buyer) -> None:
    """Lets the pause after a refusal pass."""
    await buyer.shop.system.fetch(
        "update manifestations set created_at = created_at - interval '7 hours' where company_id = $1",
        UUID(buyer.shop.id),
    )


class TestLots:
    async def test_each_acknowledgement_of_a_lot_has_its_own_outcome(self, buyer: Buyer) -> None:
        acknowledged, concluded, canceled, *others = await summaries(buyer, 5)
        await state_elsewhere(buyer, acknowledged, "science")
        await state_elsewhere(buyer, concluded, "confirmed")
        sold = canceled["sold"]["id"]
        data_of(await buyer.supplier.caller.http.delete(buyer.supplier.path(f"/nfe/{sold}")))
        await set_acknowledging(buyer, True)
        outcomes = {str(row["document_id"]): row for row in await all_settled(buyer, 5)}
        codes = [
            outcomes[document["id"]]["authority_code"] for document in (acknowledged, concluded, canceled)
        ]
        assert codes == ["573", "655", "650"]
        assert {outcomes[document["id"]]["authority_code"] for document in others} == {"135"}
        await buyer.quiet()
        statuses = {row["id"]: row["status"] for row in await buyer.inbox()}
        assert [statuses[document["id"]] for document in (acknowledged, *others)] == ["science"] * 3
        assert [statuses[document["id"]] for document in (concluded, canceled)] == ["pending"] * 2
        # Refusals that are final are not repeated.
        await hours_pass(buyer)
        await buyer.an_hour_passes()
        assert len(await manifestations(buyer)) == 5

    async def test_summaries_beyond_the_limit_of_a_lot_are_in_the_next_one(self, buyer: Buyer) -> None:
        documents = await summaries(buyer, MAX_EVENTS + 2)
        await set_acknowledging(buyer, True)
        await all_settled(buyer, len(documents))
        await buyer.quiet()
        assert {row["status"] for row in await buyer.inbox(limit=100)} == {"science"}
        assert await lots_about(buyer, documents) == [MAX_EVENTS, 2]

    async def test_operation_that_was_concluded_elsewhere_gives_its_xml(self, buyer: Buyer) -> None:
        (concluded,) = await summaries(buyer, 1)
        await state_elsewhere(buyer, concluded, "confirmed")
        await set_acknowledging(buyer, True)
        await all_settled(buyer, 1)
        await buyer.quiet()
        assert (await buyer.only())["hasFullXml"]

    async def test_refused_lot_ends_none_of_its_acknowledgements(self, buyer: Buyer) -> None:
        system = buyer.shop.system
        await summaries(buyer, 3)
        try:
            await system.switch(revocationList=False)
            await set_acknowledging(buyer, True)
            alone = "next_action_at > now() and lease_until is null and state <> 'refused'"
            await system.until(
                f"(select count(*) from manifestations where {alone}"
                f" and company_id = '{UUID(buyer.shop.id)}') = 3"
            )
        finally:
            await system.switch(revocationList=None)
        await system.fetch(
            "update manifestations set next_action_at = now() where company_id = $1", UUID(buyer.shop.id)
        )
        assert {row["state"] for row in await all_settled(buyer, 3)} == {"registered"}


class TestRefusals:
    async def test_acknowledgement_is_repeated_hours_after_a_refusal(self, buyer: Buyer) -> None:
        system = buyer.shop.system
        (document,) = await summaries(buyer, 1)
        try:
            await system.switch(revocationList=False)
            await set_acknowledging(buyer, True)
            (refused,) = await all_settled(buyer, 1)
        finally:
            await system.switch(revocationList=None)
        assert refused["state"] == "refused"
        file = data_of(await buyer.shop.get(f"/received-nfes/{document['id']}/xml"))
        assert file["availability"] == "summaryOnly"
        assert refused["authority_code"] in file["reason"]
        assert "tenta de novo" in file["reason"]
        await set_acknowledging(buyer, True)
        await buyer.quiet()
        assert len(await manifestations(buyer)) == 1
        await hours_pass(buyer)
        await set_acknowledging(buyer, True)
        assert [row["state"] for row in await all_settled(buyer, 2)] == ["refused", "registered"]
