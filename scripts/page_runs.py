"""Runs the commands of a documentation page beside a running demo."""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

from runnable_pages import PageFlaw, blocks_of, script_of, steps_of
from shown_output import Ended, flaws

ROOT = Path(__file__).parents[1]
SECONDS_A_PAGE = 120
# Where a demo is unless told otherwise, as pages show it.
_USUAL_ADDRESSES = {
    "baseUrl": "127.0.0.1:8000",
    "simulatorUrl": "127.0.0.1:8443",
    "simulatorControlUrl": "127.0.0.1:8444",
}
# A page gets nothing else of the caller's environment.
_KEPT_VARIABLES = ("HOME", "LANG", "LC_ALL", "PATH", "TMPDIR", "TZ")


def flaws_of(page: Path, data: Path, installation: Path = Path(sys.prefix)) -> list[str]:
    """Runs a page in a folder like a checkout, beside the demo of a data folder; returns its mistakes.

    `installation` is what the checkout has as `.venv`.
    """
    try:
        blocks = blocks_of(page.read_text(encoding="utf-8"))
        steps = steps_of(blocks)
    except PageFlaw as flaw:
        return [f"{page}:{flaw}"]
    if not steps:
        return []
    addresses = _addresses(data)
    ended = _run(page.name, _replaced(script_of(blocks), addresses), data, installation)
    printed = _replaced(ended.printed, {real: usual for usual, real in addresses.items()})
    return [f"{page}:{flaw}" for flaw in flaws(steps, Ended(ended.code, printed))]


def _addresses(data: Path) -> dict[str, str]:
    """Returns the demo's addresses by those that pages show."""
    facts = json.loads((data / "demo.json").read_text(encoding="utf-8"))
    return {usual: urlsplit(facts[name]).netloc for name, usual in _USUAL_ADDRESSES.items()}


def _replaced(text: str, replacements: Mapping[str, str]) -> str:
    addresses = re.compile("|".join(rf"{re.escape(old)}(?!\d)" for old in replacements))
    return addresses.sub(lambda match: replacements[match[0]], text)


def _run(name: str, script: str, data: Path, installation: Path) -> Ended:
    with tempfile.TemporaryDirectory(prefix="carimbo-page-", ignore_cleanup_errors=True) as folder:
        # Beside the checkout, under the page's name: that is what errors of the shell begin with.
        file, checkout, log = Path(folder, name), Path(folder, "checkout"), Path(folder, "log")
        file.write_text(script, encoding="utf-8")
        checkout.mkdir()
        links = {".carimbo": data.resolve(), "examples": ROOT / "examples", ".venv": installation}
        for link, target in links.items():
            (checkout / link).symlink_to(target)
        code = _wait(["bash", f"../{name}"], checkout, log)
        return Ended(code, log.read_text(encoding="utf-8", errors="replace"))


def _wait(command: Sequence[str], folder: Path, log: Path) -> int | None:
    """Runs a program until it ends or times out; ends all processes that it started."""
    with log.open("wb") as stream:
        process = subprocess.Popen(  # noqa: S603 - a page of ours
            command,
            cwd=folder,
            env={name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ},
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        return process.wait(SECONDS_A_PAGE)
    except subprocess.TimeoutExpired:
        return None
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
