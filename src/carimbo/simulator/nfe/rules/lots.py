"""The lot, before its documents are looked at (MOC 7.0, anexo I, group DA)."""

from collections.abc import Iterator

from lxml import etree

from carimbo.simulator.rule import Rule
from carimbo.simulator.sefaz.call import Call

_NFE = "{http://www.portalfiscal.inf.br/nfe}"
_DOCUMENT, _IS_SYNCHRONOUS = f"{_NFE}NFe", f"{_NFE}indSinc"
_MODEL = f"{_NFE}infNFe/{_NFE}ide/{_NFE}mod"
_SYNCHRONOUS = "1"


def documents_of(root: etree._Element) -> Iterator[etree._Element]:
    """Every `NFe` of a lot."""
    return root.iterchildren(_DOCUMENT)


def one_document_later(call: Call) -> bool:
    """NT 2025.001, GAP03a-3: a receipt is asked for, and there is only one document."""
    return not _is_synchronous(call) and _count(call) == 1


def many_documents_at_once(call: Call) -> bool:
    """MOC 7.0, GAP03a-1: the answer is asked for at once, and there are several documents."""
    return _is_synchronous(call) and _count(call) > 1


def mixed_models(call: Call) -> bool:
    """MOC 7.0, 765: NF-e and NFC-e in one lot."""
    return len({document.findtext(_MODEL) for document in documents_of(call.root)}) > 1


def _is_synchronous(call: Call) -> bool:
    return call.root.findtext(_IS_SYNCHRONOUS) == _SYNCHRONOUS


def _count(call: Call) -> int:
    return sum(1 for _ in documents_of(call.root))


LOT_RULES: tuple[Rule[Call], ...] = (
    Rule("452", one_document_later),
    Rule("764", many_documents_at_once),
    Rule("765", mixed_models),
)
