"""The columns of the item table in both layouts, and the content of an item's cells."""

from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple

from carimbo.fiscal.layouts.dfe_v1.ibs_cbs import CityIbs, StateIbs
from carimbo.fiscal.layouts.nfe_v4.goods import ItemProduct
from carimbo.fiscal.layouts.nfe_v4.ibs_cbs import Cbs, IbsCbs
from carimbo.fiscal.layouts.nfe_v4.invoice import Invoice, Item
from carimbo.printing import formats
from carimbo.printing.danfe.totals import amount_of
from carimbo.printing.sheet import CONTENT


class CellLine(NamedTuple):
    """A line of a cell, with a text at the left and one at the right."""

    left: str = ""
    right: str = ""


CellLines = Sequence[CellLine]


class Column(NamedTuple):
    """A column and the function that fills its cells; without a title it shares the previous one's."""

    title: str
    width: float
    entries: Callable[[Item], CellLines]
    wraps: bool = False
    """Whether long texts are wrapped instead of getting a smaller size."""


def columns_of(invoice: Invoice, *, is_reform: bool) -> tuple[Column, ...]:
    """Returns the columns of the layout in force; the description takes the remaining width."""
    others = _REFORM_COLUMNS if is_reform else _columns_of_moc(invoice)
    describe = _described_with_codes if is_reform else _described
    width = CONTENT - sum(column.width for column in others)
    return (others[0], Column("DESCRIÇÃO DO PRODUTO / SERVIÇO", width, describe, wraps=True), *others[1:])


def _columns_of_moc(invoice: Invoice) -> tuple[Column, ...]:
    """Returns the columns of MOC 7.0 (Anexo II, 3.1.7); a discount column only if an item has a discount."""
    discount = Column("DESC.", 12, lambda item: (_right(item.product.discount),))
    discounted = any(item.product.discount for item in invoice.items)
    return (
        Column("CÓDIGO", 17, lambda item: (CellLine(item.product.sku),), wraps=True),
        Column("NCM/SH", 12, lambda item: (CellLine(item.product.ncm),)),
        Column("O/CSOSN" if _is_simples(invoice) else "O/CST", 8, lambda item: (CellLine(_situation(item)),)),
        Column("CFOP", 7.5, lambda item: (CellLine(item.product.cfop),)),
        Column("UN", 8, lambda item: tuple(CellLine(unit) for unit, _, _ in _measures(item.product))),
        Column(
            "QUANT.",
            14,
            lambda item: tuple(CellLine("", quantity) for _, quantity, _ in _measures(item.product)),
        ),
        Column(
            "VALOR UNIT.",
            15,
            lambda item: tuple(CellLine("", value) for _, _, value in _measures(item.product)),
        ),
        *((discount,) if discounted else ()),
        Column("VALOR TOTAL", 15, lambda item: (_right(item.product.amount),)),
        Column("B.CÁLC. ICMS", 14, lambda item: (_right(_icms(item, "base")),)),
        Column("VALOR ICMS", 12, lambda item: (_right(_icms(item, "amount")),)),
        Column("VALOR IPI", 10, lambda item: (_right(_ipi(item, "amount")),)),
        Column("% ICMS", 7.5, lambda item: (CellLine("", _rate(_icms(item, "rate"))),)),
        Column("% IPI", 7, lambda item: (CellLine("", _rate(_ipi(item, "rate"))),)),
    )


def _described(item: Item) -> CellLines:
    return tuple(CellLine(line) for line in (item.product.description, *details_of(item)))


def _described_with_codes(item: Item) -> CellLines:
    """Adds NCM and the class of IBS and CBS to the description (NT 2026.010, 4.3)."""
    taxes = item.taxes.ibs_cbs
    codes = f"NCM {item.product.ncm}" + (f"  cClassTrib {taxes.tax_class}" if taxes else "")
    return tuple(CellLine(line) for line in (item.product.description, codes, *details_of(item)))


def _measured(item: Item) -> CellLines:
    return tuple(CellLine(measure.unit, measure.quantity) for measure in _measures(item.product))


def _prices(item: Item) -> CellLines:
    return tuple(CellLine("", measure.price) for measure in _measures(item.product))


def _amount(item: Item) -> CellLines:
    discount = item.product.discount
    discounted = (CellLine("DESC.", formats.number(discount)),) if discount else ()
    return (_right(item.product.amount), *discounted)


def _bases(item: Item) -> CellLines:
    taxes, selective = item.taxes.ibs_cbs, item.taxes.selective_tax
    by_rate = taxes and taxes.by_rate
    return _pairs(
        ("ICMS", _icms(item, "base")),
        ("IPI", _ipi(item, "base")),
        ("IBS/CBS", amount_of(by_rate, "base")),
        ("IS", amount_of(selective, "base")),
    )


def _rates_left(item: Item) -> CellLines:
    state, city, _ = _reform(item.taxes.ibs_cbs)
    return _rate_pairs(
        ("ICMS", _icms(item, "rate")), ("IBS UF", _effective(state)), ("IBS MUN", _effective(city))
    )


