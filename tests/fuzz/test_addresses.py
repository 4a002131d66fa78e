"""Webhooks are not sent to any address of a network that is not public."""

from hypothesis import given
from hypothesis import strategies as st

from carimbo.outbound.guard import DENIED, is_public
from unit.outbound.test_addresses import assert_only_global_unicast_is_public


@given(st.data())
def test_no_address_of_a_denied_network_is_public(data: st.DataObject) -> None:
    network = data.draw(st.sampled_from(DENIED))
    assert not is_public(network[data.draw(st.integers(0, network.num_addresses - 1))])


@given(st.ip_addresses(v=6))
def test_no_ipv6_address_outside_of_global_unicast_is_public(address: object) -> None:
    assert_only_global_unicast_is_public(address)
