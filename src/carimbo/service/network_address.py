"""IP addresses as sockets and proxies write them."""

from ipaddress import IPv6Address, ip_address


def plain_address(text: str) -> str | None:
    """Returns an IP address in its shortest spelling and without a port; None for any other text.

    Some proxies write `192.0.2.1:55` or `[2001:db8::1]:55`. An IPv4 address of a socket for both versions, as
    `::ffff:192.0.2.1`, becomes `192.0.2.1`.
    """
    try:
        address = ip_address(_without_port(text.strip()))
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return str(mapped or address)


def _without_port(address: str) -> str:
    if address.startswith("["):
        return address[1:].partition("]")[0]
    return address.partition(":")[0] if address.count(":") == 1 else address
