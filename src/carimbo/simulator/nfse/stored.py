"""Notes that are kept, opened again."""

from lxml import etree

from carimbo.simulator.group import Group, group_of
from carimbo.simulator.ledger import StoredDocument
from carimbo.simulator.nfse.call import NAMESPACE


def note_of(document: StoredDocument) -> Group:
    """The `infDPS` of a note."""
    root = etree.fromstring(document.xml)
    return group_of(next(root.iterchildren(f"{{{NAMESPACE}}}infDPS")))
