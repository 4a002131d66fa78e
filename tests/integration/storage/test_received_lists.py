"""Lists of received documents: pages and totals equal what a reading of all documents finds."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import product
from typing import Any

import pytest

from carimbo.fiscal.receiving import Role, Situation
from carimbo.storage.received import NewReceived
from carimbo.storage.received_search import ReceivedFilter
from integration.storage.document_rows import Shop
from integration.storage.received_rows import ALL_RECEIVED, new_received

FIRST = datetime(2026, 10, 30, 23, 59, 59, 999_999, tzinfo=UTC)
STEPS = (timedelta(0), timedelta(microseconds=1), timedelta(hours=3), timedelta(hours=21), timedelta(days=2))
MANY = 320
"""More issuers than are read one by one."""


def inbox_of(shop: Shop) -> list[NewReceived]:
    """Returns documents at the borders of days, in all states, half of them from one supplier."""
    moment, inbox = FIRST, list[NewReceived]()
    choices = product(("pending", "confirmed"), (Situation.AUTHORIZED, Situation.CANCELED), Role)
    for position, (status, situation, role) in enumerate(choices):
        moment += STEPS[position % len(STEPS)]
        supplier = {"issuer_tax_id": f"{position % 2:014}", "issuer_name": f"Casa {'ABC'[position % 3]} Ltda"}
        inbox.append(
            new_received(
                shop.company_id, access_key=f"{position:044}", number=position, issued_at=moment,
                status=status, situation=situation, role=role, **supplier,
            )
        )  # fmt: skip
    return inbox


async def store(shop: Shop, documents: list[NewReceived]) -> None:
    async with shop.database.tenant(shop.subscription_id) as tenant:
        for document in documents:
            await tenant.received.add(document)


async def listed(shop: Shop, wanted: ReceivedFilter, offset: int, size: int) -> tuple[list[str], int]:
    async with shop.database.tenant(shop.subscription_id) as tenant:
        rows, total = await tenant.received.page(shop.company_id, wanted, offset, size)
    return [row.access_key for row in rows], total


def matches(wanted: ReceivedFilter, document: NewReceived) -> bool:
    """Returns whether a document matches, by words of its issuer or by a number."""
    exact = (
        (wanted.status, document.status),
        (wanted.situation, document.situation),
        (wanted.role, document.role),
    )
    words = document.issuer_name.lower().split()
    numbers = (document.access_key, str(document.number), document.issuer_tax_id)
    return (
        all(value in (None, stored) for value, stored in exact)
        and (wanted.issued_from is None or document.issued_at >= wanted.issued_from)
        and (wanted.issued_before is None or document.issued_at < wanted.issued_before)
        and (
            wanted.search is None
            or wanted.search in numbers
            or any(word.startswith(wanted.search) for word in words)
        )
    )


def filters(inbox: list[NewReceived]) -> Iterator[ReceivedFilter]:
    """Returns filters by each field and by several, and by all periods between some documents."""
    values: dict[str, tuple[Any, ...]] = {
        "status": ("pending",),
        "situation": (Situation.CANCELED,),
        "role": (Role.RECIPIENT,),
        "search": ("ltda", "b", "5", f"{1:014}", inbox[4].access_key, "padaria"),
    }
    for name, chosen in values.items():
        for value in chosen:
            yield replace(ALL_RECEIVED, **{name: value})
            yield replace(
                ALL_RECEIVED, **{name: value, "issued_from": inbox[3].issued_at, "role": Role.RECIPIENT}
            )
    moments = (None, *(document.issued_at for document in inbox[:9]))
    for since, before in product(moments, moments):
        yield replace(ALL_RECEIVED, issued_from=since, issued_before=before)


class TestPages:
    async def test_page_and_total_are_those_of_the_matching_documents(self, shop: Shop) -> None:
        inbox = inbox_of(shop)
        await store(shop, inbox)
        newest_first = sorted(inbox, key=lambda document: (document.issued_at, document.id), reverse=True)
        for wanted in filters(inbox):
            keys = [document.access_key for document in newest_first if matches(wanted, document)]
            assert await listed(shop, wanted, 0, 100) == (keys, len(keys)), wanted
            assert await listed(shop, wanted, 2, 3) == (keys[2:5], len(keys)), wanted

    async def test_search_that_many_issuers_match_returns_the_newest(self, shop: Shop) -> None:
        inbox = [
            new_received(
                shop.company_id, access_key=f"{position:044}", issuer_tax_id=f"{position:014}", number=1,
                issuer_name=f"Casa {position} Ltda", issued_at=FIRST + timedelta(minutes=position),
            )
            for position in range(MANY)
        ]  # fmt: skip
        await store(shop, inbox)
        newest = [f"{position:044}" for position in reversed(range(MANY - 5, MANY))]
        assert await listed(shop, replace(ALL_RECEIVED, search="ltda"), 0, 5) == (newest, MANY)
        period = replace(ALL_RECEIVED, search="ltda", issued_from=inbox[-5].issued_at)
        assert await listed(shop, period, 2, 5) == (newest[2:], 5)
        assert await listed(shop, replace(ALL_RECEIVED, search="1"), 0, 1) == (newest[:1], MANY)

    @pytest.mark.parametrize(
        "changes",
        [
            {"status": "confirmed", "situation": Situation.CANCELED, "role": Role.CARRIER},
            {"issued_at": FIRST + timedelta(days=40)},
            {"issued_at": FIRST - timedelta(hours=1)},
            {"issuer_name": "Padaria do Porto"},
            {"amount": None},
        ],
    )
    async def test_changed_document_is_counted_where_it_is_now(
        self, shop: Shop, changes: dict[str, Any]
    ) -> None:
        (first, *others) = inbox_of(shop)
        await store(shop, [first, *others])
        changed = replace(first, **changes)
        async with shop.database.tenant(shop.subscription_id) as tenant:
            await tenant.received.change(changed)
        for wanted in filters([changed, *others]):
            total = sum(matches(wanted, document) for document in (changed, *others))
            assert (await listed(shop, wanted, 0, 1))[1] == total, wanted
