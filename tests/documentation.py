"""The pages of the documentation, and where they lead."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
INDEX = ROOT / "docs" / "README.md"
_LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")


def links_of(page: Path) -> list[str]:
    """What a page of ours links to in this tree, as it is written there."""
    return _LINK.findall(page.read_text(encoding="utf-8"))


def anchors_of(page: Path) -> set[str]:
    """What a link can name of a page: its headings, written as addresses are."""
    prose = re.sub(r"^ *```.*?^ *```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.+)$", prose, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}


def pages_behind(page: Path) -> list[Path]:
    """The pages that one links to, in its order; whether they are there is another question."""
    pages = [(page.parent / link).resolve() for link in links_of(page) if link.endswith(".md")]
    return list(dict.fromkeys(pages))


def first_week() -> list[str]:
    """The pages in the order in which somebody new reads them, by their paths."""
    pages = [ROOT / "README.md", *pages_behind(INDEX)]
    return list(dict.fromkeys(str(page.relative_to(ROOT)) for page in pages))
