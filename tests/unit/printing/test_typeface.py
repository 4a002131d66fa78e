"""The letters of paper: every text is made of letters that the font has, and they go into the file."""

import unicodedata
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from carimbo.printing.truetype import FontUnusable
from carimbo.printing.typeface import Face, Lettering, typeface_of
from unit.printing.fonts import OWN, serif_folder

PORTUGUESE = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789ÁÀÂÃÇÉÊÍÓÔÕÚÜáàâãçéêíóôõúüºª°§½²³"
LAYOUT = "".join(map(chr, (*range(0x20, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100))))
"""Every character that the official layouts allow."""
INVISIBLE = ("M", "C", "Z")
BOTH = pytest.mark.parametrize("face", [OWN.regular, OWN.bold], ids=["regular", "bold"])


class TestFace:
    @BOTH
    @pytest.mark.parametrize("text", [PORTUGUESE, LAYOUT], ids=["Portuguese", "layout"])
    def test_has_every_letter_that_documents_are_written_in(self, face: Face, text: str) -> None:
        assert face.legible(text) == text

    @BOTH
    @given(text=st.text())
    @example(text="\ud83d\udc4d")
    @example(text="\x00\x1f\x7f\u2028\ufffe")
    def test_makes_of_any_text_one_that_it_has_all_letters_of(self, face: Face, text: str) -> None:
        legible = face.legible(text)
        assert face.width(legible) >= 0
        assert face.legible(legible) == legible

    @BOTH
    @given(character=st.characters())
    def test_shows_something_for_every_visible_character(self, face: Face, character: str) -> None:
        if unicodedata.category(character)[0] not in INVISIBLE:
            assert face.legible(character)

    @pytest.mark.parametrize(
        ("text", "legible"),
        [
            ("a\u0301gua", "água"),
            ("日本", "??"),
            ("🎉 festa", "? festa"),
            ("zero\u200blargura", "zerolargura"),
            ("tab\tulado", "tab ulado"),
            ("ḿ", "ḿ"),
            ("ｆｕｌｌ", "full"),
        ],
    )
    def test_replaces_what_it_lacks_by_the_nearest_that_it_has(self, text: str, legible: str) -> None:
        assert OWN.regular.legible(text) == legible

    def test_is_as_wide_as_its_letters_together(self) -> None:
        face = OWN.regular
        assert face.width("Ação") == pytest.approx(sum(map(face.width, "Ação")))

    def test_is_wider_in_bold(self) -> None:
        assert OWN.bold.width(PORTUGUESE) > OWN.regular.width(PORTUGUESE)

    def test_has_digits_of_one_width_so_that_columns_are_straight(self) -> None:
        for face in (OWN.regular, OWN.bold):
            assert len({face.width(digit) for digit in "0123456789"}) == 1


class TestLettering:
    def test_of_usual_letters_takes_the_font_that_is_made_already(self) -> None:
        lettering = Lettering(OWN.regular)
        lettering.encoded("Preço: R$ 1.234,56")
        assert lettering.embedded() is OWN.regular.usual

    def test_of_others_makes_a_font_with_them_too(self) -> None:
        lettering = Lettering(OWN.regular)
        encoded = lettering.encoded("Ω")
        assert int(encoded, 16) == len(OWN.regular.usual_codes) + 1
        assert lettering.embedded().length > OWN.regular.usual.length

    def test_of_one_document_leaves_the_next_one_alone(self) -> None:
        Lettering(OWN.regular).encoded("ΩЖ")
        assert len(Lettering(OWN.regular)) == len(OWN.regular.usual_codes)

    @given(st.text(max_size=40))
    def test_has_four_digits_for_every_letter(self, text: str) -> None:
        legible = OWN.regular.legible(text)
        assert len(Lettering(OWN.regular).encoded(legible)) == 4 * len(legible)


class TestTypeface:
    def test_of_a_folder_has_its_letters(self, tmp_path: Path) -> None:
        serif = typeface_of(serif_folder(tmp_path))
        assert serif.regular.legible(PORTUGUESE) == PORTUGUESE
        assert serif.regular.width("W") != OWN.regular.width("W")

    def test_is_loaded_once(self) -> None:
        assert typeface_of(None) is typeface_of(None)

    @pytest.mark.parametrize("missing", ["regular.ttf", "bold.ttf"])
    def test_of_a_folder_without_one_of_the_two_is_told_by_its_path(
        self, missing: str, tmp_path: Path
    ) -> None:
        (serif_folder(tmp_path) / missing).unlink()
        with pytest.raises(FontUnusable, match=missing):
            typeface_of(tmp_path)

    def test_of_a_file_that_is_no_font_is_told_in_portuguese(self, tmp_path: Path) -> None:
        (serif_folder(tmp_path) / "bold.ttf").write_bytes(b"%PDF-1.7 not a font at all")
        with pytest.raises(FontUnusable, match=r"A fonte .*bold\.ttf não pode ser usada"):
            typeface_of(tmp_path)
