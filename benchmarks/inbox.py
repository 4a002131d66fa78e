"""The cost of a full inbox: the same calls with few and with many received documents.

`python benchmarks/inbox.py` runs two installations beside each other, one whose company received 1,000
documents in a year and one with 100,000 (`--documents` makes it another number), and calls both in turns:
lists, searches, and the cursor of changes. It prints the medians and their ratio.
"""

import argparse
import asyncio
import random
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

import asyncpg

from growth import race
from installation import Installation, running_installation, running_server
from load import Line, Refused, request_text
from report import tell, tell_origin

MAX_RATIO = 1.5
_OK = 200
# Each supplier sent so many, in both inboxes: a search that finds more takes longer in any of them.
_OF_EACH_SUPPLIER = 25
_FILL = """
    insert into received_documents (subscription_id, id, company_id, service, type, environment, access_key,
        series, number, role, issuer_tax_id, issuer_name, amount, issued_at, authorized_at, situation, status,
        has_full_xml, nsu, source)
    select c.subscription_id, gen_random_uuid(), c.id, 'nfe', 'nfe', c.environment,
        '35261' || lpad(position::text, 39, '0'), 1, position, 'recipient',
        lpad((position % $2)::text, 14, '9'), 'Fornecedora ' || md5((position % $2)::text) || ' Ltda',
        position % 1000, moment, moment, 'authorized',
        case when position % 40 = 0 then 'pending' else 'confirmed' end, true, position, 'distribution'
    from companies c, generate_series(1, $1) as position,
        lateral (select now() - interval '365 days' * ($1 - position) / $1 as moment) as issued
"""
_COUNT = """
    insert into received_counts
    select subscription_id, company_id, service, environment, status, count(*) from received_documents
    group by subscription_id, company_id, service, environment, status
"""
# The trigger would count the documents one by one.
_UNCHECKED = "set local session_replication_role = replica"
_SAMPLE = (
    "select access_key, number::text, split_part(issuer_name, ' ', 2) from received_documents"
    " order by random() limit 500"
)


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two installations, with a connection to its API."""

    installation: Installation
    line: Line
    inbox_path: str
    documents: list[tuple[str, str, str]]
    """Access keys, numbers and a word of the issuer's name of some received documents."""
    newest_version: int
    chance: random.Random

    async def list_newest(self) -> float:
        """The first page."""
        return await self._get("")

    async def list_old(self) -> float:
        """A page further back."""
        return await self._get("?page=20")

    async def list_pending(self) -> float:
        """The first page of one status that is rare."""
        return await self._get("?status=pending")

    async def search_key(self) -> float:
        """A document by its access key."""
        return await self._get(f"?search={self.chance.choice(self.documents)[0]}")

    async def search_number(self) -> float:
        """A document by its number."""
        return await self._get(f"?search={self.chance.choice(self.documents)[1]}")

    async def search_issuer(self) -> float:
        """The documents of one supplier, by the word of its name that no other has."""
        return await self._get(f"?search={self.chance.choice(self.documents)[2]}")

    async def search_nothing(self) -> float:
        """A name that no issuer has."""
        return await self._get("?search=padaria+do+porto")

    async def changes(self) -> float:
        """What changed since shortly before the newest change."""
        return await self._get(f"?after={max(0, self.newest_version - 20)}&limit=20")

    async def _get(self, rest: str) -> float:
        request = request_text("GET", f"{self.inbox_path}{rest}", self.installation.headers)
        reply = await self.line.exchange(request)
        if reply.status != _OK:
            raise Refused(f"{reply.status} instead of {_OK}: {reply.body.decode()}")
        return reply.seconds


CALLS: dict[str, Callable[[Side], Awaitable[float]]] = {
    "list": Side.list_newest,
    "list, page 20": Side.list_old,
    "list, pending": Side.list_pending,
    "search, key": Side.search_key,
    "search, number": Side.search_number,
    "search, issuer": Side.search_issuer,
    "search, nothing": Side.search_nothing,
    "changes": Side.changes,
}


async def prepare(installation: Installation, documents: int) -> None:
    """Stores received documents."""
    start = time.monotonic()
    database: asyncpg.Connection[Any] = await asyncpg.connect(installation.database_url)
    try:
        async with database.transaction():
            await database.execute(_UNCHECKED)
            suppliers = max(1, documents // _OF_EACH_SUPPLIER)
            await database.execute(_FILL, documents, suppliers, timeout=600)
            await database.execute(_COUNT)
        await database.execute("vacuum analyze received_documents")
        await database.execute("vacuum analyze received_counts")
    finally:
        await database.close()
    tell(f"{documents:,} received documents stored in {time.monotonic() - start:.0f} seconds")


@asynccontextmanager
async def side_of(installation: Installation) -> AsyncIterator[Side]:
    """Connects, and reads some documents of all ages."""
    database: asyncpg.Connection[Any] = await asyncpg.connect(installation.database_url)
    line = await Line.open(installation.port)
    try:
        documents = [(row[0], row[1], row[2]) for row in await database.fetch(_SAMPLE)]
        newest = await database.fetchval("select max(version) from received_documents")
        path = installation.documents_path.rpartition("/")[0] + "/received-nfes"
        yield Side(installation, line, path, documents, newest, random.Random(0))
    finally:
        line.close()
        await database.close()


async def measure(small: Installation, large: Installation, few: int, many: int, calls: int) -> None:
    """Fills both, and prints a line for each call."""
    await prepare(small, few)
    await prepare(large, many)
    async with side_of(small) as smaller, side_of(large) as larger:
        for name, call in CALLS.items():
            short, long = await race(smaller, larger, call, calls)
            ratio = f"ratio {long / short:.2f}, bar {MAX_RATIO}"
            tell(f"  {name:18} {1_000 * short:8.2f} ms {1_000 * long:8.2f} ms  {ratio}")


def main(arguments: Sequence[str]) -> None:
    """Reads the options and measures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--documents", type=int, default=100_000, help="how many are received")
    parser.add_argument("--few", type=int, default=1_000, help="how many in the smaller inbox")
    parser.add_argument("--calls", type=int, default=300, help="how many of each kind")
    options = parser.parse_args(arguments)
    tell_origin()
    with ExitStack() as running:
        server = running.enter_context(running_server())
        names = ("carimbo_few", "carimbo_many")
        small, large = (running.enter_context(running_installation(server, name)) for name in names)
        asyncio.run(measure(small, large, options.few, options.documents, options.calls))


if __name__ == "__main__":
    main(sys.argv[1:])
