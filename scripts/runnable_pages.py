"""The blocks of a documentation page that a test runs, and the script that they become.

The words after a block's language say what it is for:

    sh run               commands; those of a page share one shell, from top to bottom
    json output          what the commands right above printed (or text output)
    python file=name.py  a file that is written before the commands that follow (or any other language)

Blocks without such a word are only read.
"""

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_FENCE = re.compile(r"^(?P<indent> *)(?P<ticks>`{3,})(?P<info>[^`]*)$")
_OTHER_FENCE = re.compile(r"^ *~~~")
_SHELLS = ("sh", "bash")
RUN = "run"
OUTPUT = "output"
_FILE = "file="
# The shell reports the status of the builtin before the name, which never fails.
_HIDDEN_FAILURE = re.compile(
    r"(?:^|[;&|{(]|\b(?:then|else|do)\b)[ \t]*(?:export|local|declare|readonly|typeset)[ \t]"
    r"(?:\\\n|[^\n])*?(?:\$\((?!\()|`)",
    re.MULTILINE,
)
# A mark that no command prints; it surrounds the line of a block whose commands have ended.
MARK = "\x1e"
_END_OF_FILE = "END OF FILE"
# A shell knows the line of a failure only while the failure happens, and its command to the end.
_BEGINNING = (
    "set -Eeuo pipefail; trap 'failed_at=$LINENO' ERR; trap 'code=$?; "
    '[ $code = 0 ] || echo "exit $code at line ${failed_at:-?}: $BASH_COMMAND"\' EXIT; '
)


class PageFlaw(Exception):
    """A page whose blocks can't be run; says the line and why."""

    def __init__(self, line: int, why: str) -> None:
        super().__init__(f"{line}: {why}")


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block; its lines are those of its fences, as editors count them."""

    first_line: int
    last_line: int
    language: str
    marker: str
    text: str

    @property
    def file_name(self) -> str | None:
        """The name of the file that it is."""
        return self.marker.removeprefix(_FILE) if self.marker.startswith(_FILE) else None


@dataclass(frozen=True, slots=True)
class Step:
    """Commands, and the block that shows what they print."""

    commands: Block
    output: Block | None


def blocks_of(page: str) -> list[Block]:
    """Every fenced block of a page."""
    return list(_blocks(page.splitlines()))


def _blocks(lines: Sequence[str]) -> Iterator[Block]:
    numbered = iter(enumerate(lines, start=1))
    for number, line in numbered:
        if _OTHER_FENCE.match(line):
            raise PageFlaw(number, "a block begins with ```, nothing else is looked at")
        if opening := _FENCE.match(line):
            inner: list[str] = []
            for last, text in numbered:
                if text.strip() == opening["ticks"]:
                    yield _block(number, last, opening, inner)
                    break
                inner.append(text.removeprefix(opening["indent"]))
            else:
                raise PageFlaw(number, "the block has no end")


def _block(first: int, last: int, opening: re.Match[str], inner: Sequence[str]) -> Block:
    language, *markers = opening["info"].split() or [""]
    block = Block(first, last, language, " ".join(markers), "".join(f"{line}\n" for line in inner))
    is_known = block.marker in ("", RUN, OUTPUT) or (block.file_name and len(markers) == 1)
    if not is_known:
        raise PageFlaw(first, f"nobody knows what `{block.marker}` means")
    if block.marker == RUN and language not in _SHELLS:
        raise PageFlaw(first, f"only sh can be run, not {language}")
    if block.marker == RUN and (hidden := _HIDDEN_FAILURE.search(block.text)):
        line = first + 1 + block.text.count("\n", 0, hidden.start())
        raise PageFlaw(line, "nobody would see this command fail: assign first, then export")
    return block


def steps_of(blocks: Sequence[Block]) -> list[Step]:
    """Returns the commands to run and their expected output, which follows their block."""
    for above, block in zip([None, *blocks], blocks, strict=False):
        if block.marker == OUTPUT and (above is None or above.marker != RUN):
            raise PageFlaw(block.first_line, "this output has no `run` block above it")
    followers: list[Block | None] = [*blocks[1:], None]
    return [
        Step(block, below if below and below.marker == OUTPUT else None)
        for block, below in zip(blocks, followers, strict=False)
        if block.marker == RUN
    ]


def script_of(blocks: Sequence[Block]) -> str:
    """A shell script that has every command on the line that it has in the page, so that errors name it."""
    lines = [""] * max((block.last_line for block in blocks), default=1)
    for block in blocks:
        if block.marker == RUN or block.file_name:
            opening, closing = _ends(block)
            lines[block.first_line - 1 : block.last_line] = [opening, *block.text.splitlines(), closing]
    return _BEGINNING + "\n".join(lines) + "\n"


def _ends(block: Block) -> tuple[str, str]:
    """Returns the lines that replace a block's fences."""
    if block.file_name:
        return f"cat > {shlex.quote(block.file_name)} <<'{_END_OF_FILE}'", _END_OF_FILE
    return "", f"printf '{MARK}%s{MARK}' {block.first_line}"
