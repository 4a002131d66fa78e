"""The addresses of a host, looked up where nobody else has to wait."""

import asyncio
import socket
from concurrent.futures import Future
from threading import Thread


async def look_up(host: str, port: int) -> list[str]:
    """Find every address of a host, or raise OSError.

    Each lookup has a thread of its own: one whose name server hangs can't be stopped, and would hold a place
    in a pool of threads that others need. It does not keep the process from ending.
    """
    found: Future[list[str]] = Future()
    found.set_running_or_notify_cancel()
    Thread(target=_find, args=(found, host, port), name=f"lookup {host}", daemon=True).start()
    return await asyncio.wrap_future(found)


def _find(found: Future[list[str]], host: str, port: int) -> None:
    try:
        answers = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except Exception as error:
        found.set_exception(error)
    else:
        found.set_result(list(dict.fromkeys(str(address[0]) for *_, address in answers)))
