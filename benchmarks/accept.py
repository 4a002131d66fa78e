"""How many POSTs are acknowledged, seen against what the database takes at best.

`python benchmarks/accept.py` creates NF-e of one item while no worker runs. An answer means that the request
was authenticated, validated, held against the fiscal rules and stored with its history. Beside it, in turns
and over as many connections, bare transactions of two inserts into plain tables, whose rows are as large as
those of a document and of its history.
"""

import argparse
import asyncio
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from uuid import uuid4

import asyncpg
import uvloop

from installation import Installation, running_installation, running_server
from load import ACCEPTED, creations, middle_and_slowest, new_client, require_status, send_all, take
from report import tell, tell_origin
from statements import count_statements, sql_line

MIN_RATIO = 0.35
_LINES = 16
_ROUNDS = 5
_WARMING = 200
_PLAIN_TABLES = """
    create table plain_documents (id uuid primary key, content text not null);
    create table plain_events (id uuid primary key, content text not null);
"""
_SIZES = """
    select (select avg(pg_column_size(d)) from documents d)::integer,
        (select avg(pg_column_size(e)) from document_events e)::integer
"""


@dataclass(slots=True)
class StorageTimes:
    """How long it took to store something durably, in all rounds so far."""

    seconds: float = 0.0
    latencies: list[float] = field(default_factory=list)
    cpu_seconds: dict[str, float] = field(default_factory=dict)

    @property
    def a_second(self) -> float:
        """How many were stored per second."""
        return len(self.latencies) / self.seconds

    def add(self, latencies: list[float], seconds: float) -> None:
        """Count one more round."""
        self.latencies += latencies
        self.seconds += seconds


def transact_all(url: str, sizes: tuple[int, int], many: int, lines: int) -> tuple[list[float], float]:
    """Make bare transactions over so many connections; tells how long each took, and all of them."""
    return uvloop.run(_transact_all(url, sizes, many, lines))


async def _transact_all(url: str, sizes: tuple[int, int], many: int, lines: int) -> tuple[list[float], float]:
    connections = [await asyncpg.connect(url) for _ in range(lines)]
    document, event = ("x" * size for size in sizes)
    latencies: list[float] = []
    turns = iter(range(many))

    async def use(connection: "asyncpg.Connection[asyncpg.Record]") -> None:
        for _ in turns:
            start = time.perf_counter()
            async with connection.transaction():
                await connection.execute("insert into plain_documents values ($1, $2)", uuid4(), document)
                await connection.execute("insert into plain_events values ($1, $2)", uuid4(), event)
            latencies.append(time.perf_counter() - start)

    start = time.perf_counter()
    await asyncio.gather(*map(use, connections))
    seconds = time.perf_counter() - start
    for connection in connections:
        await connection.close()
    return latencies, seconds


@dataclass(frozen=True, slots=True)
class Bench:
    """An installation without a worker, and a client."""

    installation: Installation
    client: ProcessPoolExecutor
    requests: Iterator[bytes]

    async def post(self, many: int) -> tuple[list[float], float]:
        """Create so many documents."""
        load = await asyncio.get_running_loop().run_in_executor(
            self.client, send_all, self.installation.port, take(self.requests, many), _LINES
        )
        require_status(load, ACCEPTED)
        return [reply.seconds for reply in load.replies], load.seconds

    async def transact(self, sizes: tuple[int, int], many: int) -> tuple[list[float], float]:
        """Make so many bare transactions."""
        return await asyncio.get_running_loop().run_in_executor(
            self.client, transact_all, self.installation.database_url, sizes, many, _LINES
        )

    async def count(
        self, times: StorageTimes, run: Callable[[], Awaitable[tuple[list[float], float]]]
    ) -> None:
        """Run one round, and add how long it took."""
        before = self.installation.cpu_seconds()
        times.add(*await run())
        after = self.installation.cpu_seconds()
        for name in after:
            times.cpu_seconds[name] = times.cpu_seconds.get(name, 0.0) + after[name] - before[name]


async def measure(installation: Installation, client: ProcessPoolExecutor, posts: int) -> None:
    """Race both ways in turns, and print the ratio."""
    bench = Bench(installation, client, creations(installation))
    in_a_round, warming = -(-posts // _ROUNDS), min(_WARMING, posts)
    await bench.post(warming)
    sizes = await _prepare(installation.database_url)
    await bench.transact(sizes, warming)
    accepted, bare = StorageTimes(), StorageTimes()
    for _ in range(_ROUNDS):
        await bench.count(accepted, lambda: bench.post(in_a_round))
        await bench.count(bare, lambda: bench.transact(sizes, in_a_round))
    sql = await count_statements(installation, lambda: bench.post(warming))
    tell(
        f"NF-e, items: 1; POSTs: {len(accepted.latencies)}; connections: {_LINES}; bytes of the rows: {sizes}"
    )
    ratio = accepted.a_second / bare.a_second
    tell(f"{_row('bare', bare)}")
    tell(f"{_row('accepted', accepted)}  ratio {ratio:.3f}, bar {MIN_RATIO:.2f}")
    tell(f"  CPU: accepted {_cpu(accepted, 'api', 'postgres')}; bare {_cpu(bare, 'postgres')}")
    tell(sql_line("POST", sql, warming))


async def _prepare(url: str) -> tuple[int, int]:
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(_PLAIN_TABLES)
        document, event = await connection.fetchrow(_SIZES) or (0, 0)
        return document, event
    finally:
        await connection.close()


def _row(name: str, times: StorageTimes) -> str:
    middle, slowest = (1_000 * moment for moment in middle_and_slowest(times.latencies))
    return f"  {name:10} {times.a_second:8.1f} a second  p50 {middle:6.1f} ms  p99 {slowest:6.1f} ms"


def _cpu(times: StorageTimes, *programs: str) -> str:
    used = {name: 1_000 * times.cpu_seconds[name] / len(times.latencies) for name in programs}
    return ", ".join(f"{name} {milliseconds:.2f} ms" for name, milliseconds in used.items())


def main(arguments: Sequence[str]) -> None:
    """Read the options and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--posts", type=int, default=2_500, help="how many of each")
    posts: int = parser.parse_args(arguments).posts
    tell_origin()
    with (
        running_server() as server,
        running_installation(server, with_worker=False) as installation,
        new_client() as client,
    ):
        asyncio.run(measure(installation, client, posts))


if __name__ == "__main__":
    main(sys.argv[1:])
