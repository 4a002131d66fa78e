"""The message: how it is written (Anexo I, rules of the transmission)."""

import re

from lxml import etree

from carimbo.simulator.nfse.call import Posted
from carimbo.simulator.rule import Rule

_DECLARATION = re.compile(rb"\s*<\?xml\s[^>]*?\bencoding\s*=\s*[\"']utf-8[\"'][^>]*?\?>", re.IGNORECASE)
_OTHER_ENCODING = re.compile(rb"\s*<\?xml\s[^>]*?\bencoding\s*=")
_PREFIXED = etree.XPath("boolean(//*[contains(name(), ':')] | //@*[contains(name(), ':')])")
# Looking at every node takes long; where none of these is there is nothing to look for.
_SIGNS_OF_PREFIXES = (b"xmlns:", b" xml:")


def undeclared(posted: Posted) -> bool:
    """No declaration of UTF-8 at the beginning."""
    return not _DECLARATION.match(posted.xml)


def prefixed(posted: Posted) -> bool:
    """Names with a prefix; one that is declared and not used does no harm."""
    has_signs = any(sign in posted.xml for sign in _SIGNS_OF_PREFIXES)
    return has_signs and posted.root is not None and bool(_PREFIXED(posted.root))


def otherwise_encoded(posted: Posted) -> bool:
    """Another encoding, which is why it can't be read."""
    return bool(_OTHER_ENCODING.match(posted.xml)) and undeclared(posted)


MESSAGE_RULES: tuple[Rule[Posted], ...] = (Rule("E1228", prefixed), Rule("E1229", undeclared))
ENCODING_RULES: tuple[Rule[Posted], ...] = (Rule("E1229", otherwise_encoded),)
"""Of what could not be read."""
