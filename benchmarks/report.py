"""Prints lines, and first of all what the figures were taken on: the commit and the machine."""

import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

_ROOT = Path(__file__).parents[1]
_MEASURED = ("src", "benchmarks", "constraints.txt")
"""What figures depend on; a changed page of the documentation changes none."""


def tell(line: str) -> None:
    """Print at once: a run takes minutes."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def tell_origin() -> None:
    """Print the first line of every benchmark."""
    tell(f"taken on commit {commit()}, {processor()}, {os.cpu_count()} cores")


def commit(folder: Path = _ROOT) -> str:
    """The commit of a checkout, with a plus sign if its files are changed; "unknown" outside git."""
    head = _output_of("git", "-C", str(folder), "rev-parse", "--short=8", "HEAD").strip()
    changes = _output_of("git", "-C", str(folder), "status", "--porcelain", "--", *_MEASURED)
    return f"{head}+" if head and changes else head or "unknown"


def processor() -> str:
    """The model of the processor."""
    model = re.search(r"^Model name:\s*(.+)$", _output_of("lscpu"), re.MULTILINE)
    return model[1] if model else platform.processor() or platform.machine()


def _output_of(name: str, *arguments: str) -> str:
    """What a program prints; nothing if it is not installed, or fails."""
    program = shutil.which(name)
    if program is None:
        return ""
    ended = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)  # noqa: S603 - constants
    return ended.stdout if ended.returncode == 0 else ""
