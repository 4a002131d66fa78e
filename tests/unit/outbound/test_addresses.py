"""Addresses that belong to the public Internet, and those that do not."""

from ipaddress import IPv6Network, ip_address

import hypothesis
from hypothesis import strategies as st

from carimbo.outbound.guard import DENIED, is_public

PUBLIC = (
    "1.1.1.1",
    "8.8.8.8",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.0",
    "169.253.255.255",
    "169.255.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "191.255.255.255",
    "192.0.1.0",
    "192.0.3.0",
    "192.167.255.255",
    "192.169.0.0",
    "198.17.255.255",
    "198.20.0.0",
    "200.160.2.3",
    "223.255.255.255",
    "2000::",
    "2001:200::1",
    "2001:4860:4860::8888",
    "2001:db7:ffff::1",
    "2001:db9::",
    "2003::1",
    "2606:4700:4700::1111",
    "2801:80::1",
    "3fff:1000::",
)

NOT_PUBLIC = (
    "0.0.0.0",
    "10.1.2.3",
    "100.64.0.1",
    "100.127.255.255",
    "127.0.0.1",
    "127.255.255.255",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.8",
    "192.0.0.9",
    "192.0.0.171",
    "192.0.2.1",
    "192.31.196.1",
    "192.52.193.1",
    "192.88.99.1",
    "192.168.255.255",
    "192.175.48.1",
    "198.18.0.1",
    "198.19.255.255",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::127.0.0.1",
    "::8.8.8.8",
    "::ffff:127.0.0.1",
    "::ffff:8.8.8.8",
    "::ffff:0:127.0.0.1",
    "64:ff9b::127.0.0.1",
    "64:ff9b::8.8.8.8",
    "64:ff9b:1::1",
    "100::1",
    "100:0:0:1::1",
    "1fff:ffff::1",
    "2001::1",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    "2001:1::1",
    "2001:2::1",
    "2001:3::1",
    "2001:4:112::1",
    "2001:10::1",
    "2001:20::1",
    "2001:30::1",
    "2001:1ff:ffff::1",
    "2001:db8::1",
    "2002:7f00:1::1",
    "2002:808:808::1",
    "2620:4f:8000::1",
    "3ffe::1",
    "3fff::1",
    "3fff:fff:ffff::1",
    "4000::1",
    "5f00::1",
    "fc00::1",
    "fd12:3456::1",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "ff02::1",
    "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
)


def assert_only_global_unicast_is_public(address: object) -> None:
    """Checks that an IPv6 address outside of global unicast is not public."""
    parsed = ip_address(str(address))
    assert not is_public(parsed) or parsed in IPv6Network("2000::/3")


class TestPublic:
    def test_public_address_is_accepted(self) -> None:
        assert [text for text in PUBLIC if not is_public(ip_address(text))] == []

    def test_special_purpose_address_is_not_public(self) -> None:
        assert [text for text in NOT_PUBLIC if is_public(ip_address(text))] == []

    def test_address_of_a_denied_network_is_not_public(self) -> None:
        public = [
            str(network[offset])
            for network in DENIED
            for offset in (0, network.num_addresses // 3, network.num_addresses - 1)
            if is_public(network[offset])
        ]
        assert public == []

    @hypothesis.given(st.ip_addresses(v=6))
    @hypothesis.settings(max_examples=50)
    def test_ipv6_address_outside_of_global_unicast_is_not_public(self, address: object) -> None:
        assert_only_global_unicast_is_public(address)
