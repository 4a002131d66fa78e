"""Connections to the authorities, held open for the next request; none serves two companies."""

from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import Self

import httpx2

from carimbo.authorities.patience import Patience
from carimbo.authorities.tls import context_of
from carimbo.authorities.trust import Trust
from carimbo.fiscal.certificate import A1Certificate

# A new connection is cheap, as its session is resumed; a request on one that the other side is just closing
# is not, for it leaves the fate of the document open.
_IDLE_SECONDS = 15
_MOST_CONNECTIONS = 20


@dataclass(slots=True)
class _Held:
    """The connections of one certificate, and how many requests are on them now."""

    client: httpx2.AsyncClient
    users: int = 0


class Connections:
    """A client for each certificate; of too many, the one that was not used for longest is closed."""

    def __init__(self, trust: Trust, patience: Patience, most_certificates: int = 200) -> None:
        self.patience = patience
        self._trust = trust
        self._most = most_certificates
        self._held: OrderedDict[str, _Held] = OrderedDict()

    @asynccontextmanager
    async def of(self, certificate: A1Certificate) -> AsyncIterator[httpx2.AsyncClient]:
        """The client of a certificate, which stays open at least for the length of the block."""
        held = self._held.get(certificate.fingerprint)
        if held is None:
            held = self._held[certificate.fingerprint] = _Held(self._client(certificate))
        self._held.move_to_end(certificate.fingerprint)
        held.users += 1
        try:
            await self._close_surplus()
            yield held.client
        finally:
            held.users -= 1

    async def close(self) -> None:
        """Close everything."""
        while self._held:
            await self._held.popitem()[1].client.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def _close_surplus(self) -> None:
        surplus = len(self._held) - self._most
        if surplus <= 0:
            return
        idle = [fingerprint for fingerprint, held in self._held.items() if not held.users]
        for fingerprint in idle[:surplus]:
            # One at a time: whoever is cancelled while one is closed leaves the others to the next.
            await self._held.pop(fingerprint).client.aclose()

    def _client(self, certificate: A1Certificate) -> httpx2.AsyncClient:
        connect, read = self.patience.connect_seconds, self.patience.read_seconds
        return httpx2.AsyncClient(
            verify=context_of(certificate, self._trust),
            timeout=httpx2.Timeout(connect=connect, read=read, write=read, pool=read),
            limits=httpx2.Limits(
                max_connections=_MOST_CONNECTIONS,
                max_keepalive_connections=_MOST_CONNECTIONS,
                keepalive_expiry=_IDLE_SECONDS,
            ),
            # The authority itself, and no proxy that the environment names.
            trust_env=False,
            follow_redirects=False,
            headers={"User-Agent": "carimbo"},
        )
