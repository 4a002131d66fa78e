"""The numbering ledger of NFC-e, some of which a point of sale may have printed offline."""

from integration.issuing.number_ledger import rewrite, shown
from integration.issuing.point_of_sale import point_of_sale_of
from integration.issuing.shop import REFUSED, Shop
from support import data_of


async def test_gap_is_not_voidable_while_a_printed_receipt_may_still_come(shop: Shop) -> None:
    point_of_sale = await point_of_sale_of(shop)
    await shop.issue("nfce")
    answer = await shop.post("/nfce", point_of_sale.paper(5))
    await shop.settled(answer.json()["data"])
    assert await shown(shop, "nfce") == [(2, 4, "neverSent", None, False)]
    await rewrite(shop, 5, "issued_at = now() - interval '30 days'")
    assert await shown(shop, "nfce") == [(2, 4, "neverSent", None, True)]


async def test_number_of_a_printed_receipt_is_never_voided(shop: Shop) -> None:
    point_of_sale = await point_of_sale_of(shop)
    answer = await shop.post("/nfce", point_of_sale.paper(1, notes=REFUSED))
    refused = await shop.settled(answer.json()["data"])
    assert await shown(shop, "nfce") == [(1, 1, "abandonedRejection", refused["id"], False)]
    nothing = await shop.post("/numbering/inutilize-gaps", {})
    assert (nothing.status_code, nothing.json()["data"]) == (200, [])


async def test_type_that_can_not_be_issued_yet_has_a_next_number_and_no_gaps(shop: Shop) -> None:
    changed = await shop.caller.http.put(shop.path("/settings"), json={"cte": {"number": 50}})
    assert changed.status_code == 200, changed.text
    (numbering,) = data_of(await shop.get("/numbering?type=cte"))
    assert (numbering["nextNumber"], numbering["gaps"]) == (50, [])
    assert data_of(await shop.post("/numbering/inutilize-gaps", {})) == []
