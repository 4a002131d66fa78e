"""Separate databases, webhook receivers and busy ports for the tests that need them."""

import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

import asyncpg
import pytest

from carimbo.storage.migrate import migrate
from receiver import Receiver, receiving
from support import LOOPBACK

NewDatabase = Callable[..., AbstractAsyncContextManager[str]]


@pytest.fixture(scope="session")
def new_database(postgres_url: str) -> NewDatabase:
    """Creates databases for the length of a block and yields their URLs; empty without a template."""

    @asynccontextmanager
    async def make(template: str = "template1") -> AsyncIterator[str]:
        name = f"test_{uuid4().hex}"
        server = await asyncpg.connect(postgres_url)
        await server.execute(f"create database {name} template {template}")
        try:
            yield urlunsplit(urlsplit(postgres_url)._replace(path=f"/{name}"))
        finally:
            await server.execute(f"drop database {name} with (force)")
            await server.close()

    return make


@pytest.fixture(scope="session")
async def new_migrated_database(new_database: NewDatabase) -> AsyncIterator[NewDatabase]:
    """Creates databases with all tables, as copies of one: running the migrations takes much longer."""
    async with new_database() as url:
        await migrate(url, lock_timeout_seconds=60)
        yield partial(new_database, template=urlsplit(url).path.removeprefix("/"))


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    async with receiving() as receiver:
        yield receiver


@pytest.fixture
async def other_receiver() -> AsyncIterator[Receiver]:
    async with receiving() as receiver:
        yield receiver


@pytest.fixture
def full_port() -> Iterator[int]:
    """The port of a server whose backlog is full."""
    with socket.create_server((LOOPBACK, 0), backlog=0) as listener:
        waiting = [socket.socket() for _ in range(4)]
        for client in waiting:
            client.setblocking(False)
            client.connect_ex(listener.getsockname())
        yield listener.getsockname()[1]
        for client in waiting:
            client.close()
