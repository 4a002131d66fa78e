"""A migrated installation, and commands on it."""

import asyncio
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import asyncpg
import pytest

from acceptance.commands.command_runs import Carimbo, carimbo_here
from carimbo.storage.envelope import new_key


@pytest.fixture(scope="module")
def new_database(postgres_url: str) -> Callable[[], str]:
    """Creates empty databases; only a command under test migrates them."""

    def make() -> str:
        name = f"commands_{uuid4().hex}"

        async def create() -> None:
            connection = await asyncpg.connect(postgres_url)
            await connection.execute(f'create database "{name}"')
            await connection.close()

        with ThreadPoolExecutor(1) as thread:
            thread.submit(asyncio.run, create()).result()
        return postgres_url.replace("/postgres?", f"/{name}?")

    return make


@pytest.fixture(scope="module")
def installation(new_database: Callable[[], str]) -> dict[str, str]:
    """The settings of a migrated installation."""
    settings = {"database_url": new_database(), "secret_keys": new_key("k1")}
    assert carimbo_here("migrate", **settings).code == 0
    return settings


@pytest.fixture(scope="module")
def admin(installation: dict[str, str]) -> Carimbo:
    """Runs `carimbo admin` on that installation."""
    return lambda *arguments: carimbo_here("admin", *arguments, **installation)


@pytest.fixture
def subscription(admin: Carimbo) -> dict[str, str]:
    created = admin("create-subscription", "--name", "Padaria")
    assert created.code == 0, created.err
    return dict(json.loads(created.out))
