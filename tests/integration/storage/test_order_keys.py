"""Keys of orders that an earlier release stored."""

from typing import Any
from uuid import UUID

from carimbo.service.orders import OrderIdentity, find_order
from carimbo.storage.migrate import all_migrations
from integration.storage.document_rows import Shop
from integration.storage.test_sales import seller_of

_FORGET = "delete from order_keys where subscription_id = $1"
_AS_BEFORE = (
    "update documents set idempotency_key = external_id"
    " where subscription_id = $1 and idempotency_key is null"
)
_KEYS = "select key, is_header, document_id, sale_id from order_keys where subscription_id = $1 order by key"


async def keys_after_migration(shop: Shop) -> dict[str, tuple[bool, UUID | None, UUID | None]]:
    """Restores the rows of the previous release and runs the migration on them."""
    (migration,) = (migration for migration in all_migrations() if migration.name == "earlier_order_keys")
    async with shop.database.transaction() as connection:
        await connection.execute(_FORGET, shop.subscription_id)
        await connection.execute(_AS_BEFORE, shop.subscription_id)
        await connection.execute(migration.sql)
        rows: list[Any] = await connection.fetch(_KEYS, shop.subscription_id)
    return {key: (is_header, document_id, sale_id) for key, is_header, document_id, sale_id in rows}


async def test_keys_of_earlier_documents_and_sales_are_claimed(shop: Shop) -> None:
    seller = await seller_of(shop)
    by_external_id = await shop.added(external_id="a")
    by_both = await shop.added(idempotency_key="k", external_id="b")
    await shop.added(external_id="of a sale", is_direct=False)
    sale = await seller.added(external_id="c", idempotency_key="s")
    assert await keys_after_migration(shop) == {
        "a": (False, by_external_id.id, None),
        "b": (False, by_both.id, None),
        "k": (True, by_both.id, None),
        "c": (False, None, sale.id),
        "s": (True, None, sale.id),
    }


async def test_earlier_document_keeps_the_key_that_a_sale_has_too(shop: Shop) -> None:
    seller = await seller_of(shop)
    sale = await seller.added(external_id="b")
    document = await shop.added(external_id="a")
    async with shop.database.connection() as connection:
        # The previous release allowed both.
        await connection.execute("update sales set external_id = 'a' where id = $1", sale.id)
    assert await keys_after_migration(shop) == {"a": (False, document.id, None)}


async def test_earlier_document_is_found_by_a_header_that_an_earlier_sale_has_as_external_id(
    shop: Shop,
) -> None:
    seller = await seller_of(shop)
    document = await shop.added(idempotency_key="h")
    sale = await seller.added(external_id="b")
    async with shop.database.connection() as connection:
        await connection.execute("update sales set external_id = 'h' where id = $1", sale.id)
    assert (await keys_after_migration(shop))["h"] == (False, None, sale.id)
    async with shop.database.autocommit(shop.subscription_id) as tenant:
        order = await find_order(tenant, shop.company_id, "invoices", OrderIdentity("h", None))
    assert order is not None
    assert order.document_id == document.id
