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
from datetime import UTC, date, datetime, timedelta
from typing import Any

import asyncpg

from growth import race
from installation import Installation, running_installation, running_server
from load import Line, Refused, request_text
from report import tell, tell_origin

MAX_RATIO = 1.5
_OK = 200
# Of ten documents one is from the largest supplier. Each of the others sent so many, in both inboxes.
_OF_EACH_SUPPLIER = 25
_FILL = """
    insert into received_documents (subscription_id, id, company_id, service, type, environment, access_key,
        series, number, role, issuer_tax_id, issuer_name, amount, issued_at, authorized_at, situation, status,
        has_full_xml, nsu, source)
    select c.subscription_id, gen_random_uuid(), c.id, 'nfe', 'nfe', c.environment,
        '35261' || lpad(position::text, 39, '0'), 1, position,
        case when position % 50 = 0 then 'carrier' else 'recipient' end,
        lpad(supplier::text, 14, '9'),
        case supplier when 0 then 'Atacado Central' else 'Fornecedora ' || md5(supplier::text) end || ' Ltda',
        position % 1000, moment, moment, case when position % 100 = 0 then 'canceled' else 'authorized' end,
        case when position % 40 = 0 then 'pending' else 'confirmed' end, true, position, 'distribution'
    from companies c, generate_series(1, $1) as position,
        lateral (select now() - interval '365 days' * ($1 - position) / $1 as moment) as issued,
        lateral (select case when position % 10 = 0 then 0 else 1 + position % $2 end as supplier) as sent
"""
_COUNT_DAYS = """
    insert into received_days
    select subscription_id, company_id, service, environment, (issued_at at time zone 'UTC')::date, status,
        situation, role, count(*)
    from received_documents group by 1, 2, 3, 4, 5, 6, 7, 8
"""
_COUNT_ISSUERS = """
    insert into received_issuers
    select subscription_id, company_id, service, environment, issuer_tax_id, issuer_name, count(*)
    from received_documents group by 1, 2, 3, 4, 5, 6
"""
# The trigger would count the documents one by one.
_UNCHECKED = "set local session_replication_role = replica"
_SAMPLE = (
    "select access_key, number::text, split_part(issuer_name, ' ', 2) from received_documents"
    " where issuer_name like 'Fornecedora%' order by random() limit 500"
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

    async def list_month(self) -> float:
        """The first page of a month."""
        return await self._get(f"?startDate={_days_ago(60)}&endDate={_days_ago(30)}")

    async def list_year(self) -> float:
        """A page of almost all, by dates."""
        return await self._get(f"?startDate={_days_ago(360)}&endDate={_days_ago(1)}&page=5")

    async def list_canceled(self) -> float:
        """The first page of a situation that is rare."""
        return await self._get("?situation=canceled")

    async def list_recipient(self) -> float:
        """The first page of the role that the company has in almost all."""
        return await self._get("?role=recipient")

    async def list_month_confirmed(self) -> float:
        """The first page of a month in a status that most have."""
        return await self._get(f"?startDate={_days_ago(60)}&endDate={_days_ago(30)}&status=confirmed")

    async def search_key(self) -> float:
        """A document by its access key."""
        return await self._get(f"?search={self.chance.choice(self.documents)[0]}")

    async def search_number(self) -> float:
        """A document by its number."""
        return await self._get(f"?search={self.chance.choice(self.documents)[1]}")

    async def search_issuer(self) -> float:
        """The documents of one supplier, by the word of its name that no other has."""
        return await self._get(f"?search={self.chance.choice(self.documents)[2]}")

    async def search_largest_issuer(self) -> float:
        """The documents of the supplier that sent a tenth of all."""
        return await self._get("?search=atacado+central")

    async def search_all_issuers(self) -> float:
        """A word that all suppliers have."""
        return await self._get("?search=ltda")

    async def search_and_month(self) -> float:
        """What the largest supplier sent in a month."""
        return await self._get(f"?search=atacado&startDate={_days_ago(60)}&endDate={_days_ago(30)}")

    async def search_and_status(self) -> float:
        """What the largest supplier sent, in one status that is rare."""
        return await self._get("?search=atacado&status=pending")

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


def _days_ago(days: int) -> date:
    return (datetime.now(UTC) - timedelta(days=days)).date()


CALLS: dict[str, Callable[[Side], Awaitable[float]]] = {
    "list": Side.list_newest,
    "list, page 20": Side.list_old,
    "list, pending": Side.list_pending,
    "list, a month": Side.list_month,
    "list, a year, page 5": Side.list_year,
    "list, canceled": Side.list_canceled,
    "list, recipient": Side.list_recipient,
    "list, month, confirmed": Side.list_month_confirmed,
    "search, key": Side.search_key,
    "search, number": Side.search_number,
    "search, issuer": Side.search_issuer,
    "search, largest issuer": Side.search_largest_issuer,
    "search, all issuers": Side.search_all_issuers,
    "search, nothing": Side.search_nothing,
    "changes": Side.changes,
}
COUNTING: dict[str, Callable[[Side], Awaitable[float]]] = {
    "search and month": Side.search_and_month,
    "search and status": Side.search_and_status,
}
"""A search with a filter counts what it finds one by one: it has no bar."""


async def prepare(installation: Installation, documents: int) -> None:
    """Stores received documents."""
    start = time.monotonic()
    database: asyncpg.Connection[Any] = await asyncpg.connect(installation.database_url)
    try:
        async with database.transaction():
            await database.execute(_UNCHECKED)
            suppliers = max(1, documents // _OF_EACH_SUPPLIER)
            await database.execute(_FILL, documents, suppliers, timeout=600)
            await database.execute(_COUNT_DAYS)
            await database.execute(_COUNT_ISSUERS)
        for table in ("received_documents", "received_days", "received_issuers"):
            await database.execute(f"vacuum analyze {table}")
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
        for name, call in (CALLS | COUNTING).items():
            short, long = await race(smaller, larger, call, calls)
            ratio = f"ratio {long / short:.2f}"
            if name in CALLS:
                ratio += f", bar {MAX_RATIO}"
            tell(f"  {name:22} {1_000 * short:8.2f} ms {1_000 * long:8.2f} ms  {ratio}")


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
