"""Groups read from XML: written values are read back, new elements are ignored, errors are reported."""

from collections.abc import Iterator
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from functools import partial
from typing import Any, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from carimbo.fiscal.layouts.group import (
    attribute,
    child,
    children,
    day,
    decimal,
    group,
    integer,
    moment,
    text,
    texts,
    variant,
)
from carimbo.fiscal.layouts.json_form import groups_in
from carimbo.fiscal.layouts.layout import Element, layout_of, to_xml
from carimbo.fiscal.layouts.nfe_v4.events import EventInformation
from carimbo.fiscal.layouts.nfe_v4.invoice import NAMESPACE, Invoice
from carimbo.fiscal.layouts.reading import UnreadableDocument, read_group
from unit.fiscal.layouts.orders import BySlot, ByWeight
from unit.golden_documents import INVOICES, check_all, golden_document

BRASILIA = timezone(timedelta(hours=-3))
FEW_ITEMS = st.deferred(lambda: st.sampled_from(files_with_few_items()))
PLACES = st.integers(0, 400)
VISIBLE = st.text(st.characters(categories=["L", "N", "P"]))
SAMPLES: dict[str, Any] = {
    "text": "1",
    "texts": ("1", "2"),
    "integer": 7,
    "moment": datetime(2026, 11, 14, 10, 30, tzinfo=BRASILIA),
    "day": date(2026, 11, 14),
}


@group("linha")
class Line:
    """A line of an order."""

    position: int = attribute("n", 3)
    price: Decimal = decimal("preco")
    code: str = text("codigo", 3, default="00")
    packing: BySlot | ByWeight = variant()


@group("pedido")
class Order:
    """An order, with every kind of element."""

    id: str = attribute("Id", 47)
    version: str = attribute("versao", 4, default="1.00")
    passport: str | None = text("passaporte", 20, default=None, may_be_empty=True)
    count: int | None = integer("quantos", default=None)
    placed_at: datetime | None = moment("dhPedido", default=None)
    due_date: date | None = day("dPrazo", default=None)
    notes: tuple[str, ...] = texts("nota", 10, 5, default=())
    first: Line | None = child("primeira", default=None)
    lines: tuple[Line, ...] = children("linha", 3)
    shipping: BySlot | ByWeight | None = variant("envio", default=None)


LINE = Line(position=1, price=Decimal("-2.50"), code="07", packing=BySlot(slot="A"))
SHORT = Order(id="P1", lines=(LINE,))
WHOLE = Order(
    id="P1",
    version="2.00",
    passport="AB 1",
    count=3,
    placed_at=datetime(2026, 11, 14, 10, tzinfo=BRASILIA),
    due_date=date(2026, 12, 1),
    notes=("frágil", "a & b"),
    first=LINE,
    lines=(LINE, Line(position=2, price=Decimal("10.00"), packing=ByWeight(weight=Decimal("1.500")))),
    shipping=ByWeight(weight=Decimal("0.250")),
)


def order(xml: str) -> Order:
    return read_group(Order, etree.fromstring(xml.encode()))


def changed(old: str, new: str) -> str:
    """Returns the XML of the whole order with one text replaced."""
    xml = to_xml(WHOLE)
    assert old in xml
    return xml.replace(old, new, 1)


def refusal(xml: str) -> str:
    with pytest.raises(UnreadableDocument) as raised:
        order(xml)
    return str(raised.value)


def files_with_few_items() -> list[str]:
    return [file for file in INVOICES if len(golden_document(file).xml) < 20_000]


def information(file: str) -> etree._Element:
    """Returns a new tree, which a test may change."""
    return etree.fromstring(golden_document(file).xml)[0]


def groups_below(record_type: type) -> frozenset[type]:
    below = {inner for groups in groups_in(record_type).values() for inner in groups}
    return frozenset({record_type}).union(*map(groups_below, below))


def filled(record_type: Any) -> Iterator[Any]:
    """Yields groups with a value in every field, as many as a field has alternative groups."""
    elements = layout_of(record_type).elements
    for turn in range(max(1, *map(len, groups_in(record_type).values()))):
        yield record_type(
            **{name: sample(record_type, name, element, turn) for name, element in elements.items()}
        )


