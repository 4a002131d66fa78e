"""The ports of the demo's processes, and what to do if another program uses them."""

import shlex
import socket
import sys
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from carimbo.simulator import DEFAULT_CONTROL_PORT, DEFAULT_PORT

HOST = "127.0.0.1"
DEFAULT_FOLDER = Path(".carimbo")
_FIRST_UNPRIVILEGED, _MAX_PORT = 1024, 65535


@dataclass(frozen=True)
class Ports:
    """The ports that the demo's processes listen on."""

    api: int = 8000
    simulator: int = DEFAULT_PORT
    control: int = DEFAULT_CONTROL_PORT

    @property
    def by_option(self) -> dict[str, int]:
        """The ports by the option that changes each."""
        return {
            "--port": self.api,
            "--simulator-port": self.simulator,
            "--simulator-control-port": self.control,
        }


class PortsUnusable(Exception):
    """Some ports cannot be used; the message names all of them and ends with a command that works."""


def require_usable(ports: Ports, folder: Path) -> None:
    """Raises PortsUnusable if any port is taken, forbidden or given twice."""
    sentences, usable = [], set[int]()
    for option, port in ports.by_option.items():
        if port in usable:
            sentences.append(f"A porta {port} ({option}) foi informada duas vezes.")
        elif problem := _port_problem(port):
            sentences.append(f"A porta {port} ({option}) {problem}.")
        else:
            usable.add(port)
    if sentences:
        advice = "Libere as portas, ou rode a demonstração em outras:"
        raise PortsUnusable("\n".join((*sentences, advice, _working_command(ports, folder))))


def _port_problem(port: int) -> str | None:
    """Returns why a port cannot be listened on, or None if it can."""
    try:
        socket.create_server((HOST, port)).close()
    except PermissionError:
        return "só pode ser usada por um administrador"
    except OSError:
        return "já está em uso"
    return None


def command(*words: str) -> str:
    """Returns a carimbo command line for the shell, run by the same program as now."""
    # For `python -m carimbo`, argv[0] is the path of a module.
    is_program = Path(sys.argv[0]).name == "carimbo"
    return shlex.join([*([sys.argv[0]] if is_program else [sys.executable, "-m", "carimbo"]), *words])


def _working_command(ports: Ports, folder: Path) -> str:
    """Returns the command that starts the same demo on free ports, each the next above the wanted one."""
    options: list[str] = []
    chosen: list[int] = []
    for option, wanted in ports.by_option.items():
        chosen.append(_free_port_from(wanted, chosen))
        options += [option, str(chosen[-1])]
    data = [] if folder == DEFAULT_FOLDER else ["--data-dir", str(folder)]
    return command("demo", *options, *data)


def _free_port_from(wanted: int, used: Collection[int]) -> int:
    above = range(max(wanted + 1, _FIRST_UNPRIVILEGED), _MAX_PORT + 1)
    # After the largest port the search continues from the smallest one that needs no administrator.
    candidates: Iterable[int] = (wanted, *above, *range(_FIRST_UNPRIVILEGED, wanted))
    return next(port for port in candidates if port not in used and _port_problem(port) is None)
