"""Keeps webhooks out of networks that only we can reach.

Whoever registers a webhook makes us send requests, from inside the operator's network, and shows the answers.
So a URL is checked when it is told, and what its host leads to again at every dial: names change their
addresses whenever their owner likes.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from ipaddress import ip_address

from carimbo.outbound.addresses import is_public
from carimbo.outbound.allowed_hosts import AllowedHosts
from carimbo.outbound.lookup import look_up
from carimbo.outbound.target import Objection, Place, Target, target_of

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
"""Finds the addresses of a host, or raises OSError."""

_LOOKUP_SECONDS = 5


class Guard:
    """Knows which URLs may be called, and which addresses may be dialled."""

    def __init__(self, allowed: AllowedHosts, resolve: Resolve = look_up) -> None:
        self._allowed = allowed
        self._resolve = resolve

    async def objection_to(self, url: str) -> str | None:
        """Tell in a Portuguese sentence why a URL may not be called, after looking its host up."""
        try:
            await self.addresses_for(*self.admit(url).place)
        except Objection as objection:
            return str(objection)
        return None

    def admit(self, url: str) -> Target:
        """Take a URL apart, or raise Objection to how it is written."""
        target = target_of(url)
        if target.scheme != "https" and target.place not in self._allowed:
            raise Objection("A URL deve começar com https://.")
        return target

    async def addresses_for(self, host: str, port: int) -> Sequence[str]:
        """Find what to dial for a host, or raise Objection unless every address is public."""
        addresses = await self._found(host, port)
        is_allowed = Place(host, port) in self._allowed
        if not is_allowed and not all(is_public(ip_address(address)) for address in addresses):
            # The address itself stays untold: it would draw a map of the operator's network.
            raise Objection("O host da URL leva a um endereço que não é público.")
        return addresses

    async def _found(self, host: str, port: int) -> Sequence[str]:
        try:
            async with asyncio.timeout(_LOOKUP_SECONDS):
                addresses = await self._resolve(host, port)
        except TimeoutError as error:
            raise Objection("O endereço do host não foi encontrado a tempo.") from error
        except OSError as error:
            raise Objection("O endereço do host não foi encontrado.") from error
        if not addresses:
            raise Objection("O endereço do host não foi encontrado.")
        return addresses
