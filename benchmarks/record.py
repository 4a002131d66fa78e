"""Runs a benchmark, and writes what it prints to docs/howto/benchmarks.md.

`python benchmarks/record.py benchmarks/pipeline.py --documents 500` replaces the block below the line
`<!-- figures: pipeline -->`. A benchmark that fails leaves the page as it is; so does one without a block.
"""

import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from report import tell

PAGE = Path(__file__).parents[1] / "docs" / "howto" / "benchmarks.md"


def block_pattern(name: str) -> re.Pattern[str]:
    """What finds the block of a benchmark: its marker, and the figures between two fences."""
    return re.compile(rf"^(<!-- figures: {name} -->\n```\n)(.*?)^```$", re.DOTALL | re.MULTILINE)


def with_figures(page: str, name: str, figures: str) -> str:
    """The page with the figures of one benchmark replaced."""
    lines = figures.strip("\n")
    return block_pattern(name).sub(lambda block: f"{block[1]}{lines}\n```", page)


def run_and_show(command: Sequence[str]) -> tuple[int, str]:
    """Run a program, show its lines as they come, and return its exit code and all of them."""
    lines = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603 - our own
        for line in process.stdout or ():
            tell(line.rstrip("\n"))
            lines.append(line)
    return process.returncode, "".join(lines)


def main(arguments: Sequence[str], page: Path = PAGE) -> int:
    """Run the benchmark of the arguments, and return its exit code."""
    code, printed = run_and_show([sys.executable, *arguments])
    if code == 0:
        text = page.read_text(encoding="utf-8")
        page.write_text(with_figures(text, Path(arguments[0]).stem, printed), encoding="utf-8")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
