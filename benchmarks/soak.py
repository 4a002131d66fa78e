"""Every fault at once, over many documents: each must end authorized, exactly once, and no number be missing.

`python benchmarks/soak.py --documents 500` runs an installation of real processes on this machine:
PostgreSQL, an API, two workers, and a simulator that loses, delays and refuses answers in waves. Whenever
some more documents are authorized, one of the parts is killed, frozen, restarted or cut off, chosen at random
(`--seed`). At the end the simulator's journal is compared with the database; the exit code is the verdict.
"""

import argparse
import asyncio
import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractContextManager, ExitStack, closing
from dataclasses import dataclass
from pathlib import Path

from report import tell, tell_origin

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from acceptance.fault_company import Company
from acceptance.fault_judge import contradictions
from acceptance.fault_programs import Program
from acceptance.fault_site import CALM, STORM, Site, local, open_site
from support import free_port

_CUT = """
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()
"""
_WAVE_SECONDS = 5
_FROZEN_SECONDS = 3
_REPORTED_EVERY_SECONDS = 10
_STALLED_SECONDS = 180
_SHOWN = 20


class RestartedProgram:
    """A program that is started anew whenever it has ended."""

    def __init__(self, start: Callable[[], AbstractContextManager[Program]]) -> None:
        self._start = start
        self._stack = ExitStack()
        self._program = self._stack.enter_context(start())

    def revive(self) -> None:
        """Start it anew if it has ended: one that finds no database when it starts leaves."""
        if not self._program.is_alive:
            self.close()
            self._program = self._stack.enter_context(self._start())

    async def kill(self) -> None:
        """Kill it, and start another one."""
        if self._program.is_alive:
            await self._program.kill()
        self.revive()

    async def freeze(self) -> None:
        """Let it stand still in the middle of whatever it does, for longer than its leases last."""
        self.revive()
        self._program.send(signal.SIGSTOP)
        await asyncio.sleep(_FROZEN_SECONDS)
        self._program.send(signal.SIGCONT)

    def close(self) -> None:
        """End it for good."""
        self._stack.close()


@dataclass(frozen=True, slots=True)
class Faults:
    """What may be done to an installation."""

    site: Site
    api: RestartedProgram
    workers: tuple[RestartedProgram, ...]
    rng: random.Random
    between: tuple[int, int]
    """How many documents at least and at most are authorized between two faults."""

    async def strike(self) -> str:
        """Do one of them; tells which."""
        worker = self.rng.choice(self.workers)
        faults: Mapping[str, Callable[[], Awaitable[None]]] = {
            "API killed": self.api.kill,
            "worker killed": worker.kill,
            "worker frozen": worker.freeze,
            "connections cut": self._cut_connections,
            "PostgreSQL restarted": self._restart_postgres,
        }
        name = self.rng.choice(list(faults))
        await faults[name]()
        return name

    async def _cut_connections(self) -> None:
        await self.site.fetch(_CUT)

    async def _restart_postgres(self) -> None:
        await self.site.stop_postgres()
        await self.site.start_postgres()


async def soak(
    site: Site, company: Company, documents: int, rng: random.Random, between: tuple[int, int]
) -> list[str]:
    """Order documents while everything fails; tells what the judge finds wrong in the end."""
    port = free_port()
    with (
        closing(RestartedProgram(lambda: site.api(port))) as api,
        closing(RestartedProgram(site.worker)) as first,
        closing(RestartedProgram(site.worker)) as other,
    ):
        ordering = asyncio.create_task(company.issue_many(documents, at=local(port)))
        waves = asyncio.create_task(storm_in_waves(site))
        try:
            faults = Faults(site, api, (first, other), rng, between)
            await strike_until_done(faults, company, documents)
        finally:
            for task in (ordering, waves):
                task.cancel()
            ended = await asyncio.gather(ordering, waves, return_exceptions=True)
    failed = [repr(error) for error in ended if isinstance(error, Exception)]
    return failed + await contradictions(site, company)


async def strike_until_done(faults: Faults, company: Company, documents: int) -> None:
    """Strike again and again, and tell how far it is; ends when nothing moves any more, too."""
    started = reported = moved = time.monotonic()
    done, next_fault = 0, faults.between[0]
    struck: Counter[str] = Counter()
    last = "no fault yet"
    while done < documents and time.monotonic() - moved < _STALLED_SECONDS:
        before, done = done, await faults.site.pool.fetchval(f"select {company.count('authorized')}")
        moved = moved if before == done else time.monotonic()
        for program in (faults.api, *faults.workers):
            program.revive()
        if next_fault <= done < documents:
            last = await faults.strike()
            struck[last] += 1
            next_fault = done + faults.rng.randint(*faults.between)
        if time.monotonic() - reported > _REPORTED_EVERY_SECONDS:
            reported = time.monotonic()
            tell(f"{reported - started:6.0f} s  {done:6} of {documents} authorized  ({last})")
        await asyncio.sleep(0.1)
    tell(f"faults: {', '.join(f'{name} {times}' for name, times in sorted(struck.items()))}")


async def storm_in_waves(site: Site) -> None:
    """Let the authority fail and recover in turns: a key may be consulted nine times an hour, no more."""
    while True:
        await site.switch(**STORM)
        await asyncio.sleep(_WAVE_SECONDS)
        await site.switch(**CALM)
        await asyncio.sleep(_WAVE_SECONDS)


async def run(documents: int, seed: int, between: tuple[int, int]) -> int:
    """Soak, tell the verdict, and give the exit code."""
    async with open_site() as site, site.company() as company:
        contradictions = await soak(site, company, documents, random.Random(seed), between)
        authorized = await site.pool.fetchval(f"select {company.count('authorized')}")
        sent = len(await site.sent(company))
    for line in contradictions[:_SHOWN]:
        tell(line)
    tell(
        f"{authorized} of {documents} authorized, {sent} messages sent, contradictions: {len(contradictions)}"
    )
    return 1 if contradictions or authorized != documents else 0


def main(arguments: list[str]) -> int:
    """Read what is wanted, and do it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=10_000, help="how many")
    parser.add_argument("--seed", type=int, default=1, help="the seed of the random generator")
    parser.add_argument(
        "--between",
        type=int,
        nargs=2,
        default=(20, 120),
        metavar=("LEAST", "MOST"),
        help="how many documents are authorized between two faults",
    )
    given = parser.parse_args(arguments)
    tell_origin()
    least, most = given.between
    return asyncio.run(run(given.documents, given.seed, (least, most)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
