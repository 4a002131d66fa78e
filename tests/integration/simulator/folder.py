"""A folder of the simulator's, which outlives the programs that run on it."""

import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from carimbo.authorities.sefaz import Sefaz
from carimbo.fiscal.certificate import A1Certificate
from carimbo.fiscal.sample_certificate import SampleCertificate
from carimbo.settings import load_settings
from carimbo.simulator.certificates import CertificateFolder
from carimbo.simulator.run import running
from integration.simulator.shop import Shop, sefaz_of
from support import CNPJ, free_port
from unit.fiscal.goods.support import BUYER_CNPJ


@dataclass(frozen=True)
class Folder:
    """Where a simulator keeps everything, with certificates that it believes."""

    path: Path
    company: SampleCertificate
    buyer: SampleCertificate

    @classmethod
    def made(cls, path: Path) -> "Folder":
        now = datetime.now(UTC)
        certificates = CertificateFolder.open(path, now)
        company = certificates.issue(CNPJ, "LOJA MODELO LTDA", now)
        return cls(path, company, certificates.issue(BUYER_CNPJ, "COMPRADORA LTDA", now))

    @property
    def ca_file(self) -> Path:
        return CertificateFolder.open(self.path, datetime.now(UTC)).ca_file

    @asynccontextmanager
    async def sefaz(self, url: str) -> AsyncIterator[Sefaz]:
        """Our client, which knows nothing of what was before."""
        told = {"CARIMBO_SIMULATOR_URL": url, "CARIMBO_AUTHORITY_CA_FILE": str(self.ca_file)}
        async with sefaz_of(load_settings(told, needs_database=False)) as sefaz:
            yield sefaz

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Shop]:
        """The simulator, running for the length of a block, and the company at its door."""
        async with running(self.path) as simulator, self.sefaz(simulator.url) as sefaz:
            yield Shop(sefaz, simulator, A1Certificate.from_bundle(self.company.to_pem()))


@dataclass(frozen=True)
class OwnProcess:
    """`carimbo simulator`, running."""

    url: str
    popen: subprocess.Popen[str]

    def kill(self) -> None:
        """End it without a chance to put anything in order."""
        self.popen.kill()


@contextmanager
def own_process(folder: Folder) -> Iterator[OwnProcess]:
    """The simulator as a process of its own, which is killed at the end."""
    port = str(free_port())
    options = ["--port", port, "--control-port", str(free_port()), "--data-dir", str(folder.path)]
    process = subprocess.Popen(
        [sys.executable, "-m", "carimbo", "simulator", *options],
        env={name: value for name, value in os.environ.items() if not name.startswith("CARIMBO_")},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        try:
            assert process.stdout
            told = [process.stdout.readline() for _ in range(5)]
            assert told[-1].startswith("Certificado"), told
            yield OwnProcess(f"https://localhost:{port}", process)
        finally:
            process.kill()
