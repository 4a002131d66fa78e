"""Ports that the demo cannot have."""

import shlex
import socket
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from carimbo.demo.ports import DEFAULT_FOLDER, HOST, Ports, PortsUnusable, require_usable
from support import free_port


@pytest.fixture
def taken() -> Iterator[Ports]:
    """Three ports on which other programs listen."""
    with ExitStack() as listeners:
        sockets = [listeners.enter_context(socket.create_server((HOST, 0))) for _ in range(3)]
        yield Ports(*(listener.getsockname()[1] for listener in sockets))


def message_about(ports: Ports, folder: Path = DEFAULT_FOLDER) -> list[str]:
    with pytest.raises(PortsUnusable) as problem:
        require_usable(ports, folder)
    return str(problem.value).splitlines()


def ports_of(command: str) -> Ports:
    words = shlex.split(command)
    options = ("--port", "--simulator-port", "--simulator-control-port")
    return Ports(*(int(words[words.index(option) + 1]) for option in options))


def test_all_taken_ports_are_reported_at_once_with_a_command_that_works(taken: Ports) -> None:
    *sentences, _, command = message_about(taken)
    assert sentences == [
        f"A porta {taken.api} (--port) já está em uso.",
        f"A porta {taken.simulator} (--simulator-port) já está em uso.",
        f"A porta {taken.control} (--simulator-control-port) já está em uso.",
    ]
    require_usable(ports_of(command), DEFAULT_FOLDER)


def test_the_command_keeps_the_ports_that_are_free_and_the_folder(
    taken: Ports, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", [".venv/bin/carimbo", "demo"])
    wanted = Ports(taken.api, free_port(), free_port())
    command = message_about(wanted, Path("my data"))[-1]
    assert command.startswith(".venv/bin/carimbo demo --port ")
    assert command.endswith(" --data-dir 'my data'")
    assert ports_of(command).simulator == wanted.simulator
    assert ports_of(command).control == wanted.control


@pytest.mark.parametrize(
    ("positions", "option"),
    [((0, 0, 1), "--simulator-port"), ((0, 1, 0), "--simulator-control-port")],
    ids=["simulator", "control"],
)
def test_one_port_given_twice_is_reported_with_a_command_that_works(
    positions: tuple[int, int, int], option: str
) -> None:
    free = (free_port(), free_port())
    ports = Ports(*(free[position] for position in positions))
    first, *_, command = message_about(ports)
    assert first == f"A porta {free[0]} ({option}) foi informada duas vezes."
    require_usable(ports_of(command), DEFAULT_FOLDER)


def test_a_port_for_administrators_is_not_called_a_port_in_use(monkeypatch: pytest.MonkeyPatch) -> None:
    create_server = socket.create_server

    def refuse_low_ports(address: tuple[str, int], **options: Any) -> socket.socket:
        if address[1] < 1024:
            raise PermissionError
        return create_server(address, **options)

    monkeypatch.setattr(socket, "create_server", refuse_low_ports)
    first, *_, command = message_about(Ports(80, free_port(), free_port()))
    assert first == "A porta 80 (--port) só pode ser usada por um administrador."
    assert ports_of(command).api >= 1024


def test_search_for_a_free_port_continues_after_the_largest_port() -> None:
    *sentences, _, command = message_about(Ports(65535, 65535, 65535))
    assert "A porta 65535 (--simulator-port) foi informada duas vezes." in sentences
    require_usable(ports_of(command), DEFAULT_FOLDER)
