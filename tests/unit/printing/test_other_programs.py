"""Papers of files that other programs wrote: the same content, in other bytes than ours."""

import re
from collections.abc import Callable

import pytest
from lxml import etree

from carimbo.fiscal.printout import DocumentPrint, PaperSize
from pdf_reading import text_of
from unit.fiscal.documents.cte.received_files import authorized
from unit.fiscal.documents.received_nfe import proc_nfe
from unit.golden_documents import golden_document
from unit.printing.issued_notes import issued
from unit.printing.paper import RENDERER


def with_prefix(root: etree._Element) -> bytes:
    """Writes a file with a prefix for the namespace of the layout."""
    namespace = etree.QName(root).namespace
    plain = etree.tostring(root, encoding="unicode").replace(f' xmlns="{namespace}"', "")
    prefixed = re.sub(r"<(/?)(?!\w+:)(?=\w)", r"<\1ns2:", plain)
    return prefixed.replace(" ", f' xmlns:ns2="{namespace}" ', 1).encode()


def with_line_breaks(root: etree._Element) -> bytes:
    """Writes a file with a declaration, a byte order mark, and each element on a line of its own."""
    lines = etree.tostring(root, encoding="UTF-8", xml_declaration=True, pretty_print=True)
    return b"\xef\xbb\xbf" + lines.replace(b"\n", b"\r\n")


def with_comments(root: etree._Element) -> bytes:
    """Writes a file with a comment and an instruction in each group."""
    for group in [element for element in root.iter(etree.Element) if len(element)]:
        group.insert(0, etree.Comment(" outro programa "))
        group.append(etree.ProcessingInstruction("outro", "programa"))
    return etree.tostring(root)


def with_later_groups(root: etree._Element) -> bytes:
    """Writes a file with a group and an attribute of a later layout in each group."""
    namespace = etree.QName(root).namespace
    for group in [element for element in root.iter(etree.Element) if len(element)]:
        group.set("novo", "1")
        etree.SubElement(
            etree.SubElement(group, f"{{{namespace}}}gNovo"), f"{{{namespace}}}vNovo"
        ).text = "1.00"
    return etree.tostring(root)


FILES: dict[str, Callable[[], bytes]] = {
    "nfe": lambda: proc_nfe(golden_document("nfe/normal-sale.json").xml),
    "cte": lambda: authorized(golden_document("cte/minimal.json").xml.decode()),
    "cteOs": lambda: authorized(golden_document("cteOs/minimal.json").xml.decode(), "cteOSProc"),
    "nfse": lambda: issued(golden_document("nfse/minimal.json").xml),
}


@pytest.mark.parametrize("document_type", FILES)
@pytest.mark.parametrize("write", [with_prefix, with_line_breaks, with_comments, with_later_groups])
def test_paper_shows_the_same(document_type: str, write: Callable[[etree._Element], bytes]) -> None:
    file = FILES[document_type]()
    other = write(etree.fromstring(file))
    assert other != file
    of_other, of_ours = (
        RENDERER.document(DocumentPrint(document_type, xml, PaperSize.A4)) for xml in (other, file)
    )
    assert text_of(of_other) == text_of(of_ours)
