"""A program that opens one certificate file: it reads a request on stdin and writes an answer to stdout.

It starts anew for each file, so it imports as little as possible.
"""

import base64
import json
import resource
import signal
import sys
from enum import StrEnum

from carimbo.fiscal.identity.certificate import CertificateError, WrongPassword, open_a1

# If the parent is killed, only this limit ends work on a hostile file.
_MAX_CPU_SECONDS = 60


class Fault(StrEnum):
    """Why a file was not opened."""

    WRONG_PASSWORD = "wrong_password"  # noqa: S105 - not a password
    UNUSABLE = "unusable"


def main() -> None:
    """Answers one request; ignores signals, and stops after a limit of CPU time."""
    # The parent handles Ctrl-C and stop signals: it waits for this answer, or kills the process.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_CPU, (_MAX_CPU_SECONDS, _MAX_CPU_SECONDS))
    sys.stdout.write(json.dumps(answer_to(json.load(sys.stdin))))


def answer_to(request: dict[str, str]) -> dict[str, str]:
    """Returns the opened certificate as a bundle, or a fault with a message in Portuguese."""
    try:
        certificate = open_a1(base64.b64decode(request["pfx"]), request["password"])
    except WrongPassword as error:
        return {"fault": Fault.WRONG_PASSWORD, "message": str(error)}
    except CertificateError as error:
        return {"fault": Fault.UNUSABLE, "message": str(error)}
    return {"bundle": base64.b64encode(certificate.to_bundle()).decode()}


if __name__ == "__main__":
    main()
