"""Header fields of messages: what people call themselves is read as text, and as they told it.

The standard library, where it folds a long name with accents, loses the blanks between its words.
"""

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence

_LONGEST_LINE = 76
# Longer ones are encoded, so that a line can end within them.
_LONGEST_WORD = 60
# So that even the first line, with our longest name of a field, holds an encoded word.
_OCTETS_PER_WORD = 39
_PRINTABLE = re.compile(r"[ -~]*")
_ATOMS = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~ -]+")
_QUOTED = re.compile(r'["\\]')
# How an encoded word begins: whoever is called so must not be decoded.
_ENCODED_WORD = "=?"
# Joins what is one picture to whoever sees it.
_JOINER = "\u200d"


def in_one_line(name: str) -> str:
    """A name without what would end a line, move a cursor or turn the direction of writing around."""
    shown = "".join(one if one.isprintable() or one == _JOINER else " " for one in name)
    return " ".join(shown.split())


def field(name: str, tokens: Iterable[str]) -> str:
    """A header field, folded between its tokens."""
    first, *others = tokens
    lines = [f"{name}: {first}"]
    for token in others:
        if len(lines[-1]) + 1 + len(token) <= _LONGEST_LINE:
            lines[-1] += f" {token}"
        else:
            lines.append(f" {token}")
    return "".join(f"{line}\r\n" for line in lines)


def text(line: str) -> list[str]:
    """The tokens of free text, of one line."""
    return _words(line) or list(_encoded(line))


def mailbox(address: str, name: str) -> list[str]:
    """The tokens of an address with the name of its owner, of one line."""
    if not name:
        return [address]
    phrase = name if _ATOMS.fullmatch(name) else '"' + _QUOTED.sub(r"\\\g<0>", name) + '"'
    return [*(_words(phrase) or _encoded(name)), f"<{address}>"]


def mailboxes(listed: Sequence[list[str]]) -> list[str]:
    """The tokens of several addresses."""
    *others, last = listed
    return [token for one in others for token in (*one[:-1], f"{one[-1]},")] + last


def _words(line: str) -> list[str]:
    """What can stand as it is; nothing, if that would be read as something else."""
    words = line.split(" ")
    is_plain = _PRINTABLE.fullmatch(line) and _ENCODED_WORD not in line
    return words if is_plain and max(map(len, words)) <= _LONGEST_WORD else []


def _encoded(line: str) -> Iterator[str]:
    """Encoded words (RFC 2047), none of which cuts a letter in two."""
    octets = b""
    for letter in line:
        if len(octets + letter.encode()) > _OCTETS_PER_WORD:
            yield _encoded_word(octets)
            octets = b""
        octets += letter.encode()
    yield _encoded_word(octets)


def _encoded_word(octets: bytes) -> str:
    return f"=?utf-8?b?{b64encode(octets).decode()}?="
