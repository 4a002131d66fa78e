"""Parsing of receivers' URLs."""

import pytest

from carimbo.outbound.target import HostPort, Target, UrlRefused, target_of


class TestTarget:
    @pytest.mark.parametrize(
        ("url", "target", "header"),
        [
            (
                "https://hooks.example.com/a?b=c",
                Target("https", HostPort("hooks.example.com", 443), "/a?b=c"),
                "hooks.example.com",
            ),
            ("https://Hooks.Example.com.", Target("https", HostPort("hooks.example.com", 443), "/"), None),
            ("HTTPS://a.example:8443", Target("https", HostPort("a.example", 8443), "/"), "a.example:8443"),
            ("https://a.example:/", Target("https", HostPort("a.example", 443), "/"), "a.example"),
            ("http://a.example:80/", Target("http", HostPort("a.example", 80), "/"), "a.example"),
            ("http://a.example:443/", Target("http", HostPort("a.example", 443), "/"), "a.example:443"),
            ("https://my_service/x", Target("https", HostPort("my_service", 443), "/x"), "my_service"),
            (
                "https://ação.example/",
                Target("https", HostPort("xn--ao-siap.example", 443), "/"),
                "xn--ao-siap.example",
            ),
            ("https://8.8.8.8/", Target("https", HostPort("8.8.8.8", 443), "/"), "8.8.8.8"),
            ("https://１.１.１.１/", Target("https", HostPort("1.1.1.1", 443), "/"), "1.1.1.1"),
            ("https://[0:0::1]:8443/", Target("https", HostPort("::1", 8443), "/"), "[::1]:8443"),
            (
                "https://a.example/ação?é=%20&b='",
                Target("https", HostPort("a.example", 443), "/a%C3%A7%C3%A3o?%C3%A9=%20&b='"),
                "a.example",
            ),
        ],
    )
    def test_url_is_split_into_server_and_path(self, url: str, target: Target, header: str | None) -> None:
        assert target_of(url) == target
        assert target.host_header == (header or target.host_port.host)

    @pytest.mark.parametrize(
        ("url", "objection"),
        [
            ("", "A URL deve começar com https://."),
            ("hooks.example.com", "A URL deve começar com https://."),
            ("//hooks.example.com", "A URL deve começar com https://."),
            ("ftp://hooks.example.com", "A URL deve começar com https://."),
            ("file:///etc/passwd", "A URL deve começar com https://."),
            ("gopher://127.0.0.1:25/", "A URL deve começar com https://."),
            ("https:hooks.example.com", "A URL deve ter um host."),
            ("https:///path", "A URL deve ter um host."),
            ("https://:443/", "A URL deve ter um host."),
            ("https://user@hooks.example.com/", "A URL não pode ter usuário nem senha."),
            ("https://user:word@hooks.example.com/", "A URL não pode ter usuário nem senha."),
            ("https://@hooks.example.com/", "A URL não pode ter usuário nem senha."),
            ("https://hooks.example.com/#a", "A URL não pode ter fragmento (#)."),
            ("https://hooks.example.com/#", "A URL não pode ter fragmento (#)."),
            ("https://hooks.example.com:0/", "A porta da URL deve estar entre 1 e 65535."),
            ("https://hooks.example.com:65536/", "A URL não está bem escrita."),
            ("https://hooks.example.com:http/", "A URL não está bem escrita."),
            ("https://[::1/", "A URL não está bem escrita."),
        ],
    )
    def test_invalid_url_is_refused_with_the_reason(self, url: str, objection: str) -> None:
        with pytest.raises(UrlRefused) as refused:
            target_of(url)
        assert str(refused.value) == objection

    @pytest.mark.parametrize(
        "url",
        [
            " https://a.example/",
            "https://a.example/ b",
            "https://a.example\\@127.0.0.1/",
            "https://a.example/\r\nX-Header: 1",
            "https://a\t.example/",
            "https://a.example/\x00",
            "https://a.example/\x7f",
            "https://a.example/\x85",
        ],
    )
    def test_url_that_parsers_read_differently_is_refused(self, url: str) -> None:
        with pytest.raises(UrlRefused, match="espaços, barras invertidas nem caracteres de controle"):
            target_of(url)

    @pytest.mark.parametrize(
        "host",
        [
            "0x7f.1",
            "0x7f000001",
            "2130706433",
            "127.1",
            "127.0.0.01",
            "0177.0.0.1",
            "127.0.0.1.1",
            "1.2.3.256",
            "a.1",
            "a.0x",
            "①②⑦.1",
            "-a.example",
            "a-.example",
            "a..example",
            ".example",
            "a%41.example",
            "a,b.example",
            "a*.example",
            "[::1%25eth0]",
            "[fe80::1%eth0]",
            "[v1.a]",
            "[127.0.0.1]",
            f"{'a' * 64}.example",
            ".".join(["a" * 63] * 4),
        ],
    )
    def test_host_is_normalized(self, host: str) -> None:
        with pytest.raises(UrlRefused):
            target_of(f"https://{host}/")
