"""The address by which attempts to sign in are limited."""

from carimbo.dashboard.forms import client_address

PROXIES = frozenset({"10.0.0.1", "10.0.0.2", "2001:db8::1"})


def test_client_can_not_choose_its_own_address() -> None:
    assert client_address("203.0.113.7", "1.2.3.4", PROXIES) == "203.0.113.7"
    assert client_address("10.0.0.1", "1.2.3.4, 203.0.113.7", PROXIES) == "203.0.113.7"
    assert client_address("203.0.113.7", "1.2.3.4", frozenset()) == "203.0.113.7"


def test_chain_of_own_proxies_is_followed_to_its_beginning() -> None:
    assert client_address("10.0.0.1", "203.0.113.7, 10.0.0.2", PROXIES) == "203.0.113.7"
    assert client_address("10.0.0.1", "", PROXIES) == "10.0.0.1"
    assert client_address(None, "203.0.113.7", PROXIES) is None


def test_proxies_are_recognised_however_their_addresses_are_written() -> None:
    for peer, forwarded in (
        ("10.0.0.1", "203.0.113.7, 10.0.0.2:4711"),
        ("10.0.0.1", "203.0.113.7:50123, [2001:DB8:0::1]:4711"),
        ("2001:db8:0:0::1", "203.0.113.7"),
        ("::ffff:10.0.0.1", "::ffff:203.0.113.7, 10.0.0.2"),
    ):
        assert client_address(peer, forwarded, PROXIES) == "203.0.113.7", (peer, forwarded)


def test_text_that_is_no_address_is_not_taken_for_one() -> None:
    assert client_address("10.0.0.1", "unknown", PROXIES) is None
