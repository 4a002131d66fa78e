"""Pages lead to each other, and to what is there."""

from pathlib import Path

import pytest

from documentation import INDEX, ROOT, anchors_of, linked_anchors, links_of, pages_behind

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


def reachable(page: Path, known: frozenset[Path] = frozenset()) -> frozenset[Path]:
    """Every page that somebody finds who begins with one and follows its links."""
    for next_page in [page, *pages_behind(page)]:
        if next_page not in known and next_page.exists():
            known = reachable(next_page, known | {next_page})
    return known


class TestLinks:
    @pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
    def test_between_pages_lead_somewhere(self, page: Path) -> None:
        assert [link for link in links_of(page) if not (page.parent / link).exists()] == []

    @pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
    def test_to_a_part_of_a_page_name_one_of_its_headings(self, page: Path) -> None:
        named = [(target, anchor) for target, anchor in linked_anchors(page) if target.suffix == ".md"]
        assert [link for link in named if link[1] not in anchors_of(link[0])] == []


class TestIndex:
    def test_leads_to_every_page(self) -> None:
        pages = set((ROOT / "docs").rglob("*.md"))
        assert pages - reachable(INDEX) == set()
