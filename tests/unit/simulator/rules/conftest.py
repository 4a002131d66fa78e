"""What tests of rules share: the judge and those who come before it."""

import pytest

from carimbo.fiscal.sample_certificate import SampleAuthority
from carimbo.fiscal.signature import Signer
from carimbo.simulator.trust import Trust
from unit.simulator.rules.breaking import Court


@pytest.fixture(scope="session")
def court(trust: Trust, authority: SampleAuthority, signer: Signer) -> Court:
    return Court(trust, authority, signer)
