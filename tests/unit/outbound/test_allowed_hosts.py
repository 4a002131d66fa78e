"""Hosts that the operator lets webhooks reach."""

import pytest

from carimbo.outbound.target import AllowedHosts, HostPort, UrlRefused


class TestAllowedHosts:
    def test_no_host_is_allowed_by_default(self) -> None:
        assert AllowedHosts.parse("") == AllowedHosts.parse(" , ") == AllowedHosts()
        assert HostPort("127.0.0.1", 80) not in AllowedHosts()

    @pytest.mark.parametrize(
        ("text", "host_port"),
        [
            ("Intranet.example", HostPort("intranet.example", 1)),
            ("other, intranet.example ,third", HostPort("intranet.example", 443)),
            ("intranet.example:8080", HostPort("intranet.example", 8080)),
            ("10.0.0.7", HostPort("10.0.0.7", 80)),
            ("10.0.0.7:8080", HostPort("10.0.0.7", 8080)),
            ("::1", HostPort("::1", 80)),
            ("[::1]", HostPort("::1", 80)),
            ("[0:0:0:0:0:0:0:1]:8080", HostPort("::1", 8080)),
            ("ação.example", HostPort("xn--ao-siap.example", 443)),
        ],
    )
    def test_allowed_hosts_match_by_host_and_port(self, text: str, host_port: HostPort) -> None:
        assert host_port in AllowedHosts.parse(text)

    @pytest.mark.parametrize(
        ("text", "host_port"),
        [
            ("intranet.example:8080", HostPort("intranet.example", 8081)),
            ("intranet.example", HostPort("a.intranet.example", 443)),
            ("intranet.example", HostPort("example", 443)),
            ("127.0.0.1", HostPort("localhost", 443)),
        ],
    )
    def test_allowed_hosts_match_exactly(self, text: str, host_port: HostPort) -> None:
        assert host_port not in AllowedHosts.parse(text)

    @pytest.mark.parametrize(
        "text",
        [
            "https://intranet.example",
            "intranet.example/path",
            "user@intranet.example",
            "intranet.example:port",
            "intranet.example:65536",
            "*.example",
            "10.0.0.0/8",
            "127.1",
            "a b",
        ],
    )
    def test_invalid_allowed_hosts_are_refused(self, text: str) -> None:
        with pytest.raises(UrlRefused) as refused:
            AllowedHosts.parse(f"good.example,{text}")
        assert str(refused.value) == f"{text} não é um host, nem um host com porta."
