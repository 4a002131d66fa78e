"""Databases and receivers of webhooks of their own for tests that need them."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

import asyncpg
import pytest

from receiver import Receiver, receiving

NewDatabase = Callable[[], AbstractAsyncContextManager[str]]


@pytest.fixture(scope="session")
def new_database(postgres_url: str) -> NewDatabase:
    """Make empty databases: each one's address for the length of a block."""

    @asynccontextmanager
    async def make() -> AsyncIterator[str]:
        name = f"test_{uuid4().hex}"
        server = await asyncpg.connect(postgres_url)
        await server.execute(f"create database {name}")
        try:
            yield urlunsplit(urlsplit(postgres_url)._replace(path=f"/{name}"))
        finally:
            await server.execute(f"drop database {name} with (force)")
            await server.close()

    return make


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    async with receiving() as receiver:
        yield receiver


@pytest.fixture
async def other_receiver() -> AsyncIterator[Receiver]:
    async with receiving() as receiver:
        yield receiver
