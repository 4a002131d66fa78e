"""Received files with damaged elements: each is refused, or read to values that fit the database."""

from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from carimbo.fiscal.documents.cte.received import RECEIVING as CTE
from carimbo.fiscal.documents.nfe.received import RECEIVING as NFE
from carimbo.fiscal.documents.nfe.return_draft import return_draft
from carimbo.fiscal.documents.nfse.received import RECEIVING as NFSE
from carimbo.fiscal.identity.signature import BadSignature
from carimbo.fiscal.receiving import (
    ReceivedDetails,
    ReceivedDocument,
    ReceivedEvent,
    Receiving,
    TaxedAmount,
    UnreadFile,
)
from unit.fiscal.documents.cte import received_files as cte_files
from unit.fiscal.documents.received_nfe import (
    EVENT,
    EVENT_SUMMARY,
    INVOICE,
    SUMMARY,
    example,
    proc_event,
    res_event,
    res_nfe,
)
from unit.fiscal.goods.support import company
from unit.fiscal.layouts import test_dps_v1_nfse as nfse_files

TAKER = "44555666000181"
# The columns of amounts are numeric(15, 2), those of numbers are integer or bigint.
MAX_AMOUNT, MAX_SERIES, MAX_NUMBER = Decimal(10) ** 13, 2**31, 2**63


@dataclass(frozen=True)
class Specimen:
    """A whole file, and what its schema is called."""

    receiving: Receiving = field(repr=False)
    schema: str
    xml: bytes


def _specimens() -> list[Specimen]:
    cte_event = (cte_files.EXAMPLES / "cte/events/correction.xml").read_text("utf-8")
    return [
        Specimen(NFE, INVOICE, example("normal-sale")),
        Specimen(NFE, SUMMARY, res_nfe()),
        Specimen(NFE, EVENT, proc_event("110110", "<xCorrecao>Outro endereço</xCorrecao>")),
        Specimen(NFE, EVENT_SUMMARY, res_event()),
        Specimen(CTE, "procCTe_v4.00.xsd", cte_files.authorized(cte_files.example("cte/road-freight"))),
        Specimen(CTE, "procCTeSimp_v4.00.xsd", cte_files.authorized(cte_files.SIMPLIFIED, "cteSimpProc")),
        Specimen(CTE, "procEventoCTe_v4.00.xsd", cte_files.registered(cte_event)),
        Specimen(NFSE, "NFSE", nfse_files.NOTE.encode()),
        Specimen(NFSE, "EVENTO", nfse_files.EVENT.encode()),
    ]


SPECIMENS = _specimens()
ODD_TEXTS = [
    "", " ", "0", "-1", "1,5", "1E9", "NaN", "00", "99", "999", "sim", "A" * 10_000,
    "9" * 13 + ".99", "9" * 11 + "." + "9" * 10, "9" * 12 + ".9999", "9" * 15, "9" * 40,
    "2000-01-01T00:00:00+23:59", "2099-12-31T23:59:59-23:59", "2026-02-30T10:00:00-03:00", "2026-11-14",
    "00000000000000", TAKER, "12ABC34501DE35", "9" * 44, "9" * 50,
]  # fmt: skip
# Those of the schemas; U+0080 to U+009F are of Windows-1252.
CHARACTERS = st.characters(min_codepoint=32, max_codepoint=255)
TEXTS = st.sampled_from(ODD_TEXTS) | st.text(CHARACTERS, max_size=20)
Draw = Callable[..., Any]
Change = Callable[[etree._Element], object]


def remove(element: etree._Element) -> None:
    parent = element.getparent()
    if parent is not None:
        parent.remove(element)


def repeat(element: etree._Element) -> None:
    if element.getparent() is not None:
        element.addnext(etree.fromstring(etree.tostring(element, with_tail=False)))


def empty(element: etree._Element) -> None:
    for child in element:
        element.remove(child)
    element.text = None


def make_nonsense(element: etree._Element) -> None:
    """Replaces the text of a field; a group keeps its fields."""
    element.text = "?"


def add_comment(element: etree._Element) -> None:
    element.insert(0, etree.Comment("x"))


