"""The cost of a full database: the same calls with few and with many stored documents.

`python benchmarks/growth.py` runs two installations beside each other, one with 1,000 documents of a year and
one with a million (`--documents` makes it another number), and calls both in turns: list, read, replay, and
issue one document from the POST to the authorization. It prints the medians and their ratio.
"""

import argparse
import asyncio
import json
import random
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from statistics import median
from typing import Any, TypeVar

import asyncpg

from filling import fill
from installation import Installation, running_installation, running_server, until_settled
from load import ACCEPTED, Line, Refused, Reply, creations, request_text, require_status, send, take
from report import tell, tell_origin

MAX_RATIO = 1.2
_TEMPLATES = 100
_KNOWN = 500
_WARMING_PART = 5
_MAX_SECONDS = 60
_OK = 200
_TIMEOUT_SECONDS = 60
_SAMPLE = "select id::text, idempotency_key, request from documents order by random() limit $1"
_AUTHORIZED = """
    select extract(epoch from created_at)::float8 from document_events
    where document_id = $1::uuid and type = 'authorized'
"""


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A stored document, as its caller knows it."""

    id: str
    key: str
    request: bytes


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two installations, with a connection to its API and one to its database."""

    installation: Installation
    line: Line
    database: "asyncpg.Connection[Any]"
    creations: Iterator[bytes]
    documents: list[StoredDocument]
    chance: random.Random

    async def list_newest(self) -> float:
        """The first page."""
        return (await self._get("")).seconds

    async def list_old(self) -> float:
        """A page further back."""
        return (await self._get("?page=20")).seconds

    async def list_rejected(self) -> float:
        """The first page of one status that is rare."""
        return (await self._get("?status=rejected")).seconds

    async def list_day(self) -> float:
        """The documents of one day, half a year ago."""
        day = f"{datetime.now(UTC) - timedelta(days=180):%Y-%m-%d}"
        return (await self._get(f"?startDate={day}&endDate={day}")).seconds

    async def list_externally(self) -> float:
        """By the caller's own id, which no document has."""
        return (await self._get("?externalId=none")).seconds

    async def read(self) -> float:
        """Any document."""
        return (await self._get(f"/{self.chance.choice(self.documents).id}")).seconds

    async def replay(self) -> float:
        """A creation that comes again."""
        document = self.chance.choice(self.documents)
        headers = {**self.installation.headers, "Idempotency-Key": document.key}
        request = request_text("POST", self.installation.documents_path, headers, document.request)
        return (await self._exchange(request, _OK)).seconds

    async def issue(self) -> float:
        """One document, from the POST to the authorization."""
        reply = await self._exchange(next(self.creations), ACCEPTED)
        document = json.loads(reply.body)["data"]["id"]
        async with asyncio.timeout(_TIMEOUT_SECONDS):
            while (moment := await self.database.fetchval(_AUTHORIZED, document)) is None:  # noqa: ASYNC110 - a row tells nobody
                await asyncio.sleep(0.002)
        return float(moment) - reply.sent_at

    async def _get(self, rest: str) -> Reply:
        path = f"{self.installation.documents_path}{rest}"
        return await self._exchange(request_text("GET", path, self.installation.headers), _OK)

    async def _exchange(self, request: bytes, expected: int) -> Reply:
        reply = await self.line.exchange(request)
        if reply.status != expected:
            raise Refused(f"{reply.status} instead of {expected}: {reply.body.decode()}")
        return reply


AnySide = TypeVar("AnySide")
Call = Callable[[Side], Awaitable[float]]
CALLS: dict[str, Call] = {
    "list": Side.list_newest,
    "list, page 20": Side.list_old,
    "list, rejected": Side.list_rejected,
    "list, one day": Side.list_day,
    "list, externalId": Side.list_externally,
    "read": Side.read,
    "replay": Side.replay,
    "issue": Side.issue,
}

# Of more documents, a day has more: its page is fuller and there is more to count.
UNLIKE = (Side.list_day,)


async def prepare(installation: Installation, documents: int) -> None:
    """Issue some documents, and make many like them."""
    start = time.monotonic()
    database = await asyncpg.connect(installation.database_url)
    try:
        templates = take(creations(installation), min(_TEMPLATES, documents))
        issued = await send(installation.port, templates, 1)
        require_status(issued, ACCEPTED)
        await until_settled(database)
        await fill(database, documents)
    finally:
        await database.close()
    tell(f"{documents:,} documents stored in {time.monotonic() - start:.0f} seconds")


@asynccontextmanager
async def side_of(installation: Installation) -> AsyncIterator[Side]:
    """Connects, and reads some documents of all ages."""
    database = await asyncpg.connect(installation.database_url)
    line = await Line.open(installation.port)
    try:
        rows = await database.fetch(_SAMPLE, _KNOWN)
        documents = [
            StoredDocument(row["id"], row["idempotency_key"], row["request"].encode()) for row in rows
        ]
        yield Side(installation, line, database, creations(installation), documents, random.Random(0))
    finally:
        line.close()
        await database.close()


async def race(
    few: AnySide, many: AnySide, call: Callable[[AnySide], Awaitable[float]], calls: int
) -> tuple[float, float]:
    """Medians of a call on both sides, made in turns: a slow moment of the machine is one for both."""
    taken: list[tuple[float, float]] = []
    deadline = time.monotonic() + _MAX_SECONDS
    while len(taken) < calls and time.monotonic() < deadline:
        if len(taken) % 2:
            short, long = await call(few), await call(many)
        else:
            long, short = await call(many), await call(few)
        taken.append((short, long))
    # The first ones fill caches.
    counted = taken[len(taken) // _WARMING_PART :]
    return median(short for short, _ in counted), median(long for _, long in counted)


async def measure(small: Installation, large: Installation, few: int, many: int, calls: int) -> None:
    """Fill both, and print a line for each call."""
    await prepare(small, few)
    await prepare(large, many)
    async with side_of(small) as smaller, side_of(large) as larger:
        for name, call in CALLS.items():
            short, long = await race(smaller, larger, call, calls)
            bar = "" if call in UNLIKE else f", bar {MAX_RATIO}"
            ratio = f"ratio {long / short:.2f}{bar}"
            tell(f"  {name:18} {1_000 * short:8.2f} ms {1_000 * long:8.2f} ms  {ratio}")


def main(arguments: Sequence[str]) -> None:
    """Read the options and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--documents", type=int, default=1_000_000, help="how many are stored")
    parser.add_argument("--few", type=int, default=1_000, help="how many in the smaller database")
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
