"""A program `carimbo` that starts at once: it runs as a fork of a process that has loaded the service."""

import atexit
import marshal
import os
import select
import shutil
import signal
import socket
import sys
import tempfile
import threading
from contextlib import suppress
from functools import cache, partial
from pathlib import Path

from acceptance.fault_programs import start_copy
from carimbo import cli

# Hands its folder, arguments and environment to the copy, and ends as the copy does. It forwards signals to
# the copy; when it is killed, so is the copy. It may replace Python, with `-P -m carimbo`, as in the demo.
_PROGRAM = """#!/bin/sh
'''exec' "{python}" -IS "$0" "$@"
'''
import marshal, os, signal, socket, sys

name, *arguments = sys.argv
if arguments[:2] == ["-P", "-m"]:
    if arguments[2] != "carimbo":
        os.execv({python!r}, [{python!r}, *arguments])
    name, arguments = "__main__.py", arguments[3:]
connection = socket.socket(socket.AF_UNIX)
connection.connect({address!r})
socket.send_fds(connection, [b"x"], [0, 1, 2])
connection.sendall(marshal.dumps((name, arguments, os.getcwd(), dict(os.environ))))
connection.shutdown(socket.SHUT_WR)
answers = connection.makefile("r")
copy = int(answers.readline() or os._exit(70))

def forward(number, _):
    try:
        os.kill(copy, number)
    except ProcessLookupError:
        pass

for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, forward)
code = int(answers.readline())
if code < 0:
    signal.signal(-code, signal.SIG_DFL)
    os.kill(os.getpid(), -code)
sys.exit(code)
"""
_STARTING = threading.Lock()


@cache
def loaded_carimbo() -> Path:
    """Returns the program, which works as long as this process runs."""
    folder = Path(tempfile.mkdtemp(prefix="carimbo-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    address, program = folder / "socket", folder / "carimbo"
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(address))
    listener.listen()
    threading.Thread(target=_listen, args=(listener,), daemon=True).start()
    program.write_text(_PROGRAM.format(python=sys.executable, address=str(address)))
    program.chmod(0o700)
    return program


def _listen(listener: socket.socket) -> None:
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=_attend, args=(connection,), daemon=True).start()


def _attend(connection: socket.socket) -> None:
    """Starts a copy for a program, and kills it if the program is killed."""
    with connection:
        with _STARTING:
            process = start_copy(_run, connection)
        either = select.poll()
        either.register(connection, 0)
        either.register(process.sentinel, select.POLLIN)
        ended = [descriptor for descriptor, _ in either.poll()]
        if process.sentinel not in ended:
            assert process.pid
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.kill()
        process.join()
        with suppress(OSError):
            connection.sendall(f"{process.exitcode}\n".encode())
        process.close()


def _run(connection: socket.socket) -> None:
    """Runs `carimbo` in the folder of the program, with its streams, arguments and environment."""
    # A new session: the processes that it starts end with it.
    os.setsid()
    _, streams, *_ = socket.recv_fds(connection, 1, 3)
    request = b"".join(iter(partial(connection.recv, 65536), b""))
    name, arguments, folder, environment = marshal.loads(request)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = [name, *arguments]
    connection.sendall(f"{os.getpid()}\n".encode())
    connection.close()
    cli.run()
