"""Composes the items of a document: product, charges, taxes, and the part of the total amount."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from carimbo.fiscal.goods.federal_taxes import returned_ipi_group
from carimbo.fiscal.goods.item_body import COUNTS, ItemBody
from carimbo.fiscal.goods.item_taxes import ItemTaxation, deducted_icms
from carimbo.fiscal.layouts.layout import construct, fields_among, layout_of
from carimbo.fiscal.layouts.nfe_v4.federal_taxes import ReturnedIpi
from carimbo.fiscal.layouts.nfe_v4.goods import ItemProduct
from carimbo.fiscal.layouts.nfe_v4.invoice import Item, ItemObservations, ItemTaxes
from carimbo.fiscal.money import ZERO, cents, split_amount
from carimbo.fiscal.problems import SCHEMA_PROBLEM, Incomplete, Problem


@dataclass(frozen=True, slots=True)
class Charges:
    """Freight, insurance, other expenses and discount of an item or of a document."""

    freight: Decimal | None = None
    insurance: Decimal | None = None
    other: Decimal | None = None
    discount: Decimal | None = None


_NAMES = ("freight", "insurance", "other", "discount")
# Paths of the amounts of the document in the body, if they differ from the names.
_PATHS = {"freight": "freight.amount"}


def charges_of(items: Sequence[ItemBody], document: Charges) -> Sequence[Charges]:
    """Returns the charges of each item: its own, or its share of those of the document, by its price."""
    shared = [name for name in _NAMES if getattr(document, name)]
    duplicates = [name for name in shared if any(getattr(item, name) for item in items)]
    if duplicates:
        raise Incomplete(*map(_duplicate_charge, duplicates))
    weights = [cents(item.quantity * item.price) if item.counts_in_total else ZERO for item in items]
    parts = {name: split_amount(getattr(document, name), weights) for name in shared}
    return [
        Charges(**{name: parts[name][index] if name in parts else getattr(item, name) for name in _NAMES})
        for index, item in enumerate(items)
    ]


def _duplicate_charge(name: str) -> Problem:
    path = _PATHS.get(name, name)
    message = f"Informe {path} do documento ou items[].{name}, não os dois."
    return Problem("AMBIGUOUS", path, message, hint="O valor do documento é repartido entre os itens.")


NO_GTIN = "SEM GTIN"


def compose_item(
    body: ItemBody,
    position: int,
    cfop: str,
    description: str,
    charges: ItemBody | Charges,
    taxation: ItemTaxation,
) -> Item:
    """Returns an item of the document; `position` counts from zero, as in the list of the request."""
    trade = taxation.trade
    if trade.is_sale and not body.quantity:
        # Only documents that complete or adjust others may have no quantity.
        path = f"items[{position}].quantity"
        taxation.findings.add_problem(Problem(SCHEMA_PROBLEM, path, "Deve ser maior que 0 em uma venda."))
    ncm = body.ncm or trade.company.defaults.ncm
    product = product_of(body, position, ncm, cfop, description, charges)
    taxes = taxation.taxes_of(body, product, position)
    returned = returned_ipi_group(body.returned_ipi) if body.returned_ipi else None
    return Item(
        position=position + 1,
        product=product,
        taxes=taxes,
        returned_ipi=returned,
        notes=body.notes,
        observations=ItemObservations(observation=body.observation) if body.observation else None,
        # Only items with taxes of the reform have their own total (NT 2025.002, VB01).
        total=item_total(product, taxes, returned) if taxes.ibs_cbs else None,
        referenced_item=body.referenced_item,
    )


# Amounts of ICMS that are charged on top of the price.
_CHARGED = ("st_amount", "st_fcp_amount", "single_phase_withholding_amount")


def item_total(product: ItemProduct, taxes: ItemTaxes, returned: ReturnedIpi | None) -> Decimal:
    """Returns the part of an item in the total of the document (MOC 7.0, rule W16-10; NT 2020.005)."""
    amount = product.amount if product.counts_in_total == COUNTS else ZERO
    charges = [product.freight, product.insurance, product.other, *_taxes_on_top(taxes)]
    if returned:
        charges.append(returned.ipi.amount)
    amount = sum(filter(None, charges), amount) - deducted_icms(taxes.icms)
    return amount - product.discount if product.discount else amount


def _taxes_on_top(taxes: ItemTaxes) -> list[Decimal | None]:
    """Returns the taxes that are charged on top of the price."""
    icms_type: Any = type(taxes.icms)
    amounts = [getattr(taxes.icms, name) for name in fields_among(icms_type, _CHARGED)]
    if taxes.import_tax:
        amounts.append(taxes.import_tax.amount)
    if taxes.ipi:
        amounts.append(getattr(taxes.ipi.taxation, "amount", None))
    for substitution in (taxes.pis_st, taxes.cofins_st):
        if substitution and substitution.adds_to_total == COUNTS:
            amounts.append(substitution.amount)
    return amounts


# Optional fields with the same name in the body and in the layout; few items have any of them.
_COPIED = frozenset(
    name
    for name, default in layout_of(ItemProduct).defaults.items()
    if default in (None, ()) and name in ItemBody.model_fields and name not in _NAMES
)


def product_of(
    body: ItemBody, position: int, ncm: str | None, cfop: str, description: str, charges: ItemBody | Charges
) -> ItemProduct:
    """Returns the product of an item (`prod`)."""
    gtin, price = body.gtin or NO_GTIN, body.price
    values = {
        "sku": body.sku or f"ITEM{position + 1:03d}",
        "gtin": gtin,
        "description": description,
        "ncm": ncm or "",
        "manufacturer_cnpj": body.manufacturer_tax_id,
        "cfop": body.cfop or cfop,
        "unit": body.unit,
        "quantity": body.quantity,
        "unit_value": price,
        "amount": cents(body.quantity * price),
        "taxable_gtin": body.taxable_gtin or gtin,
        "taxable_unit": body.taxable_unit or body.unit,
        "taxable_quantity": body.quantity if body.taxable_quantity is None else body.taxable_quantity,
        "taxable_unit_value": price if body.taxable_unit_value is None else body.taxable_unit_value,
        # The layout can't write these as zero.
        "freight": charges.freight or None,
        "insurance": charges.insurance or None,
        "discount": charges.discount or None,
        "other": charges.other or None,
        "counts_in_total": COUNTS if body.counts_in_total else "0",
    }
    given = body.model_fields_set
    if not given.isdisjoint(_COPIED):
        values |= {name: getattr(body, name) for name in given & _COPIED}
    return construct(ItemProduct, values)
