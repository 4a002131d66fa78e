"""The codes on paper, read by a scanner: exactly the access key, exactly the address of consultation.

Here the codes of a few examples are read from pixels, which is slow. That the code of every example holds the
right text, and has a size that is read here, is a question of `test_paper_values.py`.
"""

import pytest

from pdf_reading import codes_of
from unit.printing.paper import (
    LAYOUTS,
    LETTERS,
    NAMES,
    SCANNED,
    Layout,
    codes_told_in,
    example,
    in_production,
    printed,
    printed_example,
)

of_every_layout = pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)
WITH_LETTERS = [
    (kind, name) for kind in ("nfe", "nfce") for name in NAMES[kind] if name.startswith("letters")
]


class TestCodes:
    """All examples are of homologation: the mark lies under their texts."""

    @of_every_layout
    def test_are_legible_in_every_size_on_one_page_and_on_several(self, layout: Layout) -> None:
        read = {name: codes_of(printed_example(layout, name).pdf) for name in SCANNED[layout.type]}
        assert read == {name: codes_told_in(example(layout.type, name)) for name in read}

    @of_every_layout
    def test_are_not_covered_by_the_marks_of_a_canceled_document(self, layout: Layout) -> None:
        for name in (LETTERS[layout.type], NAMES[layout.type][0]):
            xml = example(layout.type, name)
            assert codes_of(printed(layout, xml, is_canceled=True).pdf) == codes_told_in(xml)

    @of_every_layout
    def test_are_there_in_production_too(self, layout: Layout) -> None:
        xml = in_production(example(layout.type, LETTERS[layout.type]))
        assert codes_of(printed(layout, xml).pdf) == codes_told_in(xml)

    def test_hold_the_letters_of_a_cnpj(self) -> None:
        assert WITH_LETTERS
        for kind, name in WITH_LETTERS:
            assert any(letter.isalpha() for letter in codes_told_in(example(kind, name)).pop()[6:20])
