"""What a demo sends to others: where its webhooks come to, and what is in its e-mails."""

import json
import re
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any, ClassVar


class Hook(BaseHTTPRequestHandler):
    """Takes what a webhook brings."""

    received: ClassVar[dict[str, Any]] = {}

    def do_POST(self) -> None:
        Hook.received = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(204)
        self.end_headers()


def mailed_keys(folder: Path) -> set[str]:
    """The access keys of all documents whose XML is in an e-mail of a folder."""
    found = (re.search(rb'filename="(\w+)\.xml"', file.read_bytes()) for file in folder.glob("*.eml"))
    return {match[1].decode() for match in found if match}
