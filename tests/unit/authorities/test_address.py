"""Addresses taken apart."""

import pytest

from carimbo.authorities.address import Address, NoServer, Server, address_of


class TestAddress:
    @pytest.mark.parametrize(
        ("url", "server", "target", "name"),
        [
            ("https://nfe.example/ws/a.asmx", Server("nfe.example", 443), "/ws/a.asmx", "nfe.example"),
            (
                "https://Host.example:8443/a?wsdl",
                Server("host.example", 8443),
                "/a?wsdl",
                "host.example:8443",
            ),
            ("https://host.example:443", Server("host.example", 443), "/", "host.example"),
            ("https://[::1]:8443/a", Server("::1", 8443), "/a", "[::1]:8443"),
            ("https://[2001:db8::1]/", Server("2001:db8::1", 443), "/", "[2001:db8::1]"),
            ("https://ação.example/", Server("xn--ao-siap.example", 443), "/", "xn--ao-siap.example"),
        ],
    )
    def test_is_a_server_and_a_target(self, url: str, server: Server, target: str, name: str) -> None:
        assert address_of(url) == Address(server, target)
        assert server.name == name

    @pytest.mark.parametrize(
        "url",
        [
            "https://[::1/",
            "https://host:port/",
            "https://host:70000/",
            "https:///",
            "https://a..b/",
            "https://.a/",
            f"https://{'a' * 64}/",
            "http://host/",
            "host/a",
            "",
        ],
    )
    def test_without_a_server_is_refused(self, url: str) -> None:
        with pytest.raises(NoServer):
            address_of(url)
