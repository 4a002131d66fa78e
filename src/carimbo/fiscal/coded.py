"""Words of the JSON that stand for the layouts' codes."""

from enum import StrEnum
from typing import Self


class Coded(StrEnum):
    """A choice with a word for callers and a `code` for the authorities."""

    code: str

    def __new__(cls, word: str, code: str) -> Self:
        """Make a member whose value is the word."""
        member = str.__new__(cls, word)
        member._value_ = word
        member.code = code
        return member
