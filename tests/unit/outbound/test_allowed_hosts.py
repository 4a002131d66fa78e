"""Hosts that the operator lets webhooks reach."""

import pytest

from carimbo.outbound.allowed_hosts import AllowedHosts
from carimbo.outbound.target import Objection, Place


class TestAllowedHosts:
    def test_are_none_unless_told(self) -> None:
        assert AllowedHosts.parse("") == AllowedHosts.parse(" , ") == AllowedHosts()
        assert Place("127.0.0.1", 80) not in AllowedHosts()

    @pytest.mark.parametrize(
        ("text", "place"),
        [
            ("Intranet.example", Place("intranet.example", 1)),
            ("other, intranet.example ,third", Place("intranet.example", 443)),
            ("intranet.example:8080", Place("intranet.example", 8080)),
            ("10.0.0.7", Place("10.0.0.7", 80)),
            ("10.0.0.7:8080", Place("10.0.0.7", 8080)),
            ("::1", Place("::1", 80)),
            ("[::1]", Place("::1", 80)),
            ("[0:0:0:0:0:0:0:1]:8080", Place("::1", 8080)),
            ("ação.example", Place("xn--ao-siap.example", 443)),
        ],
    )
    def test_are_found_by_host_and_port(self, text: str, place: Place) -> None:
        assert place in AllowedHosts.parse(text)

    @pytest.mark.parametrize(
        ("text", "place"),
        [
            ("intranet.example:8080", Place("intranet.example", 8081)),
            ("intranet.example", Place("a.intranet.example", 443)),
            ("intranet.example", Place("example", 443)),
            ("127.0.0.1", Place("localhost", 443)),
        ],
    )
    def test_are_exact(self, text: str, place: Place) -> None:
        assert place not in AllowedHosts.parse(text)

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
    def test_are_refused_when_badly_written(self, text: str) -> None:
        with pytest.raises(Objection) as refused:
            AllowedHosts.parse(f"good.example,{text}")
        assert str(refused.value) == f"{text} não é um host, nem um host com porta."
