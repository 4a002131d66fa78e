"""A service of the simulator that hangs for as long as a test wants it to."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from carimbo.simulator.http import HungUp, Reply
from carimbo.simulator.site import Site
from support import PATIENCE


@dataclass(frozen=True)
class Gate:
    """Holds requests back until it is opened."""

    arrived: "asyncio.Queue[str]" = field(default_factory=asyncio.Queue)
    """The addresses of what has come so far."""
    opened: asyncio.Event = field(default_factory=asyncio.Event)

    async def until_arrived(self, requests: int) -> None:
        """Wait for some more requests."""
        async with asyncio.timeout(PATIENCE):
            for _ in range(requests):
                await self.arrived.get()


@asynccontextmanager
async def gate_before(*paths: str) -> AsyncIterator[Gate]:
    """Put a gate before services for the length of a block."""
    gate, answer_at_once = Gate(), Site._answer_call

    async def answer(site: Site, family: Any, arrival: Any) -> Reply | HungUp:
        if arrival.request.path in paths:
            gate.arrived.put_nowait(arrival.request.path)
            await gate.opened.wait()
        return await answer_at_once(site, family, arrival)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Site, "_answer_call", answer)
        try:
            yield gate
        finally:
            gate.opened.set()
