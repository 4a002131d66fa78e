"""Lists names that do not say what they hold and class names that occur twice; fails if one is new."""

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

import typer

ROOT = Path(__file__).parents[1]
FOLDERS = ("src", "tests", "scripts", "benchmarks")
VAGUE = frozenset({"told", "one", "found", "known", "said", "heard", "asked", "made"})
"""Words for what happened to a value, not for what it is."""
ALLOWED = ROOT / "scripts" / "names_allowed.txt"
"""Files that still have such names, one on each line. A file that has none any more must leave the list."""


def vague_names(tree: ast.AST) -> Iterator[str]:
    """Yields each vague name of a variable, argument, field, function or class, with its line."""
    for node in ast.walk(tree):
        match node:
            case ast.arg(arg=name):
                pass
            case ast.Name(id=name, ctx=ast.Store()):
                pass
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                pass
            case ast.MatchAs(name=str(name)):
                pass
            case _:
                continue
        plain = name.strip("_")
        if plain in VAGUE or (isinstance(node, ast.ClassDef) and plain.lower() in VAGUE):
            yield f"{name} (line {node.lineno})"


def repeated_classes(trees: Mapping[str, ast.Module]) -> Iterator[str]:
    """Yields a sentence for each public class name of the package that occurs in several modules."""
    paths_of: dict[str, list[str]] = {}
    for path, tree in trees.items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_") and path.startswith("src/"):
                paths_of.setdefault(node.name, []).append(path)
    yield from (f"class {name} occurs in {', '.join(paths)}" for name, paths in paths_of.items() if paths[1:])


def complaints(root: Path, allowed: set[str]) -> Iterator[str]:
    """Yields everything that is wrong with the names of a tree, as sentences."""
    files = [file for folder in FOLDERS for file in sorted((root / folder).rglob("*.py"))]
    trees = {file.relative_to(root).as_posix(): ast.parse(file.read_text(encoding="utf-8")) for file in files}
    for path, tree in trees.items():
        names = list(vague_names(tree))
        if names and path not in allowed:
            yield f"{path}: name the value by what it is: {', '.join(names)}"
        elif not names and path in allowed:
            yield f"{path}: has only plain names now; remove it from {ALLOWED.name}"
    yield from (f"{path}: does not exist" for path in sorted(allowed - set(trees)))
    yield from repeated_classes(trees)


def main(root: Path = ROOT, allowed: Path = ALLOWED) -> None:
    """Show what is wrong with the names of a tree."""
    listed = set(allowed.read_text(encoding="utf-8").split()) if allowed.exists() else set()
    wrong = list(complaints(root, listed))
    for sentence in wrong:
        typer.echo(sentence)
    typer.echo(f"{len(wrong)} names to change; {len(listed)} files may still have vague names.")
    raise typer.Exit(1 if wrong else 0)


if __name__ == "__main__":
    typer.run(main)
