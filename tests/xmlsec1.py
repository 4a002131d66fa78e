"""Verifies signatures by `xmlsec1`, an implementation independent of ours."""

import re
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from support import TIMEOUT_SECONDS

_REFUSED = re.compile(r'^Error: failed to verify file "(.+)"$', re.MULTILINE)
_ACCEPTED = re.compile(r"^OK$", re.MULTILINE)


def xmlsec1_accepts(xml: bytes, tag: str) -> bool:
    """Returns whether the first signature in a document is valid; `tag` names the elements with an Id."""
    with tempfile.TemporaryDirectory(prefix="carimbo-") as folder:
        file = Path(folder) / "document.xml"
        file.write_bytes(xml)
        return _verify([file], [tag]).returncode == 0


def refused_by_xmlsec1(files: Iterable[Path], tags: Iterable[str]) -> list[Path]:
    """Returns the files with an invalid signature; each process checks up to the first of them."""
    rest, id_tags = list(files), list(tags)
    refused: list[Path] = []
    while rest:
        judged = _verify(rest, id_tags)
        accepted = len(_ACCEPTED.findall(judged.stderr))
        if judged.returncode == 0:
            assert accepted == len(rest), judged.stderr
            return refused
        (named,) = _REFUSED.findall(judged.stderr)
        assert named == str(rest[accepted]), judged.stderr
        refused.append(rest[accepted])
        rest = rest[accepted + 1 :]
    return refused


def _verify(files: Sequence[Path], tags: Sequence[str]) -> subprocess.CompletedProcess[str]:
    id_options = [part for tag in tags for part in ("--id-attr:Id", tag)]
    command = ["xmlsec1", "--verify", "--insecure", *id_options, *map(str, files)]
    return subprocess.run(command, capture_output=True, check=False, timeout=TIMEOUT_SECONDS, text=True)
