"""A sale divides into the lines of its documents, and nothing of it is lost."""

from dataclasses import replace
from decimal import Decimal
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carimbo.fiscal.catalog_sale import ItemType, SoldLine
from carimbo.fiscal.money import ZERO, cents, total
from carimbo.service.sales.division import Component, PricedLine, divided
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

    def one() -> PricedLine:
        price, quantity = draw(PRICES), draw(QUANTITIES)
        if draw(st.booleans()):
            return line(draw(kinds), price, quantity)
        return bundle(price, *((draw(kinds), share) for share in draw(PERCENTAGES)), quantity=quantity)

    return [one() for _ in range(draw(st.integers(1, 6)))]


def all_lines(parts: dict[ItemType, tuple[SoldLine, ...]]) -> list[SoldLine]:
    return [one for lines in parts.values() for one in lines]


class TestParts:
    @pytest.mark.parametrize("follows", [True, False])
    def test_say_whether_their_item_follows_the_company(self, follows: bool) -> None:
        own = replace(item("service"), follows_company_defaults=follows)
        [sold] = all_lines(divided([PricedLine(own, "Item", Decimal(10), Decimal(1))], ZERO, ZERO))
        assert sold.follows_company_defaults is follows

    @given(baskets(), st.data())
    def test_add_up_to_the_whole(self, basket: list[PricedLine], data: st.DataObject) -> None:
        goods = total(one.total for one in basket)
        discount = data.draw(st.decimals(0, goods, places=2))
        shipping = data.draw(st.decimals(0, 500, places=2))
        sold = all_lines(divided(basket, discount, shipping))
        assert total(one.total for one in sold) == goods
        assert total(one.discount for one in sold) == discount
        assert total(one.shipping for one in sold) == shipping

    @given(baskets(), st.data())
    def test_are_never_negative(self, basket: list[PricedLine], data: st.DataObject) -> None:
        goods = total(one.total for one in basket)
        discount = data.draw(st.decimals(0, goods, places=2))
        for one in all_lines(divided(basket, discount, Decimal(7))):
            assert 0 <= one.discount <= one.total
            assert one.shipping >= 0

    @given(baskets())
    def test_of_each_line_are_its_total(self, basket: list[PricedLine]) -> None:
        sold = all_lines(divided(basket, Decimal(0), Decimal(0)))
        for position, whole in enumerate(basket):
            own = [one for one in sold if one.position == position]
            assert total(one.total for one in own) == whole.total
            assert all(cents(one.price * one.quantity) == one.total for one in own)


class TestDocuments:
    def test_have_the_lines_of_their_kind_in_their_order(self) -> None:
        sold = divided(
            [line("product", "10"), line("service", "20"), line("product", "30")], Decimal(0), Decimal(0)
        )
        assert [one.position for one in sold[ItemType.PRODUCT]] == [0, 2]
        assert [one.position for one in sold[ItemType.SERVICE]] == [1]

    def test_are_only_those_that_something_was_sold_for(self) -> None:
        assert [*divided([line("service", "20")], Decimal(0), Decimal(0))] == [ItemType.SERVICE]


class TestShipping:
    def test_is_charged_on_goods(self) -> None:
        sold = divided([line("service", "90"), line("product", "10")], Decimal(0), Decimal(12))
        assert [one.shipping for one in all_lines(sold)] == [Decimal(0), Decimal(12)]

    def test_of_a_sale_without_goods_is_charged_on_services(self) -> None:
        sold = divided([line("service", "10"), line("service", "20")], Decimal(0), Decimal(3))
        assert [one.shipping for one in all_lines(sold)] == [Decimal(1), Decimal(2)]


class TestSplit:
    @pytest.mark.parametrize(
        ("price", "quantity", "parts"),
        [("100", "1", ["33.33", "66.67"]), ("0.01", "1", ["0.00", "0.01"]), ("10", "3", ["10.00", "20.00"])],
    )
    def test_divides_by_its_percentages(self, price: str, quantity: str, parts: list[str]) -> None:
        shares = (("product", Decimal("33.3333")), ("service", Decimal("66.6667")))
        sold = divided([bundle(price, *shares, quantity=quantity)], Decimal(0), Decimal(0))
        assert [sold[kind][0].total for kind in (ItemType.PRODUCT, ItemType.SERVICE)] == [
            *map(Decimal, parts)
        ]

    def test_is_sold_under_the_names_of_its_parts(self) -> None:
        sold = divided(
            [bundle("10", ("service", Decimal(50)), ("product", Decimal(50)))], Decimal(0), Decimal(0)
        )
        assert [one.name for one in all_lines(sold)] == ["Item service-0", "Item product-1"]
