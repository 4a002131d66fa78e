"""Shared helpers: a caller of the API, and readers of its answers."""

import asyncio
import os
import random
import socket
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Any
from uuid import UUID

import httpx2

# Below the ports that the system gives to connections of its own: nobody takes one before it is used, and
# no other process of the same run, which has ports of its own.
_FIRST_PORT = 20_000 + int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
_PORTS_APART = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
_OWN_PORTS = range(_FIRST_PORT, 30_000, _PORTS_APART)
_PORTS = iter(random.sample(_OWN_PORTS, len(_OWN_PORTS)))

CNPJ = "11222333000181"
OTHER_CNPJ = "12ABC34501DE35"
BASE_URL = "http://carimbo.test"
LOOPBACK = "127.0.0.1"
TIMEOUT_SECONDS = 120.0
"""How many seconds a test waits for a condition before it fails; a slow machine needs some of them."""
ABSENT = "01939c2e-7d3a-7f00-8a5b-0c1d2e3f4a5b"
"""An id that nothing has."""
ABSENT_ITEM = "01KNWJH000000000000000000Z"
"""An id that no catalog item has; their ids have another form."""
DEPENDS_ON_SALE = "Depende da venda: informe códigos e alíquotas, não valores nem quantidades."
"""The error of an amount in the catalog."""
REFORM = {"ibsCbs": {"state": {"rate": 0.1}, "city": {"rate": 0}, "cbs": {"rate": 0.9}}}
"""What an item of the normal regime tells itself: of some years nobody knows the rates before they begin."""


@dataclass(frozen=True)
class Caller:
    """A subscription's owner with an HTTP client that carries the credentials."""

    http: httpx2.AsyncClient
    subscription_id: UUID
    secret: str

    async def create_company(self, tax_id: str = CNPJ, **fields: Any) -> str:
        body = {"taxId": tax_id, "legalName": "Loja Modelo Ltda", **fields}
        answer = await self.http.post("/v1/companies", json=body)
        assert answer.status_code == 200, answer.text
        return str(answer.json()["data"]["id"])


NewCaller = Callable[..., Awaitable[Caller]]


def code_of(answer: httpx2.Response) -> str:
    """Returns the code of a refusal, whose envelope must be complete."""
    body = answer.json()
    assert body["success"] is False
    assert set(body["error"]) == {"code", "message", "details"}
    return str(body["error"]["code"])


def fields_of(answer: httpx2.Response) -> dict[str, str]:
    """Returns the wrong fields that a refusal names, with their errors."""
    assert (answer.status_code, code_of(answer)) == (422, "VALIDATION_ERROR"), answer.text
    return {line["field"]: line["error"] for line in answer.json()["error"]["details"]["fields"]}


async def wrong_fields(requests: Mapping[str, Awaitable[httpx2.Response]]) -> dict[str, list[str]]:
    """Sends requests that must be refused; returns the wrong fields that each answer names.

    For a request that is not refused, returns its error instead and continues with the others.
    """
    named = {}
    for what, request in requests.items():
        try:
            named[what] = sorted(fields_of(await request))
        except Exception as error:  # the loop goes on, and names this request
            named[what] = [repr(error)[:300]]
    return named


def data_of(answer: httpx2.Response) -> Any:
    """Returns the data of a successful answer."""
    assert answer.status_code == 200, answer.text
    assert answer.json()["success"] is True
    return answer.json()["data"]


@cache
def local_http() -> httpx2.Client:
    """Returns a client for programs on this machine: making another for each question costs 50 ms of CPU."""
    # A connection that is kept may be closed by the program at the moment of the next question.
    return httpx2.Client(
        limits=httpx2.Limits(max_keepalive_connections=0),
        timeout=TIMEOUT_SECONDS,
        trust_env=False,
        verify=False,
    )


def free_port() -> int:
    """Returns a port of this machine that nothing listens on, a new one at every call."""
    for port in _PORTS:
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
    raise AssertionError("no port is free")


ALL_ANSWERED = "not exists (select from probes where answered_at is null)"
BLOCKED_SESSIONS = (
    "(select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock')"
)
"""An SQL expression: the number of sessions that wait for a lock."""


async def wait_until_true(
    fetch: Callable[[str], Awaitable[Any]], condition: str, timeout_seconds: float
) -> None:
    """Waits until an SQL condition holds; fails after the timeout."""
    pause = 0.02
    async with asyncio.timeout(timeout_seconds):
        while not (await fetch(f"select {condition} as holds"))[0]["holds"]:
            await asyncio.sleep(pause)
            pause = min(1.2 * pause, 0.2)


_COME_DUE = """
    update sales set scheduled_emit_at = now() - interval '1 minute',
        next_action_at = now() - interval '1 minute'
    where $1 in (id, company_id)
"""


async def make_due(fetch: Callable[..., Awaitable[Any]], which: str) -> None:
    """Makes a waiting sale due, or all sales of a company."""
    await fetch(_COME_DUE, UUID(which))