def add_instruction(element: etree._Element) -> None:
    element.addprevious(etree.ProcessingInstruction("x", "y"))


def leave_namespace(element: etree._Element) -> None:
    element.tag = etree.QName(element).localname


CHANGES: list[Change] = [remove, repeat, empty, add_comment, add_instruction, leave_namespace]


def drawn_change(draw: Draw, root: etree._Element) -> Change:
    """Draws a change of an element; most are of texts, which groups ignore."""
    name, text = draw(st.sampled_from([other.tag for other in root.iter("*")])), draw(TEXTS)
    drawn: list[Change] = [
        lambda element: setattr(element, "text", text),
        lambda element: element.set("Id", text),
        lambda element: setattr(element, "tag", name),
    ]
    return draw(st.sampled_from([drawn[0], *drawn, *CHANGES]))  # type: ignore[no-any-return]


def changed(whole: Specimen, root: etree._Element) -> Specimen:
    return Specimen(whole.receiving, whole.schema, etree.tostring(root.getroottree(), encoding="UTF-8"))


@st.composite
def damaged_files(draw: Draw) -> Specimen:
    """Draws a well-formed file in which up to three elements are changed."""
    whole = draw(st.sampled_from(SPECIMENS))
    root = etree.fromstring(whole.xml)
    for _ in range(draw(st.integers(1, 3))):
        elements = list(root.iter("*"))
        drawn_change(draw, root)(elements[draw(st.integers(0, len(elements) - 1))])
    return changed(whole, root)


def read_or_refused(read: Callable[[bytes], Any], xml: bytes) -> Any:
    """Returns what a file says, or None; every other exception is an error."""
    try:
        return read(xml)
    except (UnreadFile, BadSignature) as error:
        assert str(error)
        return None


def assert_fits_document(document: ReceivedDocument) -> None:
    assert document.amount is None or 0 <= document.amount < MAX_AMOUNT
    assert 0 <= (document.series or 0) < MAX_SERIES
    assert 0 <= (document.number or 0) < MAX_NUMBER
    # The list is ordered by this date.
    assert document.issued_at or document.authorized_at
    assert document.issuer_name


def assert_fits_amounts(amounts: tuple[TaxedAmount, ...]) -> None:
    assert len({(line.cfop, line.tax, line.cst) for line in amounts}) == len(amounts)
    assert all(abs(value) < MAX_AMOUNT for line in amounts for value in (line.items, line.base, line.amount))


def assert_is_refused_or_fits(file: Specimen) -> None:
    """Checks that every reader of a file refuses it as it should, or returns what can be stored and shown."""
    receiving = file.receiving
    content = read_or_refused(lambda xml: receiving.read(file.schema, xml, TAKER), file.xml)
    details = read_or_refused(receiving.details, file.xml)
    amounts = read_or_refused(receiving.amounts, file.xml)
    if receiving is NFE:
        read_or_refused(lambda xml: return_draft(xml, company()), file.xml)
    if isinstance(content, ReceivedEvent):
        assert 0 <= content.sequence < MAX_SERIES
    if isinstance(content, ReceivedDocument):
        assert_fits_document(content)
        issuer = content.issuer_tax_id
        read_or_refused(lambda xml: receiving.check_signatures(xml, issuer), file.xml)
    if amounts is not None:
        assert_fits_amounts(amounts)
    if isinstance(details, ReceivedDetails):
        assert details.model_dump_json()


def test_every_specimen_is_read() -> None:
    for file in SPECIMENS:
        assert file.receiving.read(file.schema, file.xml, TAKER)


@pytest.mark.parametrize("change", [remove, empty, make_nonsense])
def test_file_without_any_one_of_its_values_is_refused_or_fits_the_database(change: Change) -> None:
    for whole in SPECIMENS:
        for position, _ in enumerate(etree.fromstring(whole.xml).iter("*")):
            root = etree.fromstring(whole.xml)
            change(list(root.iter("*"))[position])
            assert_is_refused_or_fits(changed(whole, root))


@settings(max_examples=150)
@given(damaged_files())
def test_damaged_file_is_refused_or_fits_the_database(file: Specimen) -> None:
    assert_is_refused_or_fits(file)