def _rates_right(item: Item) -> CellLines:
    cbs, selective = _reform(item.taxes.ibs_cbs)[2], item.taxes.selective_tax
    return _rate_pairs(
        ("CBS", _effective(cbs)), ("IPI", _ipi(item, "rate")), ("IS", amount_of(selective, "rate"))
    )


def _values_left(item: Item) -> CellLines:
    state, city, _ = _reform(item.taxes.ibs_cbs)
    return _pairs(
        ("ICMS", _icms(item, "amount")),
        ("IBS UF", amount_of(state, "amount")),
        ("IBS MUN", amount_of(city, "amount")),
    )


def _values_right(item: Item) -> CellLines:
    cbs, selective = _reform(item.taxes.ibs_cbs)[2], item.taxes.selective_tax
    return _pairs(
        ("CBS", amount_of(cbs, "amount")),
        ("IPI", _ipi(item, "amount")),
        ("IS", amount_of(selective, "amount")),
    )


_REFORM_COLUMNS = (
    Column("CÓDIGO", 16, lambda item: (CellLine(item.product.sku),), wraps=True),
    Column(
        "CST / CFOP",
        14,
        lambda item: (CellLine(_situation_name(item), _situation(item)), CellLine("CFOP", item.product.cfop)),
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


def _measures(product: ItemProduct) -> Iterator[_Measure]:
    """Yields unit, quantity and price, and the taxable ones too if they differ (MOC 7.0, Anexo II, 3.1.7)."""
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
    """Returns the rate after its reduction, if there is one (NT 2026.010, 4.3)."""
    if tax is None:
        return None
    return tax.reduction.effective_rate if tax.reduction else tax.rate


def _right(value: Decimal | None) -> CellLine:
    return CellLine("", formats.optional(value))


def _rate(value: Decimal | None) -> str:
    return "" if value is None else formats.number(value, 2, 4)


def _pairs(*parts: tuple[str, Decimal | None]) -> CellLines:
    return tuple(CellLine(name, formats.number(value)) for name, value in parts if value is not None)


def _rate_pairs(*parts: tuple[str, Decimal | None]) -> CellLines:
    return tuple(CellLine(name, _rate(value)) for name, value in parts if value is not None)


def details_of(item: Item) -> Iterator[str]:
    """Yields the lines below the description of an item: notes, identification, purchase, other taxes."""
    product = item.product
    yield from filter(None, (item.notes,))
    yield from _identified(product)
    yield from _purchased(product)
    yield from _other_taxes(item)


def _identified(product: ItemProduct) -> Iterator[str]:
    for batch in product.batches:
        quantity = formats.number(batch.quantity, 0, 3)
        dates = f"fab. {formats.day(batch.manufacture_date)} val. {formats.day(batch.expiry_date)}"
        yield f"Lote {batch.number} qtd. {quantity} {dates}"
    if product.medicine:
        drug = product.medicine
        exempted = f" {drug.exemption_reason}" if drug.exemption_reason else ""
        yield f"ANVISA {drug.anvisa_code}{exempted} PMC {formats.number(drug.maximum_price)}"
    if product.vehicle:
        car = product.vehicle
        yield (
            f"Chassi {car.chassis} motor {car.engine_number} cor {car.color}"
            f" ano/modelo {car.manufacture_year}/{car.model_year}"
        )
    for firearm in product.firearms:
        yield f"Arma nº {firearm.serial_number} cano {firearm.barrel_number} {firearm.description}"
    if product.fuel:
        yield f"ANP {product.fuel.anp_code} {product.fuel.anp_description}"
    if product.recopi_number:
        yield f"RECOPI {product.recopi_number}"


def _purchased(product: ItemProduct) -> Iterator[str]:
    if product.purchase_order or product.purchase_order_item:
        item = f" item {product.purchase_order_item}" if product.purchase_order_item else ""
        yield f"Pedido {product.purchase_order or ''}{item}"
    if product.import_content_id:
        yield f"FCI {product.import_content_id}"


def _other_taxes(item: Item) -> Iterator[str]:
    """Yields tax substitution, poverty fund (FCP) and taxes by quantity, which have no column."""
    icms = item.taxes.icms
    st = _amounts(
        ("BC ST", amount_of(icms, "st_base")),
        ("ICMS ST", amount_of(icms, "st_amount")),
        ("BC ST ret.", amount_of(icms, "retained_base")),
        ("ICMS ST ret.", amount_of(icms, "retained_amount")),
    )
    fund = _amounts(
        ("FCP", amount_of(icms, "fcp_amount")),
        ("FCP ST", amount_of(icms, "st_fcp_amount")),
        ("FCP ret.", amount_of(icms, "retained_fcp_amount")),
    )
    single_phase = _amounts(
        ("ICMS monof.", amount_of(icms, "single_phase_amount")),
        ("ICMS monof. reten.", amount_of(icms, "single_phase_withholding_amount")),
        ("ICMS monof. ret. ant.", amount_of(icms, "single_phase_retained_amount")),
    )
    credit = _amounts(("Crédito ICMS SN", amount_of(icms, "credit_amount")))
    yield from filter(None, (st, fund, single_phase, credit))


def _amounts(*parts: tuple[str, Decimal | None]) -> str:
    return " ".join(f"{name} {formats.number(value)}" for name, value in parts if value)
