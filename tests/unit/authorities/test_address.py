"""Parsing of addresses."""

import pytest

from carimbo.authorities.request import InvalidUrl, ParsedUrl, ServerAddress, parse_url


class TestAddress:
    @pytest.mark.parametrize(
        ("url", "server", "target", "name"),
        [
            ("https://nfe.example/ws/a.asmx", ServerAddress("nfe.example", 443), "/ws/a.asmx", "nfe.example"),
            (
                "https://Host.example:8443/a?wsdl",
                ServerAddress("host.example", 8443),
                "/a?wsdl",
                "host.example:8443",
            ),
            ("https://host.example:443", ServerAddress("host.example", 443), "/", "host.example"),
            ("https://[::1]:8443/a", ServerAddress("::1", 8443), "/a", "[::1]:8443"),
            ("https://[2001:db8::1]/", ServerAddress("2001:db8::1", 443), "/", "[2001:db8::1]"),
            ("https://ação.example/", ServerAddress("xn--ao-siap.example", 443), "/", "xn--ao-siap.example"),
        ],
    )
    def test_address_is_split_into_server_and_target(
        self, url: str, server: ServerAddress, target: str, name: str
    ) -> None:
        assert parse_url(url) == ParsedUrl(server, target)
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
    def test_address_without_a_server_is_refused(self, url: str) -> None:
        with pytest.raises(InvalidUrl):
            parse_url(url)
