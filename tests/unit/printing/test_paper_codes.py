"""The codes on paper, read by a scanner: exactly the access key, exactly the address of consultation."""

import pytest

from pdf_reading import codes_of
from unit.printing.paper import (
    LAYOUTS,
    LETTERS,
    MOC,
    NAMES,
    NT,
    ROLL_58,
    ROLL_80,
    V2,
    Layout,
    codes_told_in,
    example,
    in_production,
    printed,
    printed_example,
)

WITH_LETTERS = [
    (kind, name) for kind in ("nfe", "nfce") for name in NAMES[kind] if name.startswith("letters")
]


class TestCodes:
    """All examples are of homologation: the mark lies under their texts."""

    @pytest.mark.parametrize("name", NAMES["nfe"])
    def test_of_every_danfe_are_its_key(self, name: str) -> None:
        assert codes_of(printed_example(MOC, name).pdf) == codes_told_in(example("nfe", name))

    @pytest.mark.parametrize("layout", [ROLL_80, ROLL_58], ids=lambda layout: layout.name)
    @pytest.mark.parametrize("name", NAMES["nfce"])
    def test_of_every_receipt_are_its_address(self, name: str, layout: Layout) -> None:
        assert codes_of(printed_example(layout, name).pdf) == codes_told_in(example("nfce", name))

    @pytest.mark.parametrize("name", NAMES["nfse"])
    def test_of_every_danfse_are_its_address(self, name: str) -> None:
        assert codes_of(printed_example(V2, name).pdf) == codes_told_in(example("nfse", name))

    @pytest.mark.parametrize("name", ["minimal", "letters", "letters-normal", "fifty-items"])
    def test_are_as_legible_in_the_layout_of_the_reform(self, name: str) -> None:
        assert codes_of(printed_example(NT, name).pdf) == codes_told_in(example("nfe", name))

    @pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)
    def test_are_not_covered_by_the_marks_of_a_canceled_document(self, layout: Layout) -> None:
        for name in (LETTERS[layout.type], NAMES[layout.type][0]):
            xml = example(layout.type, name)
            assert codes_of(printed(layout, xml, is_canceled=True).pdf) == codes_told_in(xml)

    @pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)
    def test_are_there_in_production_too(self, layout: Layout) -> None:
        xml = in_production(example(layout.type, LETTERS[layout.type]))
        assert codes_of(printed(layout, xml).pdf) == codes_told_in(xml)

    def test_hold_the_letters_of_a_cnpj(self) -> None:
        assert WITH_LETTERS
        for kind, name in WITH_LETTERS:
            assert any(letter.isalpha() for letter in codes_told_in(example(kind, name)).pop()[6:20])
