"""The items of a received NF-e that a return takes back, whole or in part."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, NamedTuple, TypeVar

from carimbo.fiscal.layouts.layout import Element, layout_of
from carimbo.fiscal.layouts.nfe_v4.goods import ItemProduct
from carimbo.fiscal.layouts.nfe_v4.ibs_cbs import IbsCbs
from carimbo.fiscal.layouts.nfe_v4.icms import Icms, Icms51, Icms90
from carimbo.fiscal.layouts.nfe_v4.invoice import Item
from carimbo.fiscal.money import ZERO, cents, with_decimal_comma
from carimbo.fiscal.problems import MISSING_FIELD, Incomplete, Problem
from carimbo.fiscal.receiving import ReturnDraftItem

T = TypeVar("T")

_WHOLE, _LEAST = Decimal(100), Decimal("0.01")
_MONEY_PLACES = 2
_NOTHING = "O que volta não chega a valer um centavo: escolha itens e quantidades, ou não envie items."
# The price ceiling of a medicine and the price of a kilogram of gas: amounts of a unit with two decimals.
_UNIT_VALUES = frozenset({"vPMC", "vPart"})


class ReturnedItem(NamedTuple):
    """An item of the note with the amounts of the quantity that goes back."""

    item: Item
    percentage: Decimal
    """The share of the goods that goes back, from 0.01 to 100 with two decimals (pDevol)."""


def returned_items(items: Sequence[Item], chosen: Sequence[ReturnDraftItem] | None) -> list[ReturnedItem]:
    """Returns the chosen items with their amounts, in the order of the note; all items if `chosen` is None.

    Raises `Incomplete` with a problem for each choice that does not fit the note.
    """
    if chosen is None:
        return [ReturnedItem(item, _WHOLE) for item in items]
    by_number = {item.position: item for item in items}
    if problems := tuple(_problems(by_number, chosen)):
        raise Incomplete(*problems)
    quantities = {choice.number: choice.quantity for choice in chosen}
    returned = [
        returned_item(item, quantities.get(item.position) or item.product.quantity)
        for item in items
        if item.position in quantities
    ]
    if not any(item.product.amount for item, _ in returned):
        raise Incomplete(Problem(MISSING_FIELD, "items", _NOTHING))
    return returned


def _problems(by_number: dict[int, Item], chosen: Sequence[ReturnDraftItem]) -> Iterator[Problem]:
    seen: set[int] = set()
    for index, choice in enumerate(chosen):
        path, item = f"items[{index}]", by_number.get(choice.number)
        if item is None:
            yield Problem(MISSING_FIELD, f"{path}.number", f"A nota não tem o item {choice.number}.")
        elif choice.number in seen:
            yield Problem(MISSING_FIELD, f"{path}.number", f"O item {choice.number} está repetido.")
        elif choice.quantity and choice.quantity > item.product.quantity:
            quantity = with_decimal_comma(f"{item.product.quantity.normalize():f}")
            message = f"Não pode passar da quantidade do item na nota: {quantity} {item.product.unit}."
            yield Problem(MISSING_FIELD, f"{path}.quantity", message)
        seen.add(choice.number)


def returned_item(item: Item, quantity: Decimal) -> ReturnedItem:
    """Returns a quantity of an item with its share of all amounts; the whole item is unchanged.

    Amounts are rounded half up to the cent, each by itself. Of several batches, and of firearms, nobody knows
    which ones go back: a part of the item has none.
    """
    whole = item.product.quantity
    if quantity == whole:
        return ReturnedItem(item, _WHOLE)
    part = _part(item, quantity, whole)
    taxes = replace(
        part.taxes,
        icms=_with_exact_rests(part.taxes.icms, item.taxes.icms),
        ibs_cbs=_with_exact_sum(part.taxes.ibs_cbs, item.taxes.ibs_cbs, quantity, whole),
    )
    product = replace(_without_singular_goods(part.product), quantity=quantity)
    percentage = max(cents(_WHOLE * quantity / whole), _LEAST)
    return ReturnedItem(replace(part, product=product, taxes=taxes), percentage)


def _without_singular_goods(product: ItemProduct) -> ItemProduct:
    return replace(product, batches=product.batches if len(product.batches) == 1 else (), firearms=())


def _part(group: T, quantity: Decimal, whole: Decimal) -> T:
    """Returns a group of the layout with the share of its amounts and quantities, also in inner groups."""
    record: Any = group
    changes: dict[str, Any] = {}
    for name, element in layout_of(record).inner.items():
        value = getattr(record, name)
        if value is None:
            continue
        if element.kind in ("child", "variant"):
            changes[name] = _part(value, quantity, whole)
        elif element.kind == "children":
            changes[name] = tuple(_part(inner, quantity, whole) for inner in value)
        elif depends_on_quantity(element):
            unit = Decimal(1).scaleb(-(element.limit or 0))
            changes[name] = (value * quantity / whole).quantize(unit, ROUND_HALF_UP)
    divided: T = replace(record, **changes)
    return divided


def depends_on_quantity(element: Element) -> bool:
    """Returns whether an element depends on the quantity of the item; rates and values of a unit do not.

    The layout names amounts with v and quantities with q. Values of a unit have more than two decimals.
    """
    if element.kind != "decimal" or element.tag in _UNIT_VALUES:
        return False
    is_amount = element.tag.startswith("v") and element.limit == _MONEY_PLACES
    return is_amount or element.tag.startswith("q")


def _with_exact_rests(part: Icms | None, taxed: Icms | None) -> Icms | None:
    """Returns ICMS whose amounts after deferral are exact to the cent (MOC 7.0, N17-10)."""
    if not isinstance(part, Icms51 | Icms90) or not isinstance(taxed, Icms51 | Icms90):
        return part
    amount, fcp = part.amount, part.effective_fcp_amount
    if taxed.amount is not None and taxed.amount == _rest(taxed.operation_amount, taxed.deferral_amount):
        amount = _rest(part.operation_amount, part.deferral_amount)
    if fcp is not None and taxed.effective_fcp_amount == _rest(taxed.fcp_amount, taxed.fcp_deferral_amount):
        fcp = _rest(part.fcp_amount, part.fcp_deferral_amount)
    return replace(part, amount=amount, effective_fcp_amount=fcp)


def _rest(amount: Decimal | None, deferred: Decimal | None) -> Decimal | None:
    """Returns what remains after deferral; None if the group has no amount before it."""
    return None if amount is None else amount - (deferred or ZERO)


def _with_exact_sum(
    part: IbsCbs | None, taxed: IbsCbs | None, quantity: Decimal, whole: Decimal
) -> IbsCbs | None:
    """Returns IBS and CBS whose IBS is the sum of its rounded shares (NT 2025.002, UB54a-10).

    A presumed credit may be deducted from the sum, and then is divided too.
    """
    if part is None or part.by_rate is None or taxed is None or taxed.by_rate is None:
        return part
    before, after = taxed.by_rate, part.by_rate
    deduction = before.state.amount + before.city.amount - before.ibs_amount
    amount = after.state.amount + after.city.amount - cents(deduction * quantity / whole)
    return replace(part, by_rate=replace(after, ibs_amount=amount))
