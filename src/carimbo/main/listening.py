"""Addresses that a process listens on."""

import socket


class AddressUnusable(Exception):
    """An address that we should listen on is taken, forbidden or not ours."""


def listen(host: str, port: int) -> socket.socket:
    """Takes an address before anything starts. Raises AddressUnusable."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        raise AddressUnusable(f"{host}:{port} ({error.strerror})") from error
