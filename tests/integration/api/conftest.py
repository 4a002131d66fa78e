"""Catalogs of companies: what they sell, and to whom; and who listens to their events."""

import pytest

from carimbo.storage.database import Database
from integration.api.customer_book import Book, new_book
from integration.api.product_shelf import Shelf, new_shelf
from integration.api.webhook_site import Site
from support import OTHER_CNPJ, Caller


@pytest.fixture
async def shelf(caller: Caller) -> Shelf:
    return await new_shelf(caller)


@pytest.fixture
async def other_shelf(shelf: Shelf) -> Shelf:
    """That of another company of the same subscription."""
    return await new_shelf(shelf.caller, OTHER_CNPJ)


@pytest.fixture
async def book(caller: Caller) -> Book:
    return await new_book(caller)


@pytest.fixture
async def other_book(book: Book) -> Book:
    """That of another company of the same subscription."""
    return await new_book(book.caller, tax_id=OTHER_CNPJ)


@pytest.fixture
def site(caller: Caller, database: Database) -> Site:
    return Site(caller, database)
