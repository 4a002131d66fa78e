"""The PDF file itself: numbered objects and where they are (ISO 32000-1, 7.5)."""

import zlib
from collections.abc import Sequence

# Binary bytes in the second line tell what carries the file that it is not text.
_HEADER = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"
# Most of the gain for a third of the time.
_LEVEL = 3


class PdfFile:
    """A file that is put together object by object; the same objects give the same bytes."""

    def __init__(self) -> None:
        self._objects: list[bytes] = []

    def reserve(self) -> int:
        """A number for an object that others have to point to before it is known."""
        self._objects.append(b"")
        return len(self._objects)

    def put(self, number: int, content: str) -> None:
        """Say what a reserved number is."""
        self._objects[number - 1] = content.encode("latin-1")

    def add(self, content: str) -> int:
        """Add an object, and tell its number."""
        self._objects.append(content.encode("latin-1"))
        return len(self._objects)

    def add_stream(self, data: bytes, entries: str = "") -> int:
        """Add bytes, compressed here."""
        return self.add_compressed(zlib.compress(data, _LEVEL), entries)

    def add_compressed(self, data: bytes, entries: str = "") -> int:
        """Add bytes that are compressed already."""
        head = f"<< /Filter /FlateDecode /Length {len(data)} {entries} >>\nstream\n".encode("latin-1")
        self._objects.append(b"".join((head, data, b"\nendstream")))
        return len(self._objects)

    def finished(self, root: int, information: int) -> bytes:
        """The whole file."""
        parts, places, place = [_HEADER], [], len(_HEADER)
        for number, content in enumerate(self._objects, 1):
            part = b"%d 0 obj\n%b\nendobj\n" % (number, content)
            places.append(place)
            parts.append(part)
            place += len(part)
        size = len(places) + 1
        trailer = f"<< /Size {size} /Root {root} 0 R /Info {information} 0 R >>"
        table = _cross_references(places)
        return b"".join((*parts, table, f"trailer\n{trailer}\nstartxref\n{place}\n%%EOF\n".encode()))


def text_string(text: str) -> str:
    """A text outside of pages, such as a title."""
    return f"<FEFF{text.encode('utf-16-be').hex()}>"


def _cross_references(places: Sequence[int]) -> bytes:
    rows = "".join(f"{place:010} 00000 n \n" for place in places)
    return f"xref\n0 {len(places) + 1}\n0000000000 65535 f \n{rows}".encode()
