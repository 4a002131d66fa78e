"""Reads BER, of which DER is the strict form, enough to look inside a file before OpenSSL does."""

from collections.abc import Iterator
from typing import NamedTuple

INTEGER, OCTET_STRING, OBJECT_ID, SEQUENCE = 0x02, 0x04, 0x06, 0x30
CONSTRUCTED, _LONG_LENGTH = 0x20, 0x80
_END_OF_CONTENTS = b"\0\0"
_MAX_DEPTH = 32


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


def parse(data: bytes, position: int = 0, depth: int = 0) -> tuple[Element, int]:
    """Read the element at a position and tell where the next one begins."""
    tag, start, end = _header(data, position)
    if depth > _MAX_DEPTH:
        raise ValueError("nested too deeply")
    if not tag & CONSTRUCTED and end is not None:
        return _primitive(tag, data[start:end], depth), end
    children, after = _children(data, start, end, depth)
    if tag == OCTET_STRING | CONSTRUCTED:
        return _primitive(OCTET_STRING, b"".join(piece.content for piece in children), depth), after
    return Element(tag, data[start:after], children), after


def _header(data: bytes, position: int) -> tuple[int, int, int | None]:
    """Read the tag, where the content starts and where it ends, which an indefinite length leaves open."""
    start = position + 2
    if start > len(data):
        raise ValueError("cut short")
    tag, length = data[position:start]
    if length == _LONG_LENGTH:
        return tag, start, None
    if length > _LONG_LENGTH:
        digits = data[start : start + length - _LONG_LENGTH]
        length, start = int.from_bytes(digits), start + len(digits)
    if start + length > len(data):
        raise ValueError("cut short")
    return tag, start, start + length


def _children(data: bytes, position: int, end: int | None, depth: int) -> tuple[tuple[Element, ...], int]:
    children = []
    while not data.startswith(_END_OF_CONTENTS, position) if end is None else position < end:
        child, position = parse(data, position, depth + 1)
        children.append(child)
    return tuple(children), position + len(_END_OF_CONTENTS) if end is None else end


def _primitive(tag: int, content: bytes, depth: int) -> Element:
    try:
        enclosed = (parse(content, 0, depth + 1)[0],) if tag == OCTET_STRING else ()
    except ValueError:
        enclosed = ()
    return Element(tag, content, enclosed)
