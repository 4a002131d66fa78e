"""How long a search for an official code takes, in process and over HTTP.

`python benchmarks/lookups.py` searches every table of `/v1/utils/` for beginnings of codes, words, parts of
words and several words at once, all taken from their own rows at random, and prints p50 and p99. The first
search of a table, which reads it and makes its index, is told beside them, and how many rows the table has.
HTTP is that of a whole installation, over one connection; its CPU is that of the API.
"""

import argparse
import asyncio
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from random import Random
from typing import Any
from urllib.parse import urlencode

from carimbo.service.catalog.code_lookups import LOOKUPS
from carimbo.service.catalog.code_search import Lookup, TableEntry
from carimbo.service.listing import PageRequest
from installation import Installation, running_installation, running_server
from load import middle_and_slowest, request_text, require_status, send
from report import tell, tell_origin

MAX_MILLISECONDS = 10.0
_WHOLE = PageRequest(1, 100_000)
_OK = 200

Kind = Callable[[Random, TableEntry], str]


def _beginning(random: Random, record: TableEntry) -> str:
    return record.code[: random.randint(2, len(record.code))]


def _words(random: Random, record: TableEntry) -> str:
    words = record.description.split()
    return " ".join(random.sample(words, min(random.randint(1, 3), len(words))))


def _part(random: Random, record: TableEntry) -> str:
    word = random.choice(record.description.split())
    start = random.randrange(len(word))
    return word[start : start + random.randint(2, 5)]


def _opening(random: Random, record: TableEntry) -> str:
    return " ".join(record.description.split()[: random.randint(2, 5)])


KINDS: Sequence[Kind] = (_beginning, _words, _part, _opening)


def searches(lookup: Lookup[Any, Any]) -> Iterator[str]:
    """Searches that find something, without end and each time the same."""
    random, records = Random(lookup.path), lookup.search("", _WHOLE).items
    while True:
        for kind in KINDS:
            yield kind(random, random.choice(records))[:100]


def measure_in_process(lookup: Lookup[Any, Any], many: int) -> float:
    """Print what the searches of a table take by themselves, and return their CPU seconds."""
    start = time.perf_counter()
    lookup.search("", PageRequest())
    first = 1_000 * (time.perf_counter() - start)
    latencies, wanted = [], list(islice(searches(lookup), many))
    cpu = time.process_time()
    for search in wanted:
        start = time.perf_counter()
        lookup.search(search, PageRequest())
        latencies.append(time.perf_counter() - start)
    cpu = time.process_time() - cpu
    rows = lookup.search("", PageRequest()).total
    tell(f"{_row(lookup, 'in process', latencies)}  first {first:.0f} ms, rows {rows}")
    return cpu


async def measure_over_http(installation: Installation, lookup: Lookup[Any, Any], many: int) -> float:
    """Print what they take for a caller of the API, and return the CPU seconds of the API."""
    requests = [
        request_text("GET", f"/v1/utils/{lookup.path}?{urlencode({'search': search})}", installation.headers)
        for search in islice(searches(lookup), many)
    ]
    await send(installation.port, requests[:1], 1)
    api = installation.program("api")
    cpu = api.cpu_seconds()
    load = require_status(await send(installation.port, requests, 1), _OK)
    cpu = api.cpu_seconds() - cpu
    tell(_row(lookup, "HTTP", [reply.seconds for reply in load.replies]))
    return cpu


def tell_cpu(name: str, seconds: float, searches: int) -> None:
    """Print the CPU of a search of any table."""
    tell(f"  {'all tables':15} {name:10}  CPU for a search {1_000 * seconds / searches:6.2f} ms")


def _row(lookup: Lookup[Any, Any], name: str, latencies: Sequence[float]) -> str:
    middle, slowest = (1_000 * moment for moment in middle_and_slowest(latencies))
    bar = f", bar {MAX_MILLISECONDS:.0f}"
    return f"  {lookup.path:15} {name:10}  p50 {middle:6.2f} ms  p99 {slowest:6.2f} ms{bar}"


def main(arguments: Sequence[str]) -> None:
    """Read the options and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--searches", type=int, default=2_000, help="how many in each table")
    many: int = parser.parse_args(arguments).searches
    tell_origin()
    tell(f"searches of each table: {many}")
    in_all = many * len(LOOKUPS)
    tell_cpu("in process", sum(measure_in_process(lookup, many) for lookup in LOOKUPS), in_all)
    with running_server() as server, running_installation(server, with_worker=False) as installation:
        seconds = sum(asyncio.run(measure_over_http(installation, lookup, many)) for lookup in LOOKUPS)
    tell_cpu("HTTP", seconds, in_all)


if __name__ == "__main__":
    main(sys.argv[1:])
