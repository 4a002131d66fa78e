"""The snippets of the how-to accept our calls and refuse all others, in every language."""

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

from carimbo.service.delivery.webhook_headers import secret_text, signed_headers

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "webhooks.md"
SECRET, OTHER = bytes(range(32)), bytes(range(1, 33))
BODY = '{"id":"01a1e4c2","data":{"amount":59.8,"name":"Pão & Café"}}'.encode()


@dataclass(frozen=True)
class Call:
    """A request as a receiver gets it, and the secret that the receiver uses."""

    headers: Mapping[str, str]
    body: bytes = BODY
    secret: str = secret_text(SECRET)

    def changed(self, **headers: str) -> "Call":
        """The same with other values of our headers."""
        values = {f"webhook-{name}": value for name, value in headers.items()}
        return replace(self, headers={**self.headers, **values})

    def without(self, name: str) -> "Call":
        """The same without one of our headers."""
        return replace(
            self, headers={key: self.headers[key] for key in self.headers if key != f"webhook-{name}"}
        )


def sent(*signers: bytes, ago: timedelta = timedelta()) -> Call:
    return Call(dict(signed_headers("01a1e4c2", datetime.now(UTC) - ago, BODY, signers or (SECRET,))))


def of_another_version(call: Call) -> Call:
    return call.changed(signature=call.headers["webhook-signature"].replace("v1,", "v2,"))


def cut_short(call: Call) -> Call:
    return call.changed(signature=call.headers["webhook-signature"][:-1])


def a_second_later(call: Call) -> Call:
    return call.changed(timestamp=str(int(call.headers["webhook-timestamp"]) + 1))


def written_anew(call: Call) -> Call:
    return replace(call, body=json.dumps(json.loads(call.body)).encode())


# What is appended to a snippet, so that one process answers for every call.
DRIVERS = {
    "node": (
        ".js",
        """
for (const { secret, headers, body } of JSON.parse(readFileSync("calls.json", "utf8")))
  console.log(isGenuine(secret, headers, Buffer.from(body, "base64")) ? "ok" : "refused");
""",
    ),
    "php": (
        ".php",
        """
foreach (json_decode(file_get_contents('calls.json'), true) as $call) {
    echo isGenuine($call['secret'], $call['headers'], base64_decode($call['body'])) ? "ok\\n" : "refused\\n";
}
""",
    ),
}

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
    "another id": lambda: sent().changed(id="01a1e4c3"),
    "another moment": lambda: a_second_later(sent()),
    "six minutes old": lambda: sent(ago=timedelta(minutes=6)),
    "six minutes ahead": lambda: sent(ago=timedelta(minutes=-6)),
    "by another secret": lambda: sent(OTHER),
    "by nobody": lambda: sent().changed(signature=""),
    "of another version": lambda: of_another_version(sent()),
    "cut short": lambda: cut_short(sent()),
    "something else": lambda: sent().changed(signature="v1,é " + base64.b64encode(OTHER).decode()),
    "no signature": lambda: sent().without("signature"),
    "no id": lambda: sent().without("id"),
    "no moment": lambda: sent().without("timestamp"),
    "a moment in words": lambda: sent().changed(timestamp="agora"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files of the page."""
    folder = tmp_path_factory.mktemp("webhooks")
    for block in blocks_of(PAGE.read_text(encoding="utf-8")):
        if block.file_name:
            (folder / block.file_name).write_text(block.text, encoding="utf-8")
    return folder


def answers_of_python(folder: Path, calls: Mapping[str, Call]) -> dict[str, str]:
    is_genuine = runpy.run_path(str(folder / "receiver.py"))["is_genuine"]
    return {
        name: "ok" if is_genuine(call.secret, call.headers, call.body) else "refused"
        for name, call in calls.items()
    }


def answers_of_program(program: str, folder: Path, calls: Mapping[str, Call]) -> dict[str, str]:
    """Runs a snippet as the page does, then its function on every call in the same process."""
    given = [
        {"secret": call.secret, "headers": call.headers, "body": base64.b64encode(call.body).decode()}
        for call in calls.values()
    ]
    (folder / "calls.json").write_text(json.dumps(given), encoding="utf-8")
    first = next(iter(calls.values()))
    (folder / "headers.json").write_text(json.dumps(first.headers), encoding="utf-8")
    (folder / "call").write_bytes(first.body)
    suffix, loop = DRIVERS[program]
    driver = folder / f"verify-all{suffix}"
    driver.write_text((folder / f"verify{suffix}").read_text("utf-8") + loop, "utf-8")
    environment = {"PATH": os.environ["PATH"], "WEBHOOK_SECRET": first.secret}
    done = subprocess.run(
        [program, driver.name, "call"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    of_the_page, *answers = done.stdout.split()
    assert of_the_page == answers[0]
    return dict(zip(calls, answers, strict=True))


@pytest.mark.parametrize("language", ["python", *DRIVERS])
def test_snippet_accepts_our_calls_and_refuses_all_others(language: str, folder: Path) -> None:
    calls = {name: make() for name, make in {**OURS, **NOT_OURS}.items()}
    if language == "python":
        answers = answers_of_python(folder, calls)
    else:
        answers = answers_of_program(language, folder, calls)
    assert answers == dict.fromkeys(OURS, "ok") | dict.fromkeys(NOT_OURS, "refused")
