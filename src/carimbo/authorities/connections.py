"""Connections to the authorities; none serves two companies."""

import asyncio
from types import TracebackType
from typing import Self

from carimbo.authorities.channel import Channel
from carimbo.authorities.patience import Patience
from carimbo.authorities.pool import Pool
from carimbo.authorities.tls import context_of
from carimbo.authorities.trust import Trust
from carimbo.fiscal.certificate import A1Certificate


class Connections:
    """A pool for each certificate; of too many, the one that was not used for longest is closed."""

    def __init__(self, trust: Trust, patience: Patience, most_certificates: int = 200) -> None:
        self.patience = patience
        self._trust = trust
        self._most = most_certificates
        self._pools: dict[str, Pool] = {}
        self._living: set[Channel] = set()

    def of(self, certificate: A1Certificate) -> Pool:
        """The connections of a certificate, to be used at once."""
        pool = self._pools.pop(certificate.fingerprint, None) or self._pool(certificate)
        self._make_room()
        self._pools[certificate.fingerprint] = pool
        return pool

    async def close(self) -> None:
        """Close everything, and wait until it is."""
        self._pools.clear()
        for channel in self._living:
            channel.close()
        if self._living:
            await asyncio.wait([channel.ended for channel in self._living])

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def _make_room(self) -> None:
        surplus = len(self._pools) + 1 - self._most
        if surplus <= 0:
            return
        unused = [fingerprint for fingerprint, pool in self._pools.items() if not pool.users]
        for fingerprint in unused[:surplus]:
            self._pools.pop(fingerprint).close()

    def _pool(self, certificate: A1Certificate) -> Pool:
        return Pool(context_of(certificate, self._trust), self.patience, self._living)
