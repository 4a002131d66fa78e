"""A running simulator, and certificates that it trusts."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from carimbo.fiscal.identity.certificate import A1Certificate
from carimbo.fiscal.sample_certificate import SampleCertificate
from carimbo.settings import Settings, load_settings
from carimbo.simulator.program.run import Simulator, running
from integration.simulator.shop import Shop, sefaz_of
from support import CNPJ


@pytest.fixture(scope="session")
async def simulator(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Simulator]:
    """One simulator for all files; a test that changes a switch resets it."""
    async with running(tmp_path_factory.mktemp("simulator")) as simulator:
        yield simulator


@pytest.fixture(scope="session")
def company_of_simulator(simulator: Simulator) -> SampleCertificate:
    return simulator.certificates.issue(CNPJ, "LOJA MODELO LTDA", datetime.now(UTC))


@pytest.fixture(scope="session")
def pfx_file(company_of_simulator: SampleCertificate, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The company's A1 file, whose password is `carimbo`."""
    file = tmp_path_factory.mktemp("pfx") / "company.pfx"
    file.write_bytes(company_of_simulator.to_pfx("carimbo"))
    return file


@pytest.fixture(scope="session")
def client_settings(simulator: Simulator) -> Settings:
    """Settings that send every call to the simulator, with short timeouts."""
    return load_settings(
        {
            "CARIMBO_SIMULATOR_URL": simulator.url,
            "CARIMBO_AUTHORITY_CA_FILE": str(simulator.certificates.ca_file),
            "CARIMBO_AUTHORITY_READ_SECONDS": "2",
        },
        needs_database=False,
    )


@pytest.fixture(scope="module")
async def shop(
    simulator: Simulator, company_of_simulator: SampleCertificate, client_settings: Settings
) -> AsyncIterator[Shop]:
    async with sefaz_of(client_settings) as sefaz:
        yield Shop(sefaz, simulator, A1Certificate.from_bundle(company_of_simulator.to_pem()))