def sample(record_type: Any, name: str, element: Element, turn: int) -> Any:
    if groups := groups_in(record_type)[name]:
        inner = next(filled(groups[turn % len(groups)]))
        return (inner, inner) if element.kind == "children" else inner
    if element.kind == "attribute":
        return SAMPLES["integer" if get_type_hints(record_type)[name] is int else "text"]
    return SAMPLES.get(element.kind) or Decimal(1).scaleb(-(element.limit or 0))


def assert_read_back(record_type: Any) -> None:
    for record in filled(record_type):
        xml = to_xml(record).replace(">", f' xmlns="{NAMESPACE}">', 1)
        assert read_group(record_type, etree.fromstring(xml)) == record


class TestDocument:
    def test_every_group_of_an_invoice_is_read_back(self) -> None:
        groups = sorted(groups_below(Invoice), key=lambda record_type: record_type.__name__)
        check_all(
            "groups", {record_type.__name__: partial(assert_read_back, record_type) for record_type in groups}
        )

    @given(FEW_ITEMS, st.lists(PLACES, min_size=1, max_size=4))
    def test_document_with_missing_parts_is_read_or_refused(self, file: str, places: list[int]) -> None:
        element = information(file)
        for place in places:
            parts = list(element.iterdescendants())
            lost = parts[place % len(parts)]
            above = lost.getparent()
            assert above is not None
            above.remove(lost)
        assert read_or_refused(element)

    @given(FEW_ITEMS, PLACES, VISIBLE)
    def test_document_with_any_text_is_read_or_refused(self, file: str, place: int, value: str) -> None:
        element = information(file)
        parts = list(element.iterdescendants())
        parts[place % len(parts)].text = value
        assert read_or_refused(element)


def read_or_refused(element: etree._Element) -> bool:
    try:
        return isinstance(read_group(Invoice, element), Invoice)
    except UnreadableDocument as refused:
        return str(refused).startswith("O campo NFe/infNFe")


class TestGroup:
    @pytest.mark.parametrize("record", [WHOLE, SHORT], ids=["whole", "short"])
    def test_group_is_read_back_as_it_was_written(self, record: Order) -> None:
        assert order(to_xml(record)) == record

    def test_empty_text_is_read_where_its_declaration_allows_it(self) -> None:
        assert order(changed("<passaporte>AB 1</passaporte>", "<passaporte/>")).passport == ""

    def test_elements_of_other_namespaces_are_ignored(self) -> None:
        xml = changed("<pedido ", '<pedido xmlns="urn:a" xmlns:b="urn:b" ')
        assert order(xml) == WHOLE
        moved = xml.replace("<quantos>3</quantos>", '<b:quantos>x</b:quantos><quantos xmlns="">x</quantos>')
        assert order(moved).count is None

    def test_undeclared_elements_attributes_comments_and_white_space_are_ignored(self) -> None:
        xml = to_xml(WHOLE)
        for tag in ("<quantos>", "<preco>", "</linha>", "<porPeso>", "</pedido>"):
            xml = xml.replace(tag, f"\n <novo><preco>x</preco></novo> <!-- nota --> <?pi?>{tag}")
        assert order(xml.replace(' Id="P1"', ' Id="P1" novo="1"')) == WHOLE

    def test_wrapper_with_only_new_elements_is_read_as_empty(self) -> None:
        xml = changed("<porPeso><peso>0.250</peso></porPeso>", "<porDrone><peso>0.250</peso></porDrone>")
        assert order(xml).shipping is None

    def test_white_space_around_values_is_ignored(self) -> None:
        assert order(changed("<preco>-2.50<", "<preco>\n -2.50 <").replace("P1", " P1 ")) == WHOLE

    def test_cdata_and_character_references_are_resolved(self) -> None:
        assert order(changed("<nota>frágil<", "<nota><![CDATA[fr]]>&#225;gil<")) == WHOLE

    def test_group_with_several_classes_for_one_tag_cannot_be_read(self) -> None:
        with pytest.raises(TypeError, match=r"^EventInformation\.detail: "):
            read_group(EventInformation, etree.fromstring("<infEvento/>"))


