"""Which URLs may be called; names are resolved by the tests themselves."""

import asyncio
import socket

import pytest

from carimbo.outbound import guard as guard_module
from carimbo.outbound.guard import WebhookGuard, look_up
from carimbo.outbound.target import AllowedHosts, UrlRefused
from carimbo.service.ports import AddressGuard

PUBLIC = "200.160.2.3"
NOT_PUBLIC = "O host da URL leva a um endereço que não é público."
NOT_FOUND = "O endereço do host não foi encontrado."


class Names:
    """A simulated resolver that records the names it was asked for."""

    def __init__(self, **addresses: list[str]) -> None:
        self.addresses = addresses
        self.asked: list[tuple[str, int]] = []

    async def resolve(self, host: str, port: int) -> list[str]:
        self.asked.append((host, port))
        try:
            return self.addresses[host]
        except KeyError:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known") from None


def guard_of(allowed: str = "", **addresses: list[str]) -> tuple[AddressGuard, Names]:
    names = Names(**addresses)
    return WebhookGuard(AllowedHosts.parse(allowed), names.resolve), names


class TestObjection:
    async def test_public_host_is_accepted(self) -> None:
        guard, names = guard_of(hooks=[PUBLIC, "2801:80::1"])
        assert await guard.objection_to("https://hooks:8443/a") is None
        assert names.asked == [("hooks", 8443)]

    async def test_invalid_url_is_refused_before_any_lookup(self) -> None:
        guard, names = guard_of()
        assert await guard.objection_to("https://a@hooks/") == "A URL não pode ter usuário nem senha."
        assert await guard.objection_to("http://hooks/") == "A URL deve começar com https://."
        assert names.asked == []

    @pytest.mark.parametrize(
        "addresses",
        [["127.0.0.1"], [PUBLIC, "10.0.0.1"], ["::1", PUBLIC], ["fe80::1%eth0"], ["::ffff:10.0.0.1"]],
        ids=", ".join,
    )
    async def test_host_with_any_private_address_is_refused(self, addresses: list[str]) -> None:
        guard, _ = guard_of(hooks=addresses)
        assert await guard.objection_to("https://hooks/") == NOT_PUBLIC

    async def test_name_without_addresses_is_refused(self) -> None:
        guard, _ = guard_of(empty=[])
        assert await guard.objection_to("https://nowhere/") == NOT_FOUND
        assert await guard.objection_to("https://empty/") == NOT_FOUND

    async def test_hanging_lookup_is_refused(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(guard_module, "_LOOKUP_SECONDS", 0.01)

        async def hang(host: str, port: int) -> list[str]:
            await asyncio.Event().wait()
            return []

        guard = WebhookGuard(AllowedHosts(), hang)
        assert await guard.objection_to("https://a/") == "O endereço do host não foi encontrado a tempo."

    async def test_host_that_the_operator_allows_is_accepted(self) -> None:
        guard, _ = guard_of("hooks:8080,127.0.0.1", **{"hooks": ["10.0.0.1"], "127.0.0.1": ["127.0.0.1"]})
        assert await guard.objection_to("http://hooks:8080/") is None
        assert await guard.objection_to("https://hooks:8080/") is None
        assert await guard.objection_to("https://hooks/") == NOT_PUBLIC
        assert await guard.objection_to("http://127.0.0.1:1/") is None

    async def test_allowed_name_that_does_not_resolve_is_refused(self) -> None:
        guard, _ = guard_of("hooks")
        assert await guard.objection_to("https://hooks/") == NOT_FOUND

    @pytest.mark.parametrize(
        "host",
        [
            "127.0.0.1",
            "localhost",
            "[::1]",
            "[::ffff:127.0.0.1]",
            "[::]",
            "0.0.0.0",
            "0x7f.1",
            "2130706433",
            "127.1",
            "0",
            "169.254.169.254",
            "[fd00:ec2::254]",
        ],
    )
    async def test_every_spelling_of_this_machine_is_refused(self, host: str) -> None:
        """With the system's resolver, which asks no name server for any of these."""
        assert await WebhookGuard(AllowedHosts()).objection_to(f"https://{host}/")


class TestAddresses:
    async def test_resolved_addresses_are_returned(self) -> None:
        names = Names(hooks=[PUBLIC, "8.8.8.8"])
        guard = WebhookGuard(AllowedHosts(), names.resolve)
        assert await guard.addresses_for("hooks", 443) == [PUBLIC, "8.8.8.8"]

    async def test_addresses_are_checked_every_time(self) -> None:
        names = Names(hooks=[PUBLIC])
        guard = WebhookGuard(AllowedHosts(), names.resolve)
        await guard.addresses_for("hooks", 443)
        names.addresses["hooks"] = ["127.0.0.1"]
        with pytest.raises(UrlRefused, match="não é público"):
            await guard.addresses_for("hooks", 443)


class TestLookup:
    async def test_lookup_returns_each_address_once(self) -> None:
        assert await look_up("127.0.0.1", 443) == ["127.0.0.1"]
        assert "127.0.0.1" in await look_up("localhost", 443)

    async def test_lookup_reports_any_failure(self) -> None:
        with pytest.raises(UnicodeError):
            await asyncio.wait_for(look_up("a..b", 443), 5)

    async def test_hanging_lookup_does_not_delay_others(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """However many lookups hang, although none can be stopped."""
        goes_on = asyncio.Event()
        loop = asyncio.get_running_loop()

        def find(host: str, port: int, **_: object) -> list[tuple[object, ...]]:
            if host == "hangs":
                asyncio.run_coroutine_threadsafe(goes_on.wait(), loop).result()
            return [(0, 0, 0, "", (PUBLIC, port))]

        monkeypatch.setattr(socket, "getaddrinfo", find)
        hanging = [asyncio.create_task(look_up("hangs", 443)) for _ in range(50)]
        assert await asyncio.wait_for(look_up("hooks", 443), 5) == [PUBLIC]
        hanging[0].cancel()
        goes_on.set()
        results = await asyncio.wait_for(asyncio.gather(*hanging, return_exceptions=True), 5)
        assert isinstance(results[0], asyncio.CancelledError)
        assert results[1:] == [[PUBLIC]] * 49
