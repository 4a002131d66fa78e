"""The message: how it is written (Anexo I, rules of the transmission)."""

import re

from carimbo.simulator.element_names import is_prefixed
from carimbo.simulator.nfse.call import Posted
from carimbo.simulator.rule import Rule

_DECLARATION = re.compile(rb"\s*<\?xml\s[^>]*?\bencoding\s*=\s*[\"']utf-8[\"'][^>]*?\?>", re.IGNORECASE)
_OTHER_ENCODING = re.compile(rb"\s*<\?xml\s[^>]*?\bencoding\s*=")


def undeclared(posted: Posted) -> bool:
    """No declaration of UTF-8 at the beginning."""
    return not _DECLARATION.match(posted.xml)


def prefixed(posted: Posted) -> bool:
    """Names with a prefix."""
    return posted.root is not None and is_prefixed(posted.xml, posted.root)


def otherwise_encoded(posted: Posted) -> bool:
    """Another encoding, which may be why it can't be read."""
    return bool(_OTHER_ENCODING.match(posted.xml)) and undeclared(posted)


MESSAGE_RULES: tuple[Rule[Posted], ...] = (Rule("E1228", prefixed), Rule("E1229", undeclared))
ENCODING_RULES: tuple[Rule[Posted], ...] = (Rule("E1229", otherwise_encoded),)
"""Of what could not be read."""
