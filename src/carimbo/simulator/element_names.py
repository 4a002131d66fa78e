"""Names of elements: without their namespaces, and with prefixes, which authorities do not take."""

from lxml import etree

_PREFIXED = etree.XPath("boolean(//*[contains(name(), ':')] | //@*[contains(name(), ':')])")
# Looking at every node takes long; where none of these is there is nothing to look for.
_SIGNS_OF_PREFIXES = (b"xmlns:", b" xml:")


def local_name(element: etree._Element) -> str:
    """A name without its namespace."""
    return element.tag.rpartition("}")[2]


def is_prefixed(text: bytes, root: etree._Element) -> bool:
    """Tell whether names of a message have prefixes; one that is declared and not used does no harm."""
    return any(sign in text for sign in _SIGNS_OF_PREFIXES) and bool(_PREFIXED(root))