class TestUnreadable:
    @pytest.mark.parametrize(
        ("lost", "path"),
        [
            (' Id="P1"', "@Id"),
            (' versao="2.00"', "@versao"),
            ("<preco>10.00</preco>", "linha[2]/preco"),
            ("<codigo>00</codigo>", "linha[2]/codigo"),
            ("<porPeso><peso>1.500</peso></porPeso>", "linha[2]/porCanal|porPeso"),
            ("<peso>0.250</peso>", "envio/porPeso/peso"),
        ],
    )
    def test_missing_required_part_is_refused(self, lost: str, path: str) -> None:
        assert refusal(changed(lost, "")) == f"O campo pedido/{path} não está no XML."

    def test_missing_required_list_is_refused(self) -> None:
        assert refusal('<pedido Id="P1" versao="1.00"/>') == "O campo pedido/linha não está no XML."

    @pytest.mark.parametrize("value", ["x", "1,00", "1.", ".5", "+1", "1E2", "NaN", "1_0", "٣", "1" * 21])
    def test_value_that_is_no_number_is_refused(self, value: str) -> None:
        message = refusal(changed("<preco>-2.50<", f"<preco>{value}<"))
        assert message == f"O campo pedido/primeira/preco não é um número: “{value}”."

    @pytest.mark.parametrize("value", ["3.0", "-3", "x", "٣", "9" * 21])
    def test_value_that_is_no_whole_number_is_refused(self, value: str) -> None:
        message = refusal(changed("<quantos>3<", f"<quantos>{value}<"))
        assert message == f"O campo pedido/quantos não é um número inteiro: “{value}”."

    def test_attribute_that_is_no_whole_number_is_refused(self) -> None:
        message = refusal(changed('<linha n="2"', '<linha n="b"'))
        assert message == "O campo pedido/linha[2]/@n não é um número inteiro: “b”."

    @pytest.mark.parametrize("value", ["2026-02-30", "01/12/2026", "20261201", "2026-W49-2", "hoje"])
    def test_value_that_is_no_date_is_refused(self, value: str) -> None:
        message = refusal(changed("<dPrazo>2026-12-01<", f"<dPrazo>{value}<"))
        assert message == f"O campo pedido/dPrazo não é uma data: “{value}”."

    @pytest.mark.parametrize("time", ["", "T10:00:00", "T25:00:00-03:00", "T10:00:00-99:00", "T10:00Z"])
    def test_value_that_is_no_moment_is_refused(self, time: str) -> None:
        value = f"2026-11-14{time}"
        message = refusal(changed("<dhPedido>2026-11-14T10:00:00-03:00<", f"<dhPedido>{value}<"))
        assert message == f"O campo pedido/dhPedido não é uma data e hora com fuso horário: “{value}”."

    @pytest.mark.parametrize(
        ("old", "new", "path"),
        [
            ("<nota>frágil<", "<nota> \n<", "pedido/nota[1]"),
            ("<quantos>3<", "<quantos><", "pedido/quantos"),
            ('Id="P1"', 'Id=""', "pedido/@Id"),
        ],
    )
    def test_empty_value_is_refused(self, old: str, new: str, path: str) -> None:
        assert refusal(changed(old, new)) == f"O campo {path} está vazio."

    @pytest.mark.parametrize("inside", ["1<!-- -->0", "1<b/>0", "<?pi?>10"])
    def test_value_that_is_split_by_markup_is_refused(self, inside: str) -> None:
        message = refusal(changed("<quantos>3<", f"<quantos>{inside}<"))
        assert message == "O campo pedido/quantos tem elementos ou comentários no lugar do valor."

    @pytest.mark.parametrize("once", ["<quantos>3</quantos>", "<porPeso><peso>0.250</peso></porPeso>"])
    def test_repeated_element_that_may_occur_once_is_refused(self, once: str) -> None:
        assert refusal(changed(once, once + once)).endswith("[2] está repetido.")

    def test_message_has_the_path_in_the_whole_file(self) -> None:
        xml = f'<a:lote xmlns:a="urn:a">{to_xml(SHORT)}{changed("<preco>10.00<", "<preco>x<")}</a:lote>'
        with pytest.raises(
            UnreadableDocument, match=r"^O campo lote/pedido\[2\]/linha\[2\]/preco não é um número"
        ):
            read_group(Order, etree.fromstring(xml)[1])

    def test_message_is_short_whatever_the_value_is(self) -> None:
        assert len(refusal(changed("<preco>10.00<", f"<preco>{'x' * 1_000_000}<"))) < 150
