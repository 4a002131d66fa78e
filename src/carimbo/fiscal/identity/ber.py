"""A small reader of BER (DER is its strict form), for checking a file before OpenSSL opens it."""

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
    """The bytes are not BER. This is normal inside of octet strings: most hold other data."""


class BerElement(NamedTuple):
    """An element of BER. Files written by Java may use forms that DER does not allow."""

    tag: int
    content: bytes
    children: tuple["BerElement", ...]

    def walk(self) -> Iterator["BerElement"]:
        """Yields the element and all elements in it, including those inside of octet strings."""
        yield self
        for child in self.children:
            yield from child.walk()

    def begins_with(self, object_ids: set[bytes]) -> bool:
        """Returns whether the first child is one of these object ids and another child follows."""
        first, *rest = self.children or (self,)
        return bool(rest) and first.tag == OBJECT_ID and first.content in object_ids

    def to_der(self) -> bytes:
        """Returns the element with definite lengths. Octet strings stay as they are: the MAC covers them."""
        nested = self.tag & CONSTRUCTED
        content = b"".join(child.to_der() for child in self.children) if nested else self.content
        size = len(content)
        if size < _LONG_LENGTH:
            return bytes([self.tag, size]) + content
        length = size.to_bytes((size.bit_length() + 7) // 8)
        return bytes([self.tag, _LONG_LENGTH | len(length)]) + length + content


def parse(data: bytes) -> BerElement:
    """Returns the first element of the bytes; raises ValueError. Takes at most 0.1 s per MB."""
    return _Reader().element(memoryview(data), 0, 0)[0]


class _Reader:
    """Reads elements up to a limit; each byte is read once per depth."""

    def __init__(self) -> None:
        self._elements_left = MAX_ELEMENTS

    def element(self, data: memoryview, position: int, depth: int) -> tuple[BerElement, int]:
        """Returns the element at a position, and the position of the next one."""
        tag, start, end = self._enter(data, position, depth)
        if tag & ~CONSTRUCTED == OCTET_STRING:
            content, after = self._octets(tag, data, start, end, depth)
            return BerElement(OCTET_STRING, content, self._enclosed(content, depth)), after
        if end is not None and not tag & CONSTRUCTED:
            return BerElement(tag, bytes(data[start:end]), ()), end
        children, after = _series(self.element, data, start, end, depth)
        return BerElement(tag, bytes(data[start:after]), tuple(children)), after

    def _enter(self, data: memoryview, position: int, depth: int) -> tuple[int, int, int | None]:
        # Not `_Malformed`: a file beyond the limits must not pass as an octet string without structure.
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
        # The pieces of an octet string are not parsed one by one: only the joined string has a meaning.
        tag, start, end = self._enter(data, position, depth)
        if tag & ~CONSTRUCTED != OCTET_STRING:
            raise _Malformed("not a piece of an octet string")
        return self._octets(tag, data, start, end, depth)

    def _enclosed(self, content: bytes, depth: int) -> tuple[BerElement, ...]:
        try:
            return (self.element(memoryview(content), 0, depth + 1)[0],)
        except _Malformed:
            return ()


def _header(data: memoryview, position: int) -> tuple[int, int, int | None]:
    """Returns the tag, and where the content starts and ends; the end is None for an indefinite length."""
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
    """Returns all items of a constructed element, and the position of the next element."""
    items = []
    # An item must not reach beyond its container, or the same bytes would be read twice.
    container = data[:end]
    while container[position : position + 2] != _END_OF_CONTENTS if end is None else position < end:
        item, position = read(container, position, depth + 1)
        items.append(item)
    return items, position + len(_END_OF_CONTENTS) if end is None else end
