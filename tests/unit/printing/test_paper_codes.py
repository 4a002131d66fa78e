"""Printed codes, read by a scanner: exactly the access key or the query address.

Scanning pixels is slow, so only a few examples are scanned here. `test_paper_values.py` checks for every
example that its code holds the right text and has one of the sizes that are scanned here.
"""

import pytest

from pdf_reading import codes_of
from unit.printing.paper import (
    LAYOUTS,
    LETTERS,
    NAMES,
    SCANNED,
    Layout,
    example,
    expected_codes,
    in_production,
    printed,
    printed_example,
)

of_every_layout = pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)
WITH_LETTERS = [
    (document_type, name)
    for document_type in ("nfe", "nfce")
    for name in NAMES[document_type]
    if name.startswith("letters")
]


class TestCodes:
    """All examples are of homologation, so a watermark lies under their texts."""

    @of_every_layout
    def test_codes_of_every_size_are_legible_on_one_page_and_on_several(self, layout: Layout) -> None:
        read = {name: codes_of(printed_example(layout, name).pdf) for name in SCANNED[layout.type]}
        assert read == {name: expected_codes(example(layout.type, name)) for name in read}

    @of_every_layout
    def test_codes_are_not_covered_by_the_marks_of_a_canceled_document(self, layout: Layout) -> None:
        for name in (LETTERS[layout.type], NAMES[layout.type][0]):
            xml = example(layout.type, name)
            assert codes_of(printed(layout, xml, is_canceled=True).pdf) == expected_codes(xml)

    @of_every_layout
    def test_codes_are_legible_in_production(self, layout: Layout) -> None:
        xml = in_production(example(layout.type, LETTERS[layout.type]))
        assert codes_of(printed(layout, xml).pdf) == expected_codes(xml)

    def test_codes_hold_the_letters_of_a_cnpj(self) -> None:
        assert WITH_LETTERS
        for document_type, name in WITH_LETTERS:
            assert any(
                letter.isalpha() for letter in expected_codes(example(document_type, name)).pop()[6:20]
            )
