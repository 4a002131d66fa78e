"""What tests of the client without a network share."""

from dataclasses import replace

import pytest

from carimbo.authorities.endpoints import SimulatorEndpoints
from carimbo.authorities.nfe import NfeSefaz
from carimbo.authorities.pacing import Pacing
from carimbo.authorities.status_board import StatusBoard
from carimbo.fiscal.certificate import A1Certificate
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.sample_certificate import SampleCertificate
from carimbo.fiscal.sender import Sender
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
    return NfeSefaz(wire.exchange, SimulatorEndpoints(BASE), pacing, StatusBoard(clock))


@pytest.fixture(scope="session")
def sender(company_certificate: SampleCertificate) -> Sender:
    certificate = A1Certificate.from_bundle(company_certificate.to_pem())
    return Sender(certificate, CNPJ, Environment.HOMOLOGATION)


@pytest.fixture(scope="session")
def other_sender(sender: Sender) -> Sender:
    """A company with another certificate."""
    return replace(sender, certificate=replace(sender.certificate, fingerprint="other"))
