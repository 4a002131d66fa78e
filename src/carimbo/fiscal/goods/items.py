"""The items of a sale as lines of the document: products, and what they add to its amount."""

from decimal import Decimal
from typing import Any

from carimbo.fiscal.findings import Findings
from carimbo.fiscal.goods.charges import Charges
from carimbo.fiscal.goods.federal_taxes import returned_ipi_group
from carimbo.fiscal.goods.item_body import COUNTS, ItemBody
from carimbo.fiscal.goods.item_taxes import deducted_icms, item_taxes
from carimbo.fiscal.layouts.layout import layout_of
from carimbo.fiscal.layouts.nfe_v4.federal_taxes import ReturnedIpi
from carimbo.fiscal.layouts.nfe_v4.goods import Product
from carimbo.fiscal.layouts.nfe_v4.invoice import Item, ItemObservations, ItemTaxes
from carimbo.fiscal.layouts.records import fields_among, made
from carimbo.fiscal.money import ZERO, cents
from carimbo.fiscal.problems import SCHEMA_PROBLEM, Problem
from carimbo.fiscal.taxes.trade import Trade

NO_GTIN = "SEM GTIN"


def compose_item(
    body: ItemBody,
    position: int,
    trade: Trade,
    cfop: str,
    description: str,
    charges: ItemBody | Charges,
    findings: Findings,
) -> Item:
    """Make one line of the document; `position` counts from zero, as the caller's list does."""
    if trade.is_sale and not body.quantity:
        findings.missed(_nothing_sold(position))
    ncm = body.ncm or trade.company.defaults.ncm
    product = product_of(body, position, ncm, cfop, description, charges)
    taxes = item_taxes(body, product, position, trade, findings)
    returned = returned_ipi_group(body.returned_ipi) if body.returned_ipi else None
    return Item(
        position=position + 1,
        product=product,
        taxes=taxes,
        returned_ipi=returned,
        notes=body.notes,
        observations=ItemObservations(observation=body.observation) if body.observation else None,
        # The item's share of the total is told beside the taxes of the reform only (NT 2025.002, VB01).
        total=item_total(product, taxes, returned) if taxes.ibs_cbs else None,
        referenced_item=body.referenced_item,
    )


def _nothing_sold(position: int) -> Problem:
    """Only documents that complete or adjust others may have no quantity."""
    return Problem(SCHEMA_PROBLEM, f"items[{position}].quantity", "Deve ser maior que 0 em uma venda.")


# What the groups of ICMS add to the amount of an item beside its price.
_CHARGED = ("st_amount", "st_fcp_amount", "single_phase_withholding_amount")


def item_total(product: Product, taxes: ItemTaxes, returned: ReturnedIpi | None) -> Decimal:
    """What an item adds to the amount of the document (MOC 7.0, rule W16-10; NT 2020.005)."""
    amount = product.amount if product.counts_in_total == COUNTS else ZERO
    charges = [product.freight, product.insurance, product.other, *_taxes_on_top(taxes)]
    if returned:
        charges.append(returned.ipi.amount)
    for charge in charges:
        if charge:
            amount += charge
    for deduction in (product.discount, deducted_icms(taxes.icms)):
        if deduction:
            amount -= deduction
    return amount


def _taxes_on_top(taxes: ItemTaxes) -> list[Decimal | None]:
    """Taxes that the price does not hold."""
    kind: Any = type(taxes.icms)
    amounts = [getattr(taxes.icms, name) for name in fields_among(kind, _CHARGED)]
    if taxes.import_tax:
        amounts.append(taxes.import_tax.amount)
    if taxes.ipi:
        amounts.append(getattr(taxes.ipi.taxation, "amount", None))
    for substitution in (taxes.pis_st, taxes.cofins_st):
        if substitution and substitution.adds_to_total == COUNTS:
            amounts.append(substitution.amount)
    return amounts


# What is told of a product in the very words of the layout.
_TOLD = frozenset(ItemBody.model_fields) & frozenset(layout_of(Product).inner)


def product_of(
    body: ItemBody, position: int, ncm: str | None, cfop: str, description: str, charges: ItemBody | Charges
) -> Product:
    """Make the product of a line (`prod`)."""
    gtin = body.gtin or NO_GTIN
    values = {
        **{name: getattr(body, name) for name in body.model_fields_set & _TOLD},
        "sku": body.sku or f"ITEM{position + 1:03d}",
        "gtin": gtin,
        "description": description,
        "ncm": ncm or "",
        "manufacturer_cnpj": body.manufacturer_tax_id,
        "cfop": body.cfop or cfop,
        "unit": body.unit,
        "unit_value": body.price,
        "amount": cents(body.quantity * body.price),
        "taxable_gtin": body.taxable_gtin or gtin,
        "taxable_unit": body.taxable_unit or body.unit,
        "taxable_quantity": body.quantity if body.taxable_quantity is None else body.taxable_quantity,
        "taxable_unit_value": body.price if body.taxable_unit_value is None else body.taxable_unit_value,
        # The layout has no way to write these as zero.
        "freight": charges.freight or None,
        "insurance": charges.insurance or None,
        "discount": charges.discount or None,
        "other": charges.other or None,
        "counts_in_total": COUNTS if body.counts_in_total else "0",
    }
    return made(Product, values)
