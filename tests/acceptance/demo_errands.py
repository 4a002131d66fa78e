"""What somebody does beside a demo: starts one too many, follows its commands, takes what it sends."""

import json
import re
import shlex
import shutil
import subprocess
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any, ClassVar

import httpx2
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, pkcs12

from acceptance.demo_runs import Demo, environment, simulator_ports
from acceptance.loaded_command import loaded_carimbo
from carimbo.fiscal.sample_certificate import SampleAuthority
from support import PATIENCE


def told_by_demo(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a demo that is expected to refuse."""
    command = [str(loaded_carimbo()), "-P", "-m", "carimbo", "demo", *simulator_ports(), *arguments]
    return subprocess.run(
        command, cwd=folder, env=environment(), capture_output=True, text=True, timeout=PATIENCE, check=False
    )


def is_one_sentence(text: str) -> bool:
    return text.count("\n") == 1 and text.endswith(".\n")


def pem_of(pfx: Path) -> Path:
    """The key and certificate of an A1 file, beside it, as TLS libraries load them."""
    key, certificate, _ = pkcs12.load_key_and_certificates(pfx.read_bytes(), b"carimbo")
    assert key and certificate
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    file = pfx.with_suffix(".pem")
    file.write_bytes(private + certificate.public_bytes(Encoding.PEM))
    return file


def another_certificate(demo: Demo, path: str, password: str) -> bytes:
    """An A1 file of the demo's company that its simulator does not know."""
    now = datetime.now(UTC)
    issued = SampleAuthority.create(now).issue_company(
        demo.get(path)["taxId"], "LOJA MODELO", now - timedelta(hours=1), now + timedelta(days=90)
    )
    return issued.to_pfx(password)


def upload(demo: Demo, path: str, pfx: bytes, password: str) -> int:
    answer = demo.call(
        "POST", f"{path}/certificate", files={"file": ("a1.pfx", pfx)}, data={"password": password}
    )
    return answer.status_code


def output_of(curl_line: str) -> str:
    """Run the line in a shell; where there is no curl, do what it says."""
    if shutil.which("curl"):
        return subprocess.run(
            ["sh", "-c", curl_line],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=PATIENCE,
            check=True,
        ).stdout
    _, _, *options, url = shlex.split(curl_line)
    told = list(zip(options[::2], options[1::2], strict=True))
    lines = [line for option, value in told if option == "-H" for line in content_of(value).splitlines()]
    headers = dict(line.split(": ", 1) for line in lines)
    bodies = [content_of(value).encode() for option, value in told if option == "-d"]
    return httpx2.request("POST" if bodies else "GET", url, headers=headers, content=b"".join(bodies)).text


def content_of(value: str) -> str:
    """The value of an option of curl, which may be in a file."""
    return Path(value[1:]).read_text(encoding="utf-8") if value.startswith("@") else value


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
