"""How long a document may be, which is known once it is written."""

from carimbo.fiscal.goods.hints import hint_of
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.rules import NOTHING_BROKEN, Judgement

_TOO_LONG, _SOURCE = "214", "MOC 7.0, B01"
# What the lot of one document (enviNFe) takes besides it.
_LOT = 200
# The manual's 500 kB, in the longer reading and in the shorter one.
_LONGEST_TAKEN, _LONGEST_SURELY_TAKEN = 500 * 1024 - _LOT, 500_000 - _LOT


def judge_size(document: bytes) -> Judgement:
    """Refuses a text that every authority refuses for its length, and warns of one that some may refuse."""
    size = len(document)
    if size <= _LONGEST_SURELY_TAKEN:
        return NOTHING_BROKEN
    message = f"A nota tem {size // 1_000} kB em XML, e a SEFAZ recebe mensagens de até 500 kB."
    problem = Problem(_TOO_LONG, "items", message, hint_of(_TOO_LONG), _SOURCE)
    warning = f"items: A nota tem {size // 1_000} kB em XML, e a SEFAZ pode recusar mais de 500 kB (214)."
    return Judgement((problem,) if size > _LONGEST_TAKEN else (), (warning,))
