"""Pictures whose compressed lines go into a PDF as they are."""

import io
import zlib

import pytest
from PIL import Image

from carimbo.printing.png import NotPlain, PlainPng
from unit.printing.pictures import RED, chunk, png


class TestPlainPng:
    def test_has_its_measures_and_its_lines(self) -> None:
        picture = PlainPng.read(png(3, 2))
        assert (picture.width, picture.height) == (3, 2)
        assert zlib.decompress(picture.data) == (b"\0" + RED * 3) * 2

    def test_may_have_its_lines_in_several_chunks(self) -> None:
        assert PlainPng.read(png(40, 30, parts=5)) == PlainPng.read(png(40, 30))

    def test_may_have_other_chunks_beside_its_lines(self) -> None:
        file = png(3, 2)
        place = file.index(b"IDAT") - 4
        with_text = file[:place] + chunk(b"tEXt", b"Comment\0IDAT") + file[place:]
        assert PlainPng.read(with_text) == PlainPng.read(file)

    def test_is_read_from_what_pillow_saves(self) -> None:
        file = io.BytesIO()
        Image.new("RGB", (7, 5), (224, 16, 16)).save(file, "PNG")
        assert (PlainPng.read(file.getvalue()).width, PlainPng.read(file.getvalue()).height) == (7, 5)

    @pytest.mark.parametrize(
        "form",
        [b"\x08\x06\0\0\0", b"\x10\x02\0\0\0", b"\x08\x03\0\0\0", b"\x08\x00\0\0\0", b"\x08\x02\0\0\x01"],
        ids=["transparent", "16 bits", "palette", "gray", "interlaced"],
    )
    def test_is_no_picture_of_another_form(self, form: bytes) -> None:
        with pytest.raises(NotPlain):
            PlainPng.read(png(3, 2, form))

    @pytest.mark.parametrize("file", [b"", b"GIF89a", b"\xff\xd8\xff\xe0", b"<svg/>"])
    def test_is_no_other_kind_of_file(self, file: bytes) -> None:
        with pytest.raises(NotPlain):
            PlainPng.read(file)

    def test_does_not_show_its_data_when_it_is_logged(self) -> None:
        assert repr(PlainPng.read(png(3, 2))) == "PlainPng(width=3, height=2)"
