"""The pages of the documentation and their links."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
INDEX = ROOT / "docs" / "README.md"
PORTUGUESE = ROOT / "docs" / "pt-BR"
_LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")


def links_of(page: Path) -> list[str]:
    """Returns the links of a page to files of this tree, as they are written."""
    return _LINK.findall(page.read_text(encoding="utf-8"))


def anchors_of(page: Path) -> set[str]:
    """Returns the anchors of a page's headings."""
    prose = re.sub(r"^ *```.*?^ *```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.+)$", prose, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}


def pages_behind(page: Path) -> list[Path]:
    """Returns the pages that a page links to, in its order; they may be missing."""
    pages = [(page.parent / link).resolve() for link in links_of(page) if link.endswith(".md")]
    return list(dict.fromkeys(pages))


def first_week() -> list[str]:
    """Returns the paths of the English pages in the order in which somebody new reads them.

    Portuguese pages are left out: their blocks are those of their English twins.
    """
    pages = [ROOT / "README.md", *pages_behind(INDEX)]
    english = [page for page in pages if not page.is_relative_to(PORTUGUESE)]
    return list(dict.fromkeys(str(page.relative_to(ROOT)) for page in english))
