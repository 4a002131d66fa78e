"""PNG pictures whose compressed lines are copied into a PDF."""

import io
import zlib

import pytest
from PIL import Image

from carimbo.printing.engine.images import PlainPng, UnsupportedPng
from unit.printing.pictures import RED, chunk, png


class TestPlainPng:
    def test_png_has_its_size_and_its_lines(self) -> None:
        picture = PlainPng.read(png(3, 2))
        assert (picture.width, picture.height) == (3, 2)
        assert zlib.decompress(picture.data) == (b"\0" + RED * 3) * 2

    def test_png_may_have_its_lines_in_several_chunks(self) -> None:
        assert PlainPng.read(png(40, 30, parts=5)) == PlainPng.read(png(40, 30))

    def test_png_may_have_other_chunks(self) -> None:
        file = png(3, 2)
        place = file.index(b"IDAT") - 4
        with_text = file[:place] + chunk(b"tEXt", b"Comment\0IDAT") + file[place:]
        assert PlainPng.read(with_text) == PlainPng.read(file)

    def test_png_saved_by_pillow_is_read(self) -> None:
        file = io.BytesIO()
        Image.new("RGB", (7, 5), (224, 16, 16)).save(file, "PNG")
        assert (PlainPng.read(file.getvalue()).width, PlainPng.read(file.getvalue()).height) == (7, 5)

    @pytest.mark.parametrize(
        "form",
        [b"\x08\x06\0\0\0", b"\x10\x02\0\0\0", b"\x08\x03\0\0\0", b"\x08\x00\0\0\0", b"\x08\x02\0\0\x01"],
        ids=["transparent", "16 bits", "palette", "gray", "interlaced"],
    )
    def test_png_of_another_form_is_refused(self, form: bytes) -> None:
        with pytest.raises(UnsupportedPng):
            PlainPng.read(png(3, 2, form))

    @pytest.mark.parametrize("file", [b"", b"GIF89a", b"\xff\xd8\xff\xe0", b"<svg/>"])
    def test_file_that_is_no_png_is_refused(self, file: bytes) -> None:
        with pytest.raises(UnsupportedPng):
            PlainPng.read(file)

    def test_repr_does_not_show_the_data(self) -> None:
        assert repr(PlainPng.read(png(3, 2))) == "PlainPng(width=3, height=2)"
