"""Which IP addresses belong to the public Internet.

The list is our own: `ipaddress.is_global` differs from one Python to the next, and takes for global what
leads to an IPv4 address of any kind by translation or a tunnel.
"""

from ipaddress import IPv4Address, IPv6Address, ip_network
from typing import Final

# IANA's registry of IPv4 special-purpose addresses, and the blocks of multicast and of the future.
_IPV4: Final = (
    "0.0.0.0/8",  # this network: RFC 791
    "10.0.0.0/8",  # private: RFC 1918
    "100.64.0.0/10",  # shared by clients of a provider: RFC 6598
    "127.0.0.0/8",  # loopback: RFC 1122
    "169.254.0.0/16",  # link-local, where clouds keep what machines may know of themselves: RFC 3927
    "172.16.0.0/12",  # private: RFC 1918
    "192.0.0.0/24",  # protocols of the IETF: RFC 6890, 7335, 7600, 7723, 8155, 7050
    "192.0.2.0/24",  # documentation: RFC 5737
    "192.31.196.0/24",  # AS112: RFC 7535
    "192.52.193.0/24",  # multicast through a tunnel: RFC 7450
    "192.88.99.0/24",  # relays of 6to4, given up: RFC 7526
    "192.168.0.0/16",  # private: RFC 1918
    "192.175.48.0/24",  # AS112: RFC 7534
    "198.18.0.0/15",  # benchmarks: RFC 2544
    "198.51.100.0/24",  # documentation: RFC 5737
    "203.0.113.0/24",  # documentation: RFC 5737
    "224.0.0.0/4",  # multicast: RFC 5771
    "240.0.0.0/4",  # the future, and broadcast: RFC 1112, 919
)

# Global unicast is 2000::/3 (RFC 4291 and IANA's registry of the IPv6 space). The first three blocks are all
# else: `::`, loopback, IPv4 written as IPv6 (RFC 4291) or translated (RFC 6052, 8215), discard (RFC 6666,
# 9780), segment routing (RFC 9602), unique local (RFC 4193), link-local (RFC 4291), site-local (RFC 3879),
# multicast (RFC 4291). The others are in IANA's registry of IPv6 special-purpose addresses.
_IPV6: Final = (
    "::/3",
    "4000::/2",
    "8000::/1",
    "2001::/23",  # protocols of the IETF, Teredo among them: RFC 2928, 4380, 5180, 7343, 7450, 7535, 9374
    "2001:db8::/32",  # documentation: RFC 3849
    "2002::/16",  # 6to4, which leads to an IPv4 address: RFC 3056
    "2620:4f:8000::/48",  # AS112: RFC 7534
    "3ffe::/16",  # 6bone, given up: RFC 3701
    "3fff::/20",  # documentation: RFC 9637
)

DENIED: Final = tuple(ip_network(text) for text in (*_IPV4, *_IPV6))
"""The networks that nothing is sent to."""


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Tell whether an address is one that anybody on the Internet may call."""
    return not any(address in network for network in DENIED)
