"""Documents from the POST to the authorization, with everything on this machine.

`python benchmarks/pipeline.py` starts PostgreSQL, the simulator, the API and a worker, creates NF-e of one
item through HTTP and waits until the simulator has authorized all of them. It prints documents per second as
a ratio to RSA signatures per second of one core in the same run, how long a document takes in a burst, at
half the speed and alone, how much CPU and memory each process needs for it, and how many SQL statements.
"""

import argparse
import asyncio
import os
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any

import asyncpg

from carimbo.fiscal.parties.company import TaxRegime
from core import sign_only
from installation import Installation, running_installation, running_server, until_settled
from invoices import prepared_requests, sales_of
from load import ACCEPTED, Load, creations, middle_and_slowest, new_client, require_status, send_all, take
from report import tell, tell_origin
from statements import count_statements, sql_line

MIN_RATIO = 0.5
MAX_MILLISECONDS = 9
"""CPU of a document without RSA and without what is not ours: the simulator and the client."""
MAX_MEGABYTES = {"api": 150, "worker": 200}
_WARMING = 100
_LINES = 8
_LINES_OF_PACED_LOAD = 32
_ALONE = 40
_ALONE_A_SECOND = 4.0
_SIGNATURES = 300
_COUNTED = 200
"""Documents at most whose statements are counted."""


@dataclass(frozen=True, slots=True)
class Run:
    """What became of a load: seconds in all, and of every document from its POST on."""

    load: Load
    seconds: float
    latencies: list[float]
    cpu_seconds: dict[str, float]

    @property
    def a_second(self) -> float:
        """Documents authorized per second."""
        return len(self.latencies) / self.seconds


@dataclass(frozen=True, slots=True)
class Bench:
    """An installation, a client, and a look into the database."""

    installation: Installation
    client: ProcessPoolExecutor
    database: "asyncpg.Connection[Any]"
    requests: Iterator[bytes]

    async def run(self, documents: int, lines: int, a_second: float | None = None) -> Run:
        """Create documents and wait until all of them are authorized."""
        requests = take(self.requests, documents)
        before = self.installation.cpu_seconds()
        load = await asyncio.get_running_loop().run_in_executor(
            self.client, send_all, self.installation.port, requests, lines, a_second
        )
        authorized = await self._authorizations(require_status(load, ACCEPTED))
        after = self.installation.cpu_seconds()
        sent = {reply.data["id"]: reply.sent_at for reply in load.replies}
        return Run(
            load=load,
            seconds=max(authorized.values()) - min(sent.values()),
            latencies=[authorized[document] - moment for document, moment in sent.items()],
            cpu_seconds={name: after[name] - before[name] for name in after} | {"client": load.cpu_seconds},
        )

    async def _authorizations(self, load: Load) -> dict[str, float]:
        """When each document was authorized; all of them must be."""
        await until_settled(self.database)
        rows = await self.database.fetch(
            "select document_id::text, extract(epoch from created_at)::float8 as moment from document_events"
            " where type = 'authorized' and document_id = any ($1::uuid[])",
            [reply.data["id"] for reply in load.replies],
        )
        if len(rows) < len(load.replies):
            raise RuntimeError(f"{len(load.replies) - len(rows)} documents were not authorized")
        return {row["document_id"]: row["moment"] for row in rows}


def signatures_a_second(signatures: int) -> float:
    """RSA signatures per second of one core, which no program on it can beat."""
    sale = next(sales_of(prepared_requests(1), TaxRegime.SIMPLES))
    start = time.process_time()
    for _ in range(signatures):
        sign_only(sale)
    return signatures / (time.process_time() - start)


async def measure(installation: Installation, client: ProcessPoolExecutor, documents: int) -> None:
    """Measure a burst, half its speed, and documents alone."""
    database = await asyncpg.connect(installation.database_url)
    try:
        bench = Bench(installation, client, database, creations(installation))
        await bench.run(min(_WARMING, documents), _LINES)
        # What PostgreSQL does by itself within its first minute: plans without statistics are bad ones.
        await database.execute("analyze")
        signatures = min(_SIGNATURES, documents)
        first = signatures_a_second(signatures)
        burst = await bench.run(documents, _LINES)
        limit = (first + signatures_a_second(signatures)) / 2
        tell_speed(burst, limit)
        half = await bench.run(-(-documents // 2), _LINES_OF_PACED_LOAD, burst.a_second / 2)
        tell_latencies(f"at {burst.a_second / 2:.0f} a second", half)
        tell_latencies("alone", await bench.run(min(_ALONE, documents), 1, _ALONE_A_SECOND))
        tell_costs(burst, limit, installation)
        counted = min(_COUNTED, documents)
        sql = await count_statements(installation, lambda: bench.run(counted, _LINES))
        tell(sql_line("document", sql, counted))
    finally:
        await database.close()


def tell_speed(burst: Run, limit: float) -> None:
    """Print how many documents a second there were."""
    documents, ratio = len(burst.latencies), burst.a_second / limit
    tell(f"NF-e, items: 1; documents: {documents}; RSA alone: {limit:.1f} a second of one core")
    tell(f"  authorized       {burst.a_second:8.1f} a second  ratio {ratio:.3f}, bar {MIN_RATIO:.2f}")
    tell(f"  accepted         {documents / burst.load.seconds:8.1f} a second")
    tell_latencies("in the burst", burst)


def tell_latencies(when: str, run: Run) -> None:
    """Print how long a document takes from its POST to its authorization."""
    middle, slowest = (1_000 * moment for moment in middle_and_slowest(run.latencies))
    tell(f"  {when:16} p50 {middle:8.1f} ms  p99 {slowest:8.1f} ms")


def tell_costs(burst: Run, limit: float, installation: Installation) -> None:
    """Print CPU and memory of every process."""
    tell("  CPU for a document, and memory")
    documents, used = len(burst.latencies), burst.cpu_seconds
    for name, seconds in {**used, "all": sum(used.values())}.items():
        milliseconds, signatures = 1_000 * seconds / documents, limit * seconds / documents
        memory = _memory(installation, name)
        tell(f"    {name:12} {milliseconds:8.2f} ms, {signatures:5.2f} signatures{memory}")
    ours = 1_000 * (used["api"] + used["worker"] + used["postgres"]) / documents - 1_000 / limit
    signatures = limit * ours / 1_000
    tell(
        f"  API, worker without its signature, and PostgreSQL: {ours:.2f} ms, bar {MAX_MILLISECONDS},"
        f" {signatures:.2f} signatures"
    )
    cores = os.cpu_count() or 1
    possible = cores * documents / sum(used.values())
    tell(f"  {cores} cores with nothing else to do: {possible:.1f} a second, ratio {possible / limit:.3f}")


def _memory(installation: Installation, name: str) -> str:
    if name not in MAX_MEGABYTES:
        return ""
    return f"  {installation.program(name).megabytes():6.1f} MiB, bar {MAX_MEGABYTES[name]}"


def main(arguments: Sequence[str]) -> None:
    """Read the options and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--documents", type=int, default=1_000, help="how many in the burst")
    documents: int = parser.parse_args(arguments).documents
    tell_origin()
    with running_server() as server, running_installation(server) as installation, new_client() as client:
        asyncio.run(measure(installation, client, documents))


if __name__ == "__main__":
    main(sys.argv[1:])
