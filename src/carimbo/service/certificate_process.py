"""The program that opens one certificate file: a request on stdin, an answer on stdout.

It starts anew for each file, so it imports nothing but what opens a file.
"""

import base64
import json
import resource
import signal
import sys
from enum import StrEnum

from carimbo.fiscal.certificate import CertificateError, WrongPassword, open_a1

# Should the parent be killed, nobody else would end a file that keeps us busy.
_MOST_CPU_SECONDS = 60


class Fault(StrEnum):
    """Why a file was not opened."""

    WRONG_PASSWORD = "wrong_password"  # noqa: S105 - not a password
    UNUSABLE = "unusable"


def main() -> None:
    """Answers one request, undisturbed by signals but within a limit of work."""
    # Our parent ends us when it must; a Ctrl-C or a stop is for it to obey, and it waits for this answer.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_CPU, (_MOST_CPU_SECONDS, _MOST_CPU_SECONDS))
    sys.stdout.write(json.dumps(answer_to(json.load(sys.stdin))))


def answer_to(request: dict[str, str]) -> dict[str, str]:
    """Returns the opened certificate as a bundle, or a fault with its message in Portuguese."""
    try:
        certificate = open_a1(base64.b64decode(request["pfx"]), request["password"])
    except WrongPassword as error:
        return {"fault": Fault.WRONG_PASSWORD, "message": str(error)}
    except CertificateError as error:
        return {"fault": Fault.UNUSABLE, "message": str(error)}
    return {"bundle": base64.b64encode(certificate.to_bundle()).decode()}


if __name__ == "__main__":
    main()
