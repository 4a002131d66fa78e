"""How fast webhooks are delivered.

`python benchmarks/webhooks.py` starts PostgreSQL, the simulator, the API, a worker and a receiver on this
machine, and lets several webhooks listen. It prints deliveries per second of the worker as a ratio to those
of its HTTP client alone, which posts the same bodies to the same receiver, as many at once and without a
database; the SQL statements of a call; how long after its authorization a document is delivered, one at a
time; and how long that takes while other receivers hang, as a ratio.
"""

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import asyncpg
import uvloop

from carimbo.outbound.guard import WebhookGuard
from carimbo.outbound.target import AllowedHosts
from carimbo.outbound.webhook_client import HttpWebhookClient
from carimbo.service.ports import WebhookCall
from installation import (
    HOST,
    Installation,
    running_installation,
    running_server,
    until_settled,
)
from load import ACCEPTED, creations, middle_and_slowest, new_client, request_text, require_status, send, take
from receiving import HANGING, Arrival, WebhookReceiver, running_receiver
from report import tell, tell_origin
from statements import count_statements, sql_line

MAX_MILLISECONDS = 100.0
_WEBHOOKS = 4
_HANGING_WEBHOOKS = 4
_AT_ONCE = 5
"""Concurrent deliveries of a worker to one webhook, by default."""
_TEMPLATES = 100
"""Events at most that the backlog repeats."""
_COUNTED = 400
"""Calls at most whose statements are counted."""
_WARMING = 10
_LINES = 8
_CLIENT_SECONDS = 15
_MAX_SECONDS = 300
_OK = 200
# Each event has a moment of its own, as if its document had been authorized by itself.
_BACKLOG = """
    insert into events (subscription_id, topic, company_id, document_id, emission, amount, issued_at)
    select subscription_id, topic, company_id, document_id, emission, amount, issued_at
    from (select * from events where topic = 'nfe.authorized' order by ordinal limit $1) as template,
        generate_series(1, $2) as round
    order by round, template.ordinal
"""
_UNDELIVERED = "select exists (select from deliveries where status = 'pending')"
_DUE_BY_TURNS = "update deliveries set next_action_at = clock_timestamp() where status = 'pending'"
_SENT = "select url, request_headers, request_body from delivery_attempts order by started_at desc limit $1"
_MOMENTS = """
    select id::text, extract(epoch from created_at)::float8 as moment from events where id = any ($1::uuid[])
"""


@dataclass(frozen=True, slots=True)
class Rate:
    """So many calls in so many seconds, and the CPU that they took."""

    calls: int
    seconds: float
    cpu_seconds: dict[str, float]

    @property
    def a_second(self) -> float:
        return self.calls / self.seconds

    def costs(self) -> str:
        """CPU of each process for a call."""
        each = (f"{name} {1_000 * used / self.calls:.2f}" for name, used in self.cpu_seconds.items())
        return f"CPU ms a call: {', '.join(each)}"


