"""Watches requests of callers: which operations of the API they used, and whether these left a trace."""

import re
from dataclasses import dataclass, field
from uuid import UUID

import httpx2

from carimbo.api.openapi import contract
from integration.issuing.system import System
from support import Caller

_TRACES = """
    select id from (
        select id, actor from document_events
        union all select id, actor from audit_entries
        union all select id, created_by from event_filings
        union all select id, created_by from manifestations
    ) as traces where actor ->> 'kind' = 'credential'
"""


@dataclass
class Walk:
    """The operations that callers used, and those that left no trace of the credential."""

    system: System
    operations: "dict[tuple[str, re.Pattern[str]], str]"
    """The names of all operations that change something, by method and path."""
    used: set[str] = field(default_factory=set)
    silent: set[str] = field(default_factory=set)
    _traces: frozenset[UUID] = frozenset()

    @classmethod
    def through(cls, system: System) -> "Walk":
        """Returns a walk through all operations of the published contract that change something."""
        operations = {}
        for path, methods in contract(system.app)["paths"].items():
            pattern = re.compile(re.sub(r"\{\w+\}", "[^/]+", path))
            for method, operation in methods.items():
                if method != "get":
                    operations[method.upper(), pattern] = operation["operationId"]
        return cls(system, operations)

    @property
    def missing(self) -> set[str]:
        return {*self.operations.values()} - self.used

    def watch(self, caller: Caller) -> Caller:
        """Watches the requests that a caller sends from now on, one after the other."""
        caller.http.event_hooks = {"request": [self._before], "response": [self._after]}
        return caller

    async def _before(self, _: httpx2.Request) -> None:
        self._traces = await self._read_traces()

    async def _after(self, answer: httpx2.Response) -> None:
        name = self._operation_of(answer.request)
        if name is None or not answer.is_success:
            return
        self.used.add(name)
        if await self._read_traces() <= self._traces:
            self.silent.add(name)

    def _operation_of(self, request: httpx2.Request) -> str | None:
        for (method, pattern), name in self.operations.items():
            if request.method == method and pattern.fullmatch(request.url.path):
                return name
        return None

    async def _read_traces(self) -> frozenset[UUID]:
        return frozenset(row["id"] for row in await self.system.fetch(_TRACES))
