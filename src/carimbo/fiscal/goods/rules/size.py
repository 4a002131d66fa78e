"""How long a document may be, which is known once it is written."""

from carimbo.fiscal.goods.hints import hint_of
from carimbo.fiscal.problems import Problem

_TOO_LONG, _SOURCE = "214", "MOC 7.0, B01"
# What the lot of one document (enviNFe) takes besides it.
_LOT = 200
# The manual's 500 kB, in the longer reading and in the shorter one.
_LONGEST_TAKEN, _LONGEST_SURELY_TAKEN = 500 * 1024 - _LOT, 500_000 - _LOT


def size_problems(document: bytes) -> tuple[Problem, ...]:
    """Tell of a signed document that every authority refuses for its length."""
    size = len(document)
    if size <= _LONGEST_TAKEN:
        return ()
    message = f"A nota tem {size // 1_000} kB em XML, e a SEFAZ recebe mensagens de até 500 kB."
    return (Problem(_TOO_LONG, "items", message, hint_of(_TOO_LONG), _SOURCE),)


def size_warnings(document: bytes) -> tuple[str, ...]:
    """Tell of a signed document that an authority may refuse for its length."""
    size = len(document)
    if size <= _LONGEST_SURELY_TAKEN:
        return ()
    return (f"items: A nota tem {size // 1_000} kB em XML, e a SEFAZ pode recusar mais de 500 kB (214).",)