@dataclass(frozen=True, slots=True)
class Bench:
    """An installation, a receiver, and a look into the database."""

    installation: Installation
    receiver: WebhookReceiver
    database: "asyncpg.Connection[Any]"
    requests: Iterator[bytes]

    async def listen(self, path: str) -> None:
        """Register a webhook."""
        body = {"url": f"{self.receiver.url}{path}", "events": {"invoice": ["nfe.authorized"]}}
        request = request_text("POST", "/v1/webhooks", self.installation.headers, json.dumps(body).encode())
        require_status(await send(self.installation.port, [request], 1), _OK)

    async def silence(self) -> None:
        """Removes all webhooks and their pending deliveries."""
        await self.database.execute("truncate webhooks, deliveries, delivery_attempts")

    async def issue(self, many: int) -> None:
        """Get documents authorized."""
        load = await send(self.installation.port, take(self.requests, many), min(_LINES, many))
        require_status(load, ACCEPTED)

    async def clear(self, deliveries: int) -> Rate:
        """Let the worker deliver what was written while it did not look."""
        before = self._cpu_seconds()
        templates = templates_of(deliveries)
        rounds = -(-deliveries // (templates * _WEBHOOKS))
        async with self.database.transaction():
            await self.database.execute(_BACKLOG, templates, rounds)
            await self.database.execute(_DUE_BY_TURNS)
        calls = templates * _WEBHOOKS * rounds
        seconds = _between(await self.receiver.arrivals(calls, _MAX_SECONDS))
        await self._until_delivered()
        after = self._cpu_seconds()
        return Rate(
            calls, seconds, {name: after[name] - before[name] for name in ("worker", "postgres", "receiver")}
        )

    async def delays(self, documents: int) -> list[float]:
        """Measures how long after its authorization each document is delivered, one after another."""
        arrivals = []
        for _ in range(documents):
            await self.issue(1)
            arrivals += await self.receiver.arrivals(1)
        rows = await self.database.fetch(_MOMENTS, [arrival.event_id for arrival in arrivals])
        authorized = {row["id"]: row["moment"] for row in rows}
        return [arrival.at - authorized[arrival.event_id] for arrival in arrivals]

    async def _until_delivered(self) -> None:
        """Wait until the worker has stored what became of each call."""
        async with asyncio.timeout(_MAX_SECONDS):
            while await self.database.fetchval(_UNDELIVERED):  # noqa: ASYNC110 - a row tells nobody
                await asyncio.sleep(0.02)

    def _cpu_seconds(self) -> dict[str, float]:
        return self.installation.cpu_seconds() | {"receiver": self.receiver.program.cpu_seconds()}


def templates_of(deliveries: int) -> int:
    """How many events the backlog repeats: each of them goes to every webhook."""
    return min(_TEMPLATES, -(-deliveries // _WEBHOOKS))


def post_all(calls: Sequence[WebhookCall], at_once: int) -> float:
    """Make calls with nothing but the worker's HTTP client; tells the CPU that it used."""
    return uvloop.run(_post_all(calls, at_once))


async def _post_all(calls: Sequence[WebhookCall], at_once: int) -> float:
    queue, cpu = iter(calls), time.process_time()
    guard = WebhookGuard(AllowedHosts.parse(HOST))
    async with HttpWebhookClient(guard, _CLIENT_SECONDS, lambda: datetime.now(UTC)) as client:

        async def use() -> None:
            for call in queue:
                answer = await client.post(call)
                if not answer.is_success:
                    raise RuntimeError(f"{answer.status}: {answer.error}")

        await asyncio.gather(*(use() for _ in range(at_once)))
    return time.process_time() - cpu


async def post_the_same(bench: Bench, client: ProcessPoolExecutor, many: int) -> Rate:
    """Post what the worker posted once more, without a database."""
    rows = await bench.database.fetch(_SENT, many)
    calls = [
        WebhookCall(
            row["url"], tuple(json.loads(row["request_headers"]).items()), row["request_body"].encode()
        )
        for row in rows
    ]
    used = await asyncio.get_running_loop().run_in_executor(client, post_all, calls, _WEBHOOKS * _AT_ONCE)
    return Rate(
        len(calls), _between(await bench.receiver.arrivals(len(calls), _MAX_SECONDS)), {"client": used}
    )


def _between(arrivals: Sequence[Arrival]) -> float:
    """From the first to the last."""
    return max(arrival.at for arrival in arrivals) - min(arrival.at for arrival in arrivals)


async def measure(bench: Bench, client: ProcessPoolExecutor, deliveries: int, documents: int) -> None:
    """Measure a backlog, documents one at a time, and the same beside receivers that hang."""
    warming = min(_WARMING, documents)
    await bench.issue(templates_of(deliveries))
    await until_settled(bench.database)
    await measure_backlog(bench, client, deliveries)
    await bench.silence()
    await bench.listen("/")
    await bench.delays(warming)
    alone = await bench.delays(documents)
    for _ in range(_HANGING_WEBHOOKS):
        await bench.listen(HANGING)
    # By then every place of those that hang is taken.
    await bench.delays(warming)
    tell_delays(alone, await bench.delays(documents))


async def measure_backlog(bench: Bench, client: ProcessPoolExecutor, deliveries: int) -> None:
    """Print how fast what is due goes out, beside the bare client."""
    for number in range(_WEBHOOKS):
        await bench.listen(f"/{number}")
    warmed = await bench.clear(min(_COUNTED, deliveries))
    await bench.database.execute("analyze")
    delivered = await bench.clear(deliveries)
    bare = await post_the_same(bench, client, delivered.calls)
    ratio = delivered.a_second / bare.a_second
    sql = await count_statements(bench.installation, lambda: bench.clear(warmed.calls))
    tell(f"deliveries: {delivered.calls}; webhooks: {_WEBHOOKS}, {_AT_ONCE} calls at once each")
    tell(f"  delivered     {delivered.a_second:8.1f} a second  ratio {ratio:.3f}  {delivered.costs()}")
    tell(f"  client alone  {bare.a_second:8.1f} a second               {bare.costs()}")
    tell(sql_line("call", sql, warmed.calls))


def tell_delays(alone: Sequence[float], beside: Sequence[float]) -> None:
    """Print how long it takes from the authorization to the receiver."""
    middles = []
    tell(f"from the authorization to the receiver, one document at a time; documents: {len(alone)}")
    for name, delays in (("alone", alone), (f"beside {_HANGING_WEBHOOKS} that hang", beside)):
        middle, slowest = (1_000 * delay for delay in middle_and_slowest(delays))
        tell(f"  {name:20} p50 {middle:6.1f} ms, bar {MAX_MILLISECONDS:.0f}  p99 {slowest:6.1f} ms")
        middles.append(middle)
    tell(f"  ratio of the middles {middles[1] / middles[0]:.2f}")


async def run(
    installation: Installation,
    receiver: WebhookReceiver,
    client: ProcessPoolExecutor,
    deliveries: int,
    documents: int,
) -> None:
    """Look into the database for as long as it takes."""
    database = await asyncpg.connect(installation.database_url)
    try:
        await measure(
            Bench(installation, receiver, database, creations(installation)), client, deliveries, documents
        )
    finally:
        await database.close()


def main(arguments: Sequence[str]) -> None:
    """Read the options and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--deliveries", type=int, default=4_000, help="how many go out as fast as they can")
    parser.add_argument("--documents", type=int, default=200, help="how many are delivered one at a time")
    options = parser.parse_args(arguments)
    tell_origin()
    with (
        running_server() as server,
        running_installation(server) as installation,
        running_receiver() as receiver,
        new_client() as client,
    ):
        asyncio.run(run(installation, receiver, client, options.deliveries, options.documents))


if __name__ == "__main__":
    main(sys.argv[1:])
