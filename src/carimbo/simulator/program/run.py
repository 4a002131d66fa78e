"""Runs the simulator: its folder, its two ports, and its shutdown."""

import asyncio
import errno
import fcntl
import signal
import sqlite3
import ssl
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from carimbo.simulator.http import RequestHandler
from carimbo.simulator.program.certificates import CertificateFolder, server_context
from carimbo.simulator.program.control_api import ControlApi
from carimbo.simulator.program.http_server import HttpServer, serve
from carimbo.simulator.program.site import Site
from carimbo.simulator.store import Store, StoreOfAnotherVersion
from carimbo.simulator.xml_messages import BUILT_IN_XSDS, Xsds

_LOOPBACK = "127.0.0.1"


class SimulatorProblem(Exception):
    """The simulator cannot start; the message is one sentence for the user."""


@dataclass(frozen=True, slots=True)
class Simulator:
    """A running simulator."""

    url: str
    """Prefix of the path of every service."""
    control_url: str
    certificates: CertificateFolder
    site: Site


@asynccontextmanager
async def running(
    folder: Path,
    port: int = 0,
    control_port: int = 0,
    host: str = _LOOPBACK,
    server_names: Sequence[str] = (),
    xsds: Xsds = BUILT_IN_XSDS,
) -> AsyncIterator[Simulator]:
    """Runs a simulator during a block. Raises SimulatorProblem or CertificateProblem."""
    with _sole_user(folder), closing(_store_in(folder)) as store:
        certificates = CertificateFolder.open(folder, datetime.now(UTC), server_names)
        site = Site(
            store, certificates.trust, lambda: datetime.now(UTC), xsds=xsds, signer=certificates.signer
        )
        tls = server_context(certificates)
        async with (
            _listening(site.answer, host, port, "--port", tls) as public,
            _listening(ControlApi(site).answer, _LOOPBACK, control_port, "--control-port") as control,
        ):
            url, control_url = f"https://localhost:{public.port}", f"http://localhost:{control.port}"
            yield Simulator(url, control_url, certificates, site)


async def run(
    folder: Path,
    port: int,
    control_port: int,
    host: str = _LOOPBACK,
    server_names: Sequence[str] = (),
    xsds: Xsds = BUILT_IN_XSDS,
    *,
    greet: Callable[[Simulator], None] = lambda _: None,
) -> None:
    """Runs a simulator until SIGINT or SIGTERM. Raises SimulatorProblem or CertificateProblem."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    async with running(folder, port, control_port, host, server_names, xsds) as simulator:
        greet(simulator)
        await stop.wait()


@asynccontextmanager
async def _listening(
    answer: RequestHandler, host: str, port: int, option: str, tls: ssl.SSLContext | None = None
) -> AsyncIterator[HttpServer]:
    try:
        server = await serve(answer, host, port, tls=tls)
    except PermissionError:
        raise SimulatorProblem(
            f"Sem permissão para usar a porta {port}: escolha outra com {option}."
        ) from None
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            raise SimulatorProblem(f"Não foi possível usar o endereço {host}: confira --host.") from None
        raise SimulatorProblem(
            f"A porta {port} já está em uso: feche o outro programa ou escolha outra com {option}."
        ) from None
    try:
        yield server
    finally:
        await server.close()


@contextmanager
def _sole_user(folder: Path) -> Iterator[None]:
    """Locks the folder: two simulators would give the same protocols to different documents."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = (folder / "lock").open("w")
    except OSError as error:
        raise SimulatorProblem(f"Não foi possível usar a pasta {folder}: {error.strerror}.") from None
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise SimulatorProblem(
                f"Outro simulador já usa a pasta {folder}: pare-o ou use --data-dir."
            ) from None
        yield


def _store_in(folder: Path) -> Store:
    file = folder / "simulator.sqlite"
    try:
        return Store.open(file)
    except StoreOfAnotherVersion:
        raise SimulatorProblem(
            f"O arquivo {file} é de outra versão do simulador: apague-o para começar do zero."
        ) from None
    except sqlite3.OperationalError as error:
        raise SimulatorProblem(f"O arquivo {file} não pode ser usado: {error}.") from None
    except sqlite3.DatabaseError:
        raise SimulatorProblem(f"O arquivo {file} está danificado: apague-o para começar do zero.") from None
