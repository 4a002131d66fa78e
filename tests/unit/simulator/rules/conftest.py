"""Fixture of the rule tests: the rule tester."""

import pytest

from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.sample_certificate import SampleAuthority
from carimbo.simulator.trust import TrustedAuthorities
from unit.simulator.rules.breaking import InvoiceRuleTester


@pytest.fixture(scope="session")
def tester(trust: TrustedAuthorities, authority: SampleAuthority, signer: Signer) -> InvoiceRuleTester:
    return InvoiceRuleTester(trust, authority, signer)
