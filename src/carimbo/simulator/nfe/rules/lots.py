"""The lot, before its documents are looked at (MOC 7.0, anexo I, group DA)."""

from collections.abc import Iterator

from lxml import etree

from carimbo.simulator.nfe.call import Call
from carimbo.simulator.nfe.rules.rule import Rule

_NFE = "{http://www.portalfiscal.inf.br/nfe}"
_SYNCHRONOUS = "1"


def documents_of(root: etree._Element) -> Iterator[etree._Element]:
    """Every `NFe` of a lot."""
    return root.iterchildren(f"{_NFE}NFe")


def one_document_later(call: Call) -> bool:
    """NT 2025.001, GAP03a-3: a receipt is asked for, and there is only one document."""
    return not _is_synchronous(call) and _count(call) == 1


def many_documents_at_once(call: Call) -> bool:
    """MOC 7.0, GAP03a-1: the answer is asked for at once, and there are several documents."""
    return _is_synchronous(call) and _count(call) > 1


def mixed_models(call: Call) -> bool:
    """MOC 7.0, 765: NF-e and NFC-e in one lot."""
    return len({document.findtext(f"{_NFE}infNFe/{_NFE}ide/{_NFE}mod") for document in _all(call)}) > 1


def _is_synchronous(call: Call) -> bool:
    return call.root.findtext(f"{_NFE}indSinc") == _SYNCHRONOUS


def _count(call: Call) -> int:
    return len(_all(call))


def _all(call: Call) -> list[etree._Element]:
    return list(documents_of(call.root))


LOT_RULES: tuple[Rule[Call], ...] = (
    Rule("452", one_document_later),
    Rule("764", many_documents_at_once),
    Rule("765", mixed_models),
)
