"""Lists the longest files and functions of the tree; fails if one exceeds its limit."""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import typer

ROOT = Path(__file__).parents[1]
FOLDERS = ("src", "tests", "scripts", "benchmarks")
MAX_FILE_LINES = 500
MAX_FUNCTION_LINES = 60
_SHOWN = 10


@dataclass(frozen=True, slots=True)
class Size:
    """How many lines something has."""

    lines: int
    name: str


def python_files(root: Path = ROOT) -> list[Path]:
    """Every Python file of a tree; tables are data, in files of their own."""
    return [file for folder in FOLDERS for file in sorted((root / folder).rglob("*.py"))]


def file_size(file: Path) -> Size:
    """The length of a file."""
    return Size(file.read_text(encoding="utf-8").count("\n"), str(file))


def function_sizes(file: Path) -> Iterator[Size]:
    """The length of every function of a file, those within others too, from its name to its last line."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            yield Size(lines, f"{file}:{node.lineno} {node.name}")


def main(root: Path = ROOT) -> None:
    """Show the longest of a tree."""
    files = python_files(root)
    functions = [size for file in files for size in function_sizes(file)]
    too_long = [
        *_shown("files", list(map(file_size, files)), MAX_FILE_LINES),
        *_shown("functions", functions, MAX_FUNCTION_LINES),
    ]
    raise typer.Exit(1 if too_long else 0)


def _shown(what: str, sizes: Sequence[Size], limit: int) -> list[Size]:
    """Shows the longest, and returns those that are too long."""
    longest = sorted(sizes, key=lambda size: -size.lines)
    too_long = [size for size in longest if size.lines > limit]
    typer.echo(f"The longest of {len(sizes)} {what}; with more than {limit} lines there are {len(too_long)}:")
    for size in longest[: max(_SHOWN, len(too_long))]:
        typer.echo(f"{size.lines:5}  {size.name.removeprefix(f'{ROOT}/')}")
    return too_long


if __name__ == "__main__":
    typer.run(main)
