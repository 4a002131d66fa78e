"""Keeps webhooks out of private networks (SSRF).

A caller who registers a webhook makes us send requests from inside the operator's network, and sees the
answers. So the URL is checked when it is registered, and the addresses of its host at every connection,
because a name can change its addresses at any time.

The list of non-public networks is our own: `ipaddress.is_global` differs between Python versions, and takes
for global some addresses that lead to any IPv4 address through translation or a tunnel.
"""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import Future
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from threading import Thread
from typing import Final

from carimbo.outbound.target import AllowedHosts, HostPort, Target, UrlRefused, target_of


async def look_up(host: str, port: int) -> list[str]:
    """Returns all addresses of a host. Raises OSError.

    Each lookup has its own daemon thread. A lookup that hangs can't be stopped: in a thread pool it would
    occupy a thread that others need. It does not keep the process from ending.
    """
    addresses: Future[list[str]] = Future()
    addresses.set_running_or_notify_cancel()
    Thread(
        target=_look_up_in_thread, args=(addresses, host, port), name=f"lookup {host}", daemon=True
    ).start()
    return await asyncio.wrap_future(addresses)


def _look_up_in_thread(addresses: Future[list[str]], host: str, port: int) -> None:
    try:
        answers = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except Exception as error:
        addresses.set_exception(error)
    else:
        addresses.set_result(list(dict.fromkeys(str(address[0]) for *_, address in answers)))


# IANA's registry of IPv4 special-purpose addresses, and the multicast and reserved blocks.
_IPV4: Final = (
    "0.0.0.0/8",  # this network: RFC 791
    "10.0.0.0/8",  # private: RFC 1918
    "100.64.0.0/10",  # shared address space of providers: RFC 6598
    "127.0.0.0/8",  # loopback: RFC 1122
    "169.254.0.0/16",  # link-local, with the metadata services of clouds: RFC 3927
    "172.16.0.0/12",  # private: RFC 1918
    "192.0.0.0/24",  # protocols of the IETF: RFC 6890, 7335, 7600, 7723, 8155, 7050
    "192.0.2.0/24",  # documentation: RFC 5737
    "192.31.196.0/24",  # AS112: RFC 7535
    "192.52.193.0/24",  # multicast through a tunnel: RFC 7450
    "192.88.99.0/24",  # 6to4 relays, deprecated: RFC 7526
    "192.168.0.0/16",  # private: RFC 1918
    "192.175.48.0/24",  # AS112: RFC 7534
    "198.18.0.0/15",  # benchmarks: RFC 2544
    "198.51.100.0/24",  # documentation: RFC 5737
    "203.0.113.0/24",  # documentation: RFC 5737
    "224.0.0.0/4",  # multicast: RFC 5771
    "240.0.0.0/4",  # reserved, and broadcast: RFC 1112, 919
)

# Global unicast is 2000::/3 (RFC 4291 and IANA's registry of the IPv6 space). The first three blocks are
# everything else: `::`, loopback, IPv4 written as IPv6 (RFC 4291) or translated (RFC 6052, 8215), discard
# (RFC 6666, 9780), segment routing (RFC 9602), unique local (RFC 4193), link-local (RFC 4291), site-local
# (RFC 3879), multicast (RFC 4291). The others are in IANA's registry of IPv6 special-purpose addresses.
_IPV6: Final = (
    "::/3",
    "4000::/2",
    "8000::/1",
    "2001::/23",  # protocols of the IETF, Teredo among them: RFC 2928, 4380, 5180, 7343, 7450, 7535, 9374
    "2001:db8::/32",  # documentation: RFC 3849
    "2002::/16",  # 6to4, leads to an IPv4 address: RFC 3056
    "2620:4f:8000::/48",  # AS112: RFC 7534
    "3ffe::/16",  # 6bone, deprecated: RFC 3701
    "3fff::/20",  # documentation: RFC 9637
)

DENIED: Final = tuple(ip_network(text) for text in (*_IPV4, *_IPV6))
"""Networks that no webhook reaches."""


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Returns whether an address belongs to the public Internet."""
    return not any(address in network for network in DENIED)


Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
"""Returns the addresses of a host. Raises OSError."""

_LOOKUP_SECONDS = 5


class WebhookGuard:
    """Decides which URLs may be called, and which addresses may be connected to."""

    def __init__(self, allowed: AllowedHosts, resolve: Resolve = look_up) -> None:
        self._allowed = allowed
        self._resolve = resolve

    async def objection_to(self, url: str) -> str | None:
        """Looks up the host of a URL; returns why it must not be called, in Portuguese, or None."""
        try:
            await self.addresses_for(*self.admit(url).host_port)
        except UrlRefused as refusal:
            return str(refusal)
        return None

    def admit(self, url: str) -> Target:
        """Parses a URL and checks its scheme. Raises UrlRefused."""
        target = target_of(url)
        if target.scheme != "https" and target.host_port not in self._allowed:
            raise UrlRefused("A URL deve começar com https://.")
        return target

    async def addresses_for(self, host: str, port: int) -> Sequence[str]:
        """Returns the addresses of a host. Raises UrlRefused unless all are public or the host is allowed."""
        addresses = await self._look_up(host, port)
        is_allowed = HostPort(host, port) in self._allowed
        if not is_allowed and not all(is_public(ip_address(address)) for address in addresses):
            # The message does not show the address: that would map the operator's network.
            raise UrlRefused("O host da URL leva a um endereço que não é público.")
        return addresses

    async def _look_up(self, host: str, port: int) -> Sequence[str]:
        try:
            async with asyncio.timeout(_LOOKUP_SECONDS):
                addresses = await self._resolve(host, port)
        except TimeoutError as error:
            raise UrlRefused("O endereço do host não foi encontrado a tempo.") from error
        except OSError as error:
            raise UrlRefused("O endereço do host não foi encontrado.") from error
        if not addresses:
            raise UrlRefused("O endereço do host não foi encontrado.")
        return addresses
