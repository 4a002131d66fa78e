"""The columns of the item table in both layouts, and what an item has in each."""

from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple

from carimbo.fiscal.layouts.nfe_v4.goods import Product
from carimbo.fiscal.layouts.nfe_v4.ibs_cbs import Cbs, CityIbs, IbsCbs, StateIbs
from carimbo.fiscal.layouts.nfe_v4.invoice import Invoice, Item
from carimbo.printing import formats
from carimbo.printing.danfe.amounts import amount_of
from carimbo.printing.danfe.item_details import details_of
from carimbo.printing.sheet import CONTENT


class Entry(NamedTuple):
    """A line of a cell: what stands on its left, and what on its right."""

    left: str = ""
    right: str = ""


Entries = Sequence[Entry]


class Column(NamedTuple):
    """A column, and how an item's cell in it is made; one without a title goes on under the last one's."""

    title: str
    width: float
    entries: Callable[[Item], Entries]
    wraps: bool = False
    """Whether words are broken into lines before letters become smaller."""


def columns_of(invoice: Invoice, *, is_reform: bool) -> tuple[Column, ...]:
    """The columns of the layout in force; the description takes what the others leave."""
    others = _REFORM_COLUMNS if is_reform else _columns_of_moc(invoice)
    describe = _described_with_codes if is_reform else _described
    width = CONTENT - sum(column.width for column in others)
    return (others[0], Column("DESCRIÇÃO DO PRODUTO / SERVIÇO", width, describe, wraps=True), *others[1:])


def _columns_of_moc(invoice: Invoice) -> tuple[Column, ...]:
    """MOC 7.0, Anexo II, 3.1.7; the discount only where an item has one."""
    discount = Column("DESC.", 12, lambda item: (_right(item.product.discount),))
    discounted = any(item.product.discount for item in invoice.items)
    return (
        Column("CÓDIGO", 17, lambda item: (Entry(item.product.sku),), wraps=True),
        Column("NCM/SH", 12, lambda item: (Entry(item.product.ncm),)),
        Column("O/CSOSN" if _is_simples(invoice) else "O/CST", 8, lambda item: (Entry(_situation(item)),)),
        Column("CFOP", 7.5, lambda item: (Entry(item.product.cfop),)),
        Column("UN", 8, lambda item: tuple(Entry(unit) for unit, _, _ in _measures(item.product))),
        Column(
            "QUANT.",
            14,
            lambda item: tuple(Entry("", quantity) for _, quantity, _ in _measures(item.product)),
        ),
        Column(
            "VALOR UNIT.", 15, lambda item: tuple(Entry("", value) for _, _, value in _measures(item.product))
        ),
        *((discount,) if discounted else ()),
        Column("VALOR TOTAL", 15, lambda item: (_right(item.product.amount),)),
        Column("B.CÁLC. ICMS", 14, lambda item: (_right(_icms(item, "base")),)),
        Column("VALOR ICMS", 12, lambda item: (_right(_icms(item, "amount")),)),
        Column("VALOR IPI", 10, lambda item: (_right(_ipi(item, "amount")),)),
        Column("% ICMS", 7.5, lambda item: (Entry("", _rate(_icms(item, "rate"))),)),
        Column("% IPI", 7, lambda item: (Entry("", _rate(_ipi(item, "rate"))),)),
    )


def _described(item: Item) -> Entries:
    return tuple(Entry(line) for line in (item.product.description, *details_of(item)))


def _described_with_codes(item: Item) -> Entries:
    """NT 2026.010, 4.3: NCM and the class of IBS and CBS stand with the description."""
    taxes = item.taxes.ibs_cbs
    codes = f"NCM {item.product.ncm}" + (f"  cClassTrib {taxes.tax_class}" if taxes else "")
    return tuple(Entry(line) for line in (item.product.description, codes, *details_of(item)))


def _measured(item: Item) -> Entries:
    return tuple(Entry(one.unit, one.quantity) for one in _measures(item.product))


def _prices(item: Item) -> Entries:
    return tuple(Entry("", one.price) for one in _measures(item.product))


def _amount(item: Item) -> Entries:
    discount = item.product.discount
    discounted = (Entry("DESC.", formats.number(discount)),) if discount else ()
    return (_right(item.product.amount), *discounted)


def _bases(item: Item) -> Entries:
    taxes, selective = item.taxes.ibs_cbs, item.taxes.selective_tax
    by_rate = taxes and taxes.by_rate
    return _pairs(
        ("ICMS", _icms(item, "base")),
        ("IPI", _ipi(item, "base")),
        ("IBS/CBS", amount_of(by_rate, "base")),
        ("IS", amount_of(selective, "base")),
    )


