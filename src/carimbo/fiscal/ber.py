"""Reads BER, of which DER is the strict form, enough to look inside a file before OpenSSL does."""

from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeVar

INTEGER, OCTET_STRING, OBJECT_ID, SEQUENCE = 0x02, 0x04, 0x06, 0x30
CONSTRUCTED, _LONG_LENGTH = 0x20, 0x80
_END_OF_CONTENTS = b"\0\0"
# A PKCS#12 file has some hundreds of elements; certificates in it reach depth 28.
MAX_ELEMENTS = 20_000
MAX_DEPTH = 48

_T = TypeVar("_T")


class _Malformed(ValueError):
    """The bytes are not BER, as is to be expected of what most octet strings hold."""


class Element(NamedTuple):
    """One element of BER, of which DER is the strict form; files made by Java may have the loose one."""

    tag: int
    content: bytes
    children: tuple["Element", ...]

    def walk(self) -> Iterator["Element"]:
        """Yield the element and all below it, what octet strings enclose included."""
        yield self
        for child in self.children:
            yield from child.walk()

    def begins_with(self, object_ids: set[bytes]) -> bool:
        """Tell whether one of these object ids comes first, with something after it."""
        first, *rest = self.children or (self,)
        return bool(rest) and first.tag == OBJECT_ID and first.content in object_ids

    def to_der(self) -> bytes:
        """Write definite lengths throughout, but leave octet strings alone, for the MAC covers them."""
        nested = self.tag & CONSTRUCTED
        content = b"".join(child.to_der() for child in self.children) if nested else self.content
        size = len(content)
        if size < _LONG_LENGTH:
            return bytes([self.tag, size]) + content
        length = size.to_bytes((size.bit_length() + 7) // 8)
        return bytes([self.tag, _LONG_LENGTH | len(length)]) + length + content


def parse(data: bytes) -> Element:
    """Read the element that the bytes begin with, or raise ValueError, within 0.1 s for any 1 MB."""
    return _Reader().element(memoryview(data), 0, 0)[0]


class _Reader:
    """Reads elements until it has seen too many, each byte once at each depth."""

    def __init__(self) -> None:
        self._elements_left = MAX_ELEMENTS

    def element(self, data: memoryview, position: int, depth: int) -> tuple[Element, int]:
        """Read the element at a position and tell where the next one begins."""
        tag, start, end = self._enter(data, position, depth)
        if tag & ~CONSTRUCTED == OCTET_STRING:
            content, after = self._octets(tag, data, start, end, depth)
            return Element(OCTET_STRING, content, self._enclosed(content, depth)), after
        if end is not None and not tag & CONSTRUCTED:
            return Element(tag, bytes(data[start:end]), ()), end
        children, after = _series(self.element, data, start, end, depth)
        return Element(tag, bytes(data[start:after]), tuple(children)), after

    def _enter(self, data: memoryview, position: int, depth: int) -> tuple[int, int, int | None]:
        # Not `_Malformed`: what lies beyond the limits must not pass for an octet string without structure.
        if depth > MAX_DEPTH:
            raise ValueError("nested too deeply")
        if not self._elements_left:
            raise ValueError("too many elements")
        self._elements_left -= 1
        return _header(data, position)

    def _octets(
        self, tag: int, data: memoryview, start: int, end: int | None, depth: int
    ) -> tuple[bytes, int]:
        if end is not None and not tag & CONSTRUCTED:
            return bytes(data[start:end]), end
        pieces, after = _series(self._piece, data, start, end, depth)
        return b"".join(pieces), after

    def _piece(self, data: memoryview, position: int, depth: int) -> tuple[bytes, int]:
        """Read an octet string without looking inside, for only the whole has a meaning."""
        tag, start, end = self._enter(data, position, depth)
        if tag & ~CONSTRUCTED != OCTET_STRING:
            raise _Malformed("not a piece of an octet string")
        return self._octets(tag, data, start, end, depth)

    def _enclosed(self, content: bytes, depth: int) -> tuple[Element, ...]:
        try:
            return (self.element(memoryview(content), 0, depth + 1)[0],)
        except _Malformed:
            return ()


def _header(data: memoryview, position: int) -> tuple[int, int, int | None]:
    """Read the tag, where the content starts and where it ends, which an indefinite length leaves open."""
    start = position + 2
    if start > len(data):
        raise _Malformed("cut short")
    tag, length = data[position:start]
    if length == _LONG_LENGTH:
        if not tag & CONSTRUCTED:
            raise _Malformed("open but not constructed")
        return tag, start, None
    if length > _LONG_LENGTH:
        digits = data[start : start + length - _LONG_LENGTH]
        length, start = int.from_bytes(digits), start + len(digits)
    if start + length > len(data):
        raise _Malformed("cut short")
    return tag, start, start + length


def _series(
    read: Callable[[memoryview, int, int], tuple[_T, int]],
    data: memoryview,
    position: int,
    end: int | None,
    depth: int,
) -> tuple[list[_T], int]:
    """Read all that a constructed element holds and tell where the next element begins."""
    found = []
    # Nothing may reach beyond what holds it, or the same bytes would be read again after it.
    held = data[:end]
    while held[position : position + 2] != _END_OF_CONTENTS if end is None else position < end:
        item, position = read(held, position, depth + 1)
        found.append(item)
    return found, position + len(_END_OF_CONTENTS) if end is None else end
