"""A sale divides into the lines of its documents, and nothing of it is lost."""

from dataclasses import replace
from decimal import Decimal
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carimbo.fiscal.catalog.sale import ItemType, SoldLine
from carimbo.fiscal.money import ZERO, cents, total
from carimbo.service.sales.division import Component, PricedLine, divide_lines
from carimbo.storage.products import NewProduct

COMPANY = UUID(int=1)
PERCENTAGES = st.lists(st.integers(1, 10_000), min_size=2, max_size=5).map(
    lambda cuts: [Decimal(cut) * 100 / sum(cuts) for cut in cuts]
)
PRICES = st.decimals(0, 100_000, places=2)
QUANTITIES = st.decimals("0.0001", 1_000, places=4)


def item(kind: str, sku: str = "a") -> NewProduct:
    return NewProduct(
        id=sku, company_id=COMPANY, sku=sku, name=f"Item {sku}", type=kind, category="x",
        follows_company_defaults=True,
    )  # fmt: skip


def line(kind: str, price: str | Decimal, quantity: str | Decimal = "1") -> PricedLine:
    return PricedLine(item(kind), "Item", Decimal(price), Decimal(quantity))


def bundle(price: str | Decimal, *parts: tuple[str, Decimal], quantity: str | Decimal = "1") -> PricedLine:
    components = tuple(Component(item(kind, f"{kind}-{at}"), share) for at, (kind, share) in enumerate(parts))
    return PricedLine(item("split"), "Pacote", Decimal(price), Decimal(quantity), components)


@st.composite
def baskets(draw: st.DrawFn) -> list[PricedLine]:
    kinds = st.sampled_from([*ItemType])

    def priced_line() -> PricedLine:
        price, quantity = draw(PRICES), draw(QUANTITIES)
        if draw(st.booleans()):
            return line(draw(kinds), price, quantity)
        return bundle(price, *((draw(kinds), share) for share in draw(PERCENTAGES)), quantity=quantity)

    return [priced_line() for _ in range(draw(st.integers(1, 6)))]


def all_lines(parts: dict[ItemType, tuple[SoldLine, ...]]) -> list[SoldLine]:
    return [line_part for lines in parts.values() for line_part in lines]


class TestParts:
    @pytest.mark.parametrize("follows", [True, False])
    def test_lines_keep_whether_their_item_follows_the_company(self, follows: bool) -> None:
        own = replace(item("service"), follows_company_defaults=follows)
        [sold] = all_lines(divide_lines([PricedLine(own, "Item", Decimal(10), Decimal(1))], ZERO, ZERO))
        assert sold.follows_company_defaults is follows

    @given(baskets(), st.data())
    def test_parts_add_up_to_the_whole(self, basket: list[PricedLine], data: st.DataObject) -> None:
        goods = total(line_part.total for line_part in basket)
        discount = data.draw(st.decimals(0, goods, places=2))
        shipping = data.draw(st.decimals(0, 500, places=2))
        sold = all_lines(divide_lines(basket, discount, shipping))
        assert total(line_part.total for line_part in sold) == goods
        assert total(line_part.discount for line_part in sold) == discount
        assert total(line_part.shipping for line_part in sold) == shipping

    @given(baskets(), st.data())
    def test_parts_are_never_negative(self, basket: list[PricedLine], data: st.DataObject) -> None:
        goods = total(line_part.total for line_part in basket)
        discount = data.draw(st.decimals(0, goods, places=2))
        for line_part in all_lines(divide_lines(basket, discount, Decimal(7))):
            assert 0 <= line_part.discount <= line_part.total
            assert line_part.shipping >= 0

    @given(baskets())
    def test_parts_of_each_line_add_up_to_its_total(self, basket: list[PricedLine]) -> None:
        sold = all_lines(divide_lines(basket, Decimal(0), Decimal(0)))
        for position, whole in enumerate(basket):
            own = [line_part for line_part in sold if line_part.position == position]
            assert total(line_part.total for line_part in own) == whole.total
            assert all(cents(line_part.price * line_part.quantity) == line_part.total for line_part in own)


class TestDocuments:
    def test_documents_have_the_lines_of_their_item_type_in_order(self) -> None:
        sold = divide_lines(
            [line("product", "10"), line("service", "20"), line("product", "30")], Decimal(0), Decimal(0)
        )
        assert [line_part.position for line_part in sold[ItemType.PRODUCT]] == [0, 2]
        assert [line_part.position for line_part in sold[ItemType.SERVICE]] == [1]

    def test_item_types_without_lines_get_no_document(self) -> None:
        assert [*divide_lines([line("service", "20")], Decimal(0), Decimal(0))] == [ItemType.SERVICE]


class TestShipping:
    def test_shipping_is_charged_on_goods(self) -> None:
        sold = divide_lines([line("service", "90"), line("product", "10")], Decimal(0), Decimal(12))
        assert [line_part.shipping for line_part in all_lines(sold)] == [Decimal(0), Decimal(12)]

    def test_shipping_of_a_sale_without_goods_is_charged_on_services(self) -> None:
        sold = divide_lines([line("service", "10"), line("service", "20")], Decimal(0), Decimal(3))
        assert [line_part.shipping for line_part in all_lines(sold)] == [Decimal(1), Decimal(2)]


class TestSplit:
    @pytest.mark.parametrize(
        ("price", "quantity", "parts"),
        [("100", "1", ["33.33", "66.67"]), ("0.01", "1", ["0.00", "0.01"]), ("10", "3", ["10.00", "20.00"])],
    )
    def test_bundle_is_divided_by_its_percentages(self, price: str, quantity: str, parts: list[str]) -> None:
        shares = (("product", Decimal("33.3333")), ("service", Decimal("66.6667")))
        sold = divide_lines([bundle(price, *shares, quantity=quantity)], Decimal(0), Decimal(0))
        assert [sold[kind][0].total for kind in (ItemType.PRODUCT, ItemType.SERVICE)] == [
            *map(Decimal, parts)
        ]

    def test_bundle_is_sold_under_the_names_of_its_parts(self) -> None:
        sold = divide_lines(
            [bundle("10", ("service", Decimal(50)), ("product", Decimal(50)))], Decimal(0), Decimal(0)
        )
        assert [line_part.name for line_part in all_lines(sold)] == ["Item service-0", "Item product-1"]
