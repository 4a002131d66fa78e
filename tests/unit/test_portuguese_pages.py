"""Every Portuguese page says what its English twin says: the same blocks, headings and tables.

`tests/acceptance/test_pages.py` runs the blocks of the English pages. The blocks of the Portuguese pages are
equal, so that run covers them too. `test_documentation.py` checks the links of all pages, of these too.
"""

import re
from pathlib import Path

import pytest
from runnable_pages import blocks_of

from documentation import PORTUGUESE, ROOT, first_week, links_of

HOWTOS = (
    "your-company",
    "nfe",
    "nfce",
    "nfse",
    "cte",
    "cte-os",
    "sales",
    "paper",
    "emails",
    "webhooks",
    "simulator",
    "certificates",
    "going-live",
    "numbering",
    "contingency",
    "mdfe",
    "received",
    "dashboard",
)
README = ROOT / "README.pt-BR.md"
PAGES = [README, *sorted(PORTUGUESE.rglob("*.md"))]
# The texts of a diagram's states and arrows are for reading, so they are translated.
_DIAGRAM_TEXT = re.compile(r'(?<= : ).*|"[^"]*"')


def english_twin(page: Path) -> Path:
    """Returns the English page that a Portuguese page translates."""
    return ROOT / "README.md" if page == README else ROOT / "docs" / page.relative_to(PORTUGUESE)


def blocks(page: Path) -> list[tuple[str, str, str]]:
    """Returns language, marker and text of every fenced block, without the texts of diagrams."""
    return [
        (
            block.language,
            block.marker,
            _DIAGRAM_TEXT.sub("", block.text) if block.language == "mermaid" else block.text,
        )
        for block in blocks_of(page.read_text(encoding="utf-8"))
    ]


def prose(page: Path) -> str:
    """Returns the text of a page without its fenced blocks."""
    lines = page.read_text(encoding="utf-8").splitlines()
    for block in blocks_of("\n".join(lines)):
        lines[block.first_line - 1 : block.last_line] = [""] * (block.last_line - block.first_line + 1)
    return "\n".join(lines)


def headings(page: Path) -> list[str]:
    """Returns the levels of a page's headings, in order."""
    return re.findall(r"^(#+) ", prose(page), re.MULTILINE)


def table_rows(page: Path) -> list[int]:
    """Returns the number of columns of each table row, in order."""
    rows = re.findall(r"^\|.*\|$", prose(page), re.MULTILINE)
    return [len(re.findall(r"(?<!\\)\|", row)) - 1 for row in rows]


def codes(page: Path) -> set[str]:
    """Returns everything that the prose of a page shows as code."""
    return set(re.findall(r"`([^`\n]+)`", prose(page)))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
class TestPortuguesePage:
    def test_portuguese_page_has_an_english_twin(self, page: Path) -> None:
        assert english_twin(page).is_file()

    def test_portuguese_page_has_the_blocks_of_its_english_twin(self, page: Path) -> None:
        assert blocks(page) == blocks(english_twin(page))

    def test_portuguese_page_has_the_headings_of_its_english_twin(self, page: Path) -> None:
        assert headings(page) == headings(english_twin(page))

    def test_portuguese_page_has_the_table_rows_of_its_english_twin(self, page: Path) -> None:
        assert table_rows(page) == table_rows(english_twin(page))

    def test_portuguese_page_names_every_field_and_command_of_its_english_twin(self, page: Path) -> None:
        assert codes(english_twin(page)) - codes(page) == set()

    def test_portuguese_page_links_to_portuguese_pages_where_they_exist(self, page: Path) -> None:
        linked = {(page.parent / link).resolve() for link in links_of(page)} - {english_twin(page)}
        translated = {english_twin(other) for other in PAGES}
        assert linked & translated == set()


def test_every_howto_of_the_first_week_exists() -> None:
    assert [name for name in HOWTOS if not (PORTUGUESE / "howto" / f"{name}.md").is_file()] == []


def test_english_readme_and_index_link_to_the_portuguese_ones() -> None:
    assert "README.pt-BR.md" in links_of(ROOT / "README.md")
    assert "pt-BR/README.md" in links_of(ROOT / "docs" / "README.md")


def test_pages_that_are_run_are_english() -> None:
    """The blocks of a Portuguese page are run once, as those of its English twin."""
    assert [page for page in first_week() if "pt-BR" in page] == []
