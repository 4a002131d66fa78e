"""The network as the client of webhooks sees it: nothing is dialled but what the guard has looked at."""

from collections.abc import Iterable

import httpcore2

from carimbo.outbound.guard import Guard

# An address that leads nowhere must not cost the whole time-out while another would answer.
_SECONDS_FOR_ONE = 4.0


class GuardedNetwork(httpcore2.AsyncNetworkBackend):
    """Looks a host up once and dials what it found; TLS still knows the host by its name."""

    def __init__(self, guard: Guard) -> None:
        self._guard = guard
        self._network = httpcore2.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the backend's interface
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        """Dial one address after the other until one answers; raise Objection if one may not be dialled."""
        seconds = _SECONDS_FOR_ONE if timeout is None else min(timeout, _SECONDS_FOR_ONE)
        *others, last = await self._guard.addresses_for(host, port)
        for address in others:
            try:
                return await self._network.connect_tcp(address, port, seconds, local_address, socket_options)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout):
                continue
        return await self._network.connect_tcp(last, port, timeout, local_address, socket_options)

    async def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,  # noqa: ASYNC109 - the backend's interface
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        """Refuse: what listens there listens to this machine only."""
        raise httpcore2.UnsupportedProtocol(path)

    async def sleep(self, seconds: float) -> None:
        """Wait, as the pool does between attempts to connect."""
        await self._network.sleep(seconds)
