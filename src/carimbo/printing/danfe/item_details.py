"""What stands below the description of an item: all that identifies it or is taxed apart."""

from collections.abc import Iterator
from decimal import Decimal

from carimbo.fiscal.layouts.nfe_v4.goods import Product
from carimbo.fiscal.layouts.nfe_v4.invoice import Item
from carimbo.printing import formats
from carimbo.printing.danfe.amounts import amount_of


def details_of(item: Item) -> Iterator[str]:
    """The lines of an item, without its description."""
    product = item.product
    yield from filter(None, (item.notes,))
    yield from _identified(product)
    yield from _purchased(product)
    yield from _taxed_apart(item)


def _identified(product: Product) -> Iterator[str]:
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


def _purchased(product: Product) -> Iterator[str]:
    if product.purchase_order or product.purchase_order_item:
        item = f" item {product.purchase_order_item}" if product.purchase_order_item else ""
        yield f"Pedido {product.purchase_order or ''}{item}"
    if product.import_content_id:
        yield f"FCI {product.import_content_id}"


def _taxed_apart(item: Item) -> Iterator[str]:
    """Substitution, poverty fund and taxes by quantity, which have no column of their own."""
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
    once = _amounts(
        ("ICMS monof.", amount_of(icms, "single_phase_amount")),
        ("ICMS monof. reten.", amount_of(icms, "single_phase_withholding_amount")),
        ("ICMS monof. ret. ant.", amount_of(icms, "single_phase_retained_amount")),
    )
    credit = _amounts(("Crédito ICMS SN", amount_of(icms, "credit_amount")))
    yield from filter(None, (st, fund, once, credit))


def _amounts(*parts: tuple[str, Decimal | None]) -> str:
    return " ".join(f"{name} {formats.number(value)}" for name, value in parts if value)
