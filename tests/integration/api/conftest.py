"""Clients of the customers, products and webhooks of a company."""

import pytest

from carimbo.storage.database import Database
from integration.api.customer_book import CustomerApi, new_customer_api
from integration.api.product_api import ProductApi, new_product_api
from integration.api.webhook_api import WebhookApi
from support import OTHER_CNPJ, Caller


@pytest.fixture
async def products(caller: Caller) -> ProductApi:
    return await new_product_api(caller)


@pytest.fixture
async def other_products(products: ProductApi) -> ProductApi:
    """The same for another company of the subscription."""
    return await new_product_api(products.caller, OTHER_CNPJ)


@pytest.fixture
async def customers(caller: Caller) -> CustomerApi:
    return await new_customer_api(caller)


@pytest.fixture
async def other_customers(customers: CustomerApi) -> CustomerApi:
    """The same for another company of the subscription."""
    return await new_customer_api(customers.caller, tax_id=OTHER_CNPJ)


@pytest.fixture
def webhooks(caller: Caller, database: Database) -> WebhookApi:
    return WebhookApi(caller, database)