def _rates_left(item: Item) -> Entries:
    state, city, _ = _reform(item.taxes.ibs_cbs)
    return _rate_pairs(
        ("ICMS", _icms(item, "rate")), ("IBS UF", _effective(state)), ("IBS MUN", _effective(city))
    )


def _rates_right(item: Item) -> Entries:
    cbs, selective = _reform(item.taxes.ibs_cbs)[2], item.taxes.selective_tax
    return _rate_pairs(
        ("CBS", _effective(cbs)), ("IPI", _ipi(item, "rate")), ("IS", amount_of(selective, "rate"))
    )


def _values_left(item: Item) -> Entries:
    state, city, _ = _reform(item.taxes.ibs_cbs)
    return _pairs(
        ("ICMS", _icms(item, "amount")),
        ("IBS UF", amount_of(state, "amount")),
        ("IBS MUN", amount_of(city, "amount")),
    )


def _values_right(item: Item) -> Entries:
    cbs, selective = _reform(item.taxes.ibs_cbs)[2], item.taxes.selective_tax
    return _pairs(
        ("CBS", amount_of(cbs, "amount")),
        ("IPI", _ipi(item, "amount")),
        ("IS", amount_of(selective, "amount")),
    )


_REFORM_COLUMNS = (
    Column("CÓDIGO", 16, lambda item: (Entry(item.product.sku),), wraps=True),
    Column(
        "CST / CFOP",
        14,
        lambda item: (Entry(_situation_name(item), _situation(item)), Entry("CFOP", item.product.cfop)),
    ),
    Column("UN / QTD", 16, _measured),
    Column("VLR UNIT", 14, _prices),
    Column("VLR TOTAL", 16, _amount),
    Column("BASES DE CÁLCULO", 22, _bases),
    Column("ALÍQUOTAS (%)", 14.5, _rates_left),
    Column("", 12, _rates_right),
    Column("VALOR DOS TRIBUTOS", 18, _values_left),
    Column("", 16, _values_right),
)  # fmt: skip


class _Measure(NamedTuple):
    unit: str
    quantity: str
    price: str


def _measures(product: Product) -> Iterator[_Measure]:
    """Unit, quantity and price; those of taxation too where they differ (MOC 7.0, Anexo II, 3.1.7)."""
    sold = product.unit, product.quantity, product.unit_value
    taxed = product.taxable_unit, product.taxable_quantity, product.taxable_unit_value
    for unit, quantity, value in (sold,) if sold == taxed else (sold, taxed):
        yield _Measure(unit, formats.number(quantity, 0, 4), formats.number(value, 2, 10))


def _situation(item: Item) -> str:
    icms = item.taxes.icms
    code = getattr(icms, "cst", None) or getattr(icms, "csosn", None) or ""
    return f"{getattr(icms, 'origin', None) or ''}{code}"


def _situation_name(item: Item) -> str:
    return "CSOSN" if hasattr(item.taxes.icms, "csosn") else "CST"


def _is_simples(invoice: Invoice) -> bool:
    return any(_situation_name(item) == "CSOSN" for item in invoice.items)


def _icms(item: Item, name: str) -> Decimal | None:
    return amount_of(item.taxes.icms, name)


def _ipi(item: Item, name: str) -> Decimal | None:
    taxation = item.taxes.ipi and item.taxes.ipi.taxation
    return amount_of(taxation, name)


def _reform(taxes: IbsCbs | None) -> tuple[StateIbs | None, CityIbs | None, Cbs | None]:
    by_rate = taxes and taxes.by_rate
    return (by_rate.state, by_rate.city, by_rate.cbs) if by_rate else (None, None, None)


def _effective(tax: StateIbs | CityIbs | Cbs | None) -> Decimal | None:
    """The rate that is left after a reduction, where there is one (NT 2026.010, 4.3)."""
    if tax is None:
        return None
    return tax.reduction.effective_rate if tax.reduction else tax.rate


def _right(value: Decimal | None) -> Entry:
    return Entry("", formats.optional(value))


def _rate(value: Decimal | None) -> str:
    return "" if value is None else formats.number(value, 2, 4)


def _pairs(*parts: tuple[str, Decimal | None]) -> Entries:
    return tuple(Entry(name, formats.number(value)) for name, value in parts if value is not None)


def _rate_pairs(*parts: tuple[str, Decimal | None]) -> Entries:
    return tuple(Entry(name, _rate(value)) for name, value in parts if value is not None)
