"""Typefaces: every text is reduced to letters that the font has, and these are embedded."""

import unicodedata
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from carimbo.printing.engine.truetype import FontUnusable
from carimbo.printing.engine.typeface import CharacterCodes, Face, typeface_of
from unit.printing.fonts import OWN, serif_folder

PORTUGUESE = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789ÁÀÂÃÇÉÊÍÓÔÕÚÜáàâãçéêíóôõúüºª°§½²³"
LAYOUT = "".join(map(chr, (*range(0x20, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100))))
"""Every character that the official layouts allow."""
INVISIBLE = ("M", "C", "Z")
BOTH = pytest.mark.parametrize("face", [OWN.regular, OWN.bold], ids=["regular", "bold"])


class TestFace:
    @BOTH
    @pytest.mark.parametrize("text", [PORTUGUESE, LAYOUT], ids=["Portuguese", "layout"])
    def test_font_has_every_letter_of_documents(self, face: Face, text: str) -> None:
        assert face.legible(text) == text

    @BOTH
    @given(text=st.text())
    @example(text="\ud83d\udc4d")
    @example(text="\x00\x1f\x7f\u2028\ufffe")
    def test_legible_text_has_only_letters_of_the_font(self, face: Face, text: str) -> None:
        legible = face.legible(text)
        assert face.width(legible) >= 0
        assert face.legible(legible) == legible

    @BOTH
    @given(character=st.characters())
    def test_every_visible_character_is_shown_somehow(self, face: Face, character: str) -> None:
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
    def test_missing_character_is_replaced_by_the_nearest(self, text: str, legible: str) -> None:
        assert OWN.regular.legible(text) == legible

    def test_text_is_as_wide_as_its_letters_together(self) -> None:
        face = OWN.regular
        assert face.width("Ação") == pytest.approx(sum(map(face.width, "Ação")))

    def test_bold_text_is_wider(self) -> None:
        assert OWN.bold.width(PORTUGUESE) > OWN.regular.width(PORTUGUESE)

    def test_digits_have_one_width_so_that_columns_are_straight(self) -> None:
        for face in (OWN.regular, OWN.bold):
            assert len({face.width(digit) for digit in "0123456789"}) == 1


class TestLettering:
    def test_usual_letters_use_the_prepared_font(self) -> None:
        codes = CharacterCodes(OWN.regular)
        codes.encoded("Preço: R$ 1.234,56")
        assert codes.embedded() is OWN.regular.usual

    def test_unusual_letters_are_added_to_the_font(self) -> None:
        codes = CharacterCodes(OWN.regular)
        encoded = codes.encoded("Ω")
        assert int(encoded, 16) == len(OWN.regular.usual_codes) + 1
        assert codes.embedded().length > OWN.regular.usual.length

    def test_letters_of_one_document_do_not_affect_the_next(self) -> None:
        CharacterCodes(OWN.regular).encoded("ΩЖ")
        assert len(CharacterCodes(OWN.regular)) == len(OWN.regular.usual_codes)

    @given(st.text(max_size=40))
    def test_encoded_text_has_four_digits_for_every_letter(self, text: str) -> None:
        legible = OWN.regular.legible(text)
        assert len(CharacterCodes(OWN.regular).encoded(legible)) == 4 * len(legible)


class TestTypeface:
    def test_typeface_of_a_folder_uses_its_fonts(self, tmp_path: Path) -> None:
        serif = typeface_of(serif_folder(tmp_path))
        assert serif.regular.legible(PORTUGUESE) == PORTUGUESE
        assert serif.regular.width("W") != OWN.regular.width("W")

    def test_typeface_is_loaded_once(self) -> None:
        assert typeface_of(None) is typeface_of(None)

    @pytest.mark.parametrize("missing", ["regular.ttf", "bold.ttf"])
    def test_missing_font_is_reported_with_its_path(self, missing: str, tmp_path: Path) -> None:
        (serif_folder(tmp_path) / missing).unlink()
        with pytest.raises(FontUnusable, match=missing):
            typeface_of(tmp_path)

    def test_unusable_font_is_reported_in_portuguese(self, tmp_path: Path) -> None:
        (serif_folder(tmp_path) / "bold.ttf").write_bytes(b"%PDF-1.7 not a font at all")
        with pytest.raises(FontUnusable, match=r"A fonte .*bold\.ttf não pode ser usada"):
            typeface_of(tmp_path)
