"""The snippets of the how-to tell our calls from anybody else's, in every language that they are in."""

import base64
import json
import os
import runpy
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from runnable_pages import blocks_of

from carimbo.service.delivery.signature import shown_secret, signed_headers

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "webhooks.md"
SECRET, OTHER = bytes(range(32)), bytes(range(1, 33))
BODY = '{"id":"01a1e4c2","data":{"amount":59.8,"name":"Pão & Café"}}'.encode()


@dataclass(frozen=True)
class Call:
    """A request as a receiver has it, and the secret that it believes in."""

    headers: Mapping[str, str]
    body: bytes = BODY
    secret: str = shown_secret(SECRET)

    def told(self, **headers: str) -> "Call":
        """The same with other values of our headers."""
        changed = {f"webhook-{name}": value for name, value in headers.items()}
        return replace(self, headers={**self.headers, **changed})

    def without(self, name: str) -> "Call":
        """The same without one of our headers."""
        return replace(
            self, headers={key: self.headers[key] for key in self.headers if key != f"webhook-{name}"}
        )


def sent(*signers: bytes, ago: timedelta = timedelta()) -> Call:
    return Call(dict(signed_headers("01a1e4c2", datetime.now(UTC) - ago, BODY, signers or (SECRET,))))


def of_another_version(call: Call) -> Call:
    return call.told(signature=call.headers["webhook-signature"].replace("v1,", "v2,"))


def cut_short(call: Call) -> Call:
    return call.told(signature=call.headers["webhook-signature"][:-1])


def a_second_later(call: Call) -> Call:
    return call.told(timestamp=str(int(call.headers["webhook-timestamp"]) + 1))


def written_anew(call: Call) -> Call:
    return replace(call, body=json.dumps(json.loads(call.body)).encode())


OURS: Mapping[str, Callable[[], Call]] = {
    "as sent": sent,
    "by a new secret and then the old one": lambda: sent(OTHER, SECRET),
    "by the new secret and then an old one": lambda: sent(SECRET, OTHER),
    "four minutes old": lambda: sent(ago=timedelta(minutes=4)),
    "four minutes ahead": lambda: sent(ago=timedelta(minutes=-4)),
}
NOT_OURS: Mapping[str, Callable[[], Call]] = {
    "a changed byte": lambda: replace(sent(), body=BODY.replace(b"59.8", b"59.9")),
    "a body written anew": lambda: written_anew(sent()),
    "no body": lambda: replace(sent(), body=b""),
    "another id": lambda: sent().told(id="01a1e4c3"),
    "another moment": lambda: a_second_later(sent()),
    "six minutes old": lambda: sent(ago=timedelta(minutes=6)),
    "six minutes ahead": lambda: sent(ago=timedelta(minutes=-6)),
    "by another secret": lambda: sent(OTHER),
    "by nobody": lambda: sent().told(signature=""),
    "of another version": lambda: of_another_version(sent()),
    "cut short": lambda: cut_short(sent()),
    "something else": lambda: sent().told(signature="v1,é " + base64.b64encode(OTHER).decode()),
    "no signature": lambda: sent().without("signature"),
    "no id": lambda: sent().without("id"),
    "no moment": lambda: sent().without("timestamp"),
    "a moment in words": lambda: sent().told(timestamp="agora"),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the files of the page."""
    for block in blocks_of(PAGE.read_text(encoding="utf-8")):
        if block.file_name:
            (tmp_path / block.file_name).write_text(block.text, encoding="utf-8")
    return tmp_path


def python_says(folder: Path, call: Call) -> str:
    is_genuine = runpy.run_path(str(folder / "receiver.py"))["is_genuine"]
    return "ok" if is_genuine(call.secret, call.headers, call.body) else "refused"


def program_says(program: str, folder: Path, call: Call) -> str:
    (folder / "headers.json").write_text(json.dumps(call.headers), encoding="utf-8")
    (folder / "call").write_bytes(call.body)
    environment = {"PATH": os.environ["PATH"], "WEBHOOK_SECRET": call.secret}
    done = subprocess.run(
        [*program.split(), "call"], cwd=folder, env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def node_says(folder: Path, call: Call) -> str:
    return program_says("node verify.js", folder, call)


def php_says(folder: Path, call: Call) -> str:
    return program_says("php verify.php", folder, call)


@pytest.mark.parametrize("says", [python_says, node_says, php_says])
class TestEverySnippet:
    @pytest.mark.parametrize("how", OURS)
    def test_takes_what_is_ours(self, folder: Path, says: Callable[[Path, Call], str], how: str) -> None:
        assert says(folder, OURS[how]()) == "ok"

    @pytest.mark.parametrize("how", NOT_OURS)
    def test_refuses_what_is_not(self, folder: Path, says: Callable[[Path, Call], str], how: str) -> None:
        assert says(folder, NOT_OURS[how]()) == "refused"
