"""Fixtures of the client tests that need no network."""

from dataclasses import replace

import pytest

from carimbo.authorities.endpoints import SimulatorEndpoints
from carimbo.authorities.nfe import NfeSefaz
from carimbo.authorities.pacing import Pacing, StatusCache
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.identity.certificate import A1Certificate, AuthorityCredentials
from carimbo.fiscal.sample_certificate import SampleCertificate
from support import CNPJ
from unit.authorities.wire import BASE, Clock, Wire


@pytest.fixture
def wire() -> Wire:
    return Wire()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def sefaz(wire: Wire, clock: Clock) -> NfeSefaz:
    pacing = Pacing(clock, clock.now)
    return NfeSefaz(wire.exchange, SimulatorEndpoints(BASE), pacing, StatusCache(clock))


@pytest.fixture(scope="session")
def sender(company_certificate: SampleCertificate) -> AuthorityCredentials:
    certificate = A1Certificate.from_bundle(company_certificate.to_pem())
    return AuthorityCredentials(certificate, CNPJ, Environment.HOMOLOGATION)


@pytest.fixture(scope="session")
def other_sender(sender: AuthorityCredentials) -> AuthorityCredentials:
    """A company with another certificate."""
    return replace(sender, certificate=replace(sender.certificate, fingerprint="other"))
