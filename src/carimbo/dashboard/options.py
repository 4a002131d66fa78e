"""The settings of the dashboard: where it is reached, and whether cookies need HTTPS."""

from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

PREFIX = "/painel"
"""The path of the dashboard, below the path of the public address."""
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True)
class DashboardOptions:
    """Where the dashboard is reached."""

    public_url: str | None
    """The address that people use, without a slash at its end; None if none is set."""
    proxies: frozenset[str] = frozenset()
    """The addresses of proxies that report the address of the client."""

    @property
    def api_root(self) -> str:
        """The path of the API in links: a proxy may serve us below a path of its own."""
        return urlsplit(self.public_url or "").path

    @property
    def root(self) -> str:
        """The path of the dashboard in links."""
        return f"{self.api_root}{PREFIX}"

    def path_in_dashboard(self, path: str) -> str:
        """Returns a path without our root, with or without that of the proxy; empty if it is not ours."""
        for root in (self.root, PREFIX):
            if f"{path}/".startswith(f"{root}/"):
                return path.removeprefix(root)
        return ""

    @property
    def public_origin(self) -> str | None:
        """Scheme, host and port of the public address, as browsers send them in `Origin`."""
        if self.public_url is None:
            return None
        parts = urlsplit(self.public_url)
        return f"{parts.scheme}://{parts.netloc}".lower()

    @property
    def is_https(self) -> bool:
        """Whether people reach us by HTTPS."""
        return (self.public_url or "").startswith("https://")

    @property
    def session_cookie(self) -> str:
        """The name of the cookie of a session."""
        return "__Host-carimbo" if self.is_https else "carimbo-local"

    @property
    def form_cookie(self) -> str:
        """The name of the cookie of the form token of browsers without a session."""
        return f"{self.session_cookie}-form"

    def is_safe_host(self, host: str) -> bool:
        """Whether a session may exist at this host: by HTTPS, or on this machine."""
        return self.is_https or is_loopback(host)

    def origin_at(self, host: str) -> str:
        """Returns the origin of our pages for a browser that reaches us at this host."""
        is_local = not self.is_https and is_loopback(host)
        return f"http://{host}".lower() if is_local else self.public_origin or ""

    def origins(self, host: str) -> frozenset[str]:
        """Returns the origins whose forms we accept in a request to this host."""
        local = f"http://{host}".lower() if is_loopback(host) else None
        return frozenset(filter(None, (self.public_origin, local)))


def is_loopback(host: str) -> bool:
    """Whether the host of a `Host` header, with or without port, is this machine."""
    return host_name(f"//{host}") in _LOOPBACK


def host_name(origin: str) -> str:
    """Returns the host of an origin without its port; empty if it can't be read."""
    try:
        return urlsplit(origin).hostname or ""
    except ValueError:
        return ""


def is_domain(name: str) -> bool:
    """Whether a host is a name. Passkeys belong to a name, never to an IP address."""
    try:
        ip_address(name)
    except ValueError:
        return bool(name)
    return False
