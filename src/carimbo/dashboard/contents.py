"""Items and totals of a document as pages show them, from the JSON of any type, issued or received."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from carimbo.dashboard.shown import NOTHING, indented_json, money, number, unit_price
from carimbo.fiscal.identity.access_key import shown_access_key
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.service.listing import PageRequest

TAX_NAMES: Mapping[str, str] = {
    "icms": "ICMS",
    "icmsSt": "ICMS-ST",
    "fcp": "FCP",
    "fcpSt": "FCP-ST",
    "difal": "DIFAL",
    "ipi": "IPI",
    "importTax": "Imposto de importação",
    "selectiveTax": "Imposto seletivo",
    "pis": "PIS",
    "cofins": "COFINS",
    "iss": "ISS",
    "issWithheld": "ISS retido",
    "inssWithheld": "INSS retido",
    "irWithheld": "IR retido",
    "csllWithheld": "CSLL, PIS e COFINS retidos",
    "ibs": "IBS",
    "cbs": "CBS",
}
# In the order in which they are shown. A path leads into groups.
_TOTALS: Sequence[tuple[str, str]] = (
    ("goodsAmount", "Produtos"),
    ("freight", "Frete"),
    ("insurance", "Seguro"),
    ("other", "Outras despesas"),
    ("discount", "Desconto"),
    ("cargoAmount", "Valor da carga"),
    ("icmsBase", "Base do ICMS"),
    ("icms.base", "Base do ICMS"),
    ("icmsAmount", "ICMS"),
    ("icms.amount", "ICMS"),
    ("stAmount", "ICMS-ST"),
    ("fcpAmount", "FCP"),
    ("stFcpAmount", "FCP-ST"),
    ("destinationAmount", "DIFAL para o estado do destino"),
    ("importTaxAmount", "Imposto de importação"),
    ("ipiAmount", "IPI"),
    ("pisAmount", "PIS"),
    ("pis", "PIS"),
    ("cofinsAmount", "COFINS"),
    ("cofins", "COFINS"),
    ("issBase", "Base do ISS"),
    ("issAmount", "ISS"),
    ("issWithheld", "ISS retido"),
    ("inssWithheld", "INSS retido"),
    ("irWithheld", "IR retido"),
    ("csllWithheld", "CSLL, PIS e COFINS retidos"),
    ("federalWithheld", "Retenções federais"),
    ("totalWithheld", "Total retido"),
    ("ibsCbsBase", "Base de IBS e CBS"),
    ("ibsCbs.base", "Base de IBS e CBS"),
    ("ibsAmount", "IBS"),
    ("ibsCbs.ibs.amount", "IBS"),
    ("ibsCbs.ibsAmount", "IBS"),
    ("cbsAmount", "CBS"),
    ("ibsCbs.cbs.amount", "CBS"),
    ("approximateTaxes", "Tributos aproximados"),
    ("netAmount", "Valor líquido"),
    ("receivableAmount", "Valor a receber"),
    ("amount", "Total"),
    ("totalDue", "Total a pagar"),
)
_COUNTS: Mapping[str, str] = {
    path: label for document_type in DOCUMENT_TYPES for path, label in document_type.counts.items()
}
_CODES: Sequence[tuple[str, str]] = (
    ("sku", "Código"),
    ("gtin", "GTIN"),
    ("ncm", "NCM"),
    ("cest", "CEST"),
    ("cfop", "CFOP"),
    ("federalServiceCode", "Código nacional"),
    ("cityServiceCode", "Código do município"),
    ("nbs", "NBS"),
    ("series", "Série"),
)
_KINDS: Mapping[str, str] = {
    kind: words for document_type in DOCUMENT_TYPES for kind, words in document_type.line_kinds.items()
}
# An item of the normal regime has some 2 kB of JSON: more items would make a slow page.
_ITEMS_PER_PAGE = 10
_SIMPLE_TAXES = ("ipi", "importTax", "selectiveTax", "pis", "cofins")


@dataclass(frozen=True)
class ItemRow:
    """An item of a document, or a part of its service or cargo."""

    number: str
    description: str
    codes: str
    quantity: str
    unit_value: str
    amount: str
    taxes: Sequence[str]
    json: str


@dataclass(frozen=True)
class AmountRow:
    """A total with its name."""

    name: str
    text: str
    is_total: bool


@dataclass(frozen=True)
class ItemPage:
    """A page of the items of a document."""

    rows: Sequence[ItemRow]
    total: int
    """How many items the document has."""
    request: PageRequest


def item_page(items: Sequence[Mapping[str, Any]], page: int) -> ItemPage:
    """Returns a page of items by its number."""
    request = PageRequest(page, _ITEMS_PER_PAGE)
    lines = items[request.offset : request.offset + request.page_size]
    return ItemPage(item_rows(lines, request.offset + 1), len(items), request)


def item_rows(items: Sequence[Mapping[str, Any]], first: int = 1) -> list[ItemRow]:
    """Returns the rows of items; `first` is the number of the first one, if they do not say theirs."""
    return [_item_row(item, position) for position, item in enumerate(items, first)]


def total_rows(totals: Mapping[str, Any]) -> list[AmountRow]:
    """Returns the totals that are not zero, and the amount of the document."""
    rows = []
    for path, name in _TOTALS:
        value = _at(totals, path)
        if value or (value is not None and path == "amount"):
            rows.append(AmountRow(name, money(value), path in ("amount", "totalDue")))
    counts = [(name, _at(totals, path)) for path, name in _COUNTS.items()]
    return [*(AmountRow(name, number(value), False) for name, value in counts if value), *rows]


def _item_row(item: Mapping[str, Any], position: int) -> ItemRow:
    amount = item.get("amount")
    return ItemRow(
        number=str(item.get("number") or position) if "type" not in item else str(position),
        description=_description(item),
        codes=" · ".join(f"{name} {item[key]}" for key, name in _CODES if item.get(key)),
        quantity=f"{number(item['quantity'])} {item.get('unit') or ''}".strip() if "quantity" in item else "",
        unit_value=unit_price(item["unitValue"]) if "unitValue" in item else "",
        amount="" if amount is None else money(amount),
        taxes=[*_taxes(item)],
        json=indented_json(item),
    )


def _description(item: Mapping[str, Any]) -> str:
    kind = _KINDS.get(str(item.get("type")), "")
    names = (item.get(name) for name in ("description", "serviceDescription", "name"))
    text = next((name for name in names if name), "")
    if "accessKey" in item:
        text = shown_access_key(item["accessKey"] or NOTHING)
    elif kind and item.get("number"):
        text = f"{text} {item['number']}".strip()
    return f"{kind}: {text}" if kind and text else kind or text


def _taxes(item: Mapping[str, Any]) -> Iterator[str]:
    """Yields the main taxes of an item in words, each with its rate if it has one."""
    icms = item.get("icms") or {}
    if icms:
        yield _tax("icms", icms)
    more = (
        ("icmsSt", icms.get("stAmount")),
        ("fcp", icms.get("fcpAmount")),
        ("fcpSt", icms.get("stFcpAmount")),
    )
    share = (item.get("stateShare") or {}).get("destinationAmount")
    yield from (_amount(tax, amount) for tax, amount in (*more, ("difal", share)) if amount)
    yield from (_tax(tax, item[tax]) for tax in _SIMPLE_TAXES if item.get(tax))
    reform = item.get("ibsCbs") or {}
    groups = (("ibs", {"amount": reform.get("ibsAmount")}), ("cbs", reform.get("cbs") or {}))
    yield from (_tax(tax, group) for tax, group in groups if group.get("amount"))


def _tax(tax: str, group: Mapping[str, Any]) -> str:
    """Returns a tax with its rate and amount, or with the code that says why there is no amount."""
    amount, rate, name = group.get("amount"), group.get("rate"), TAX_NAMES[tax]
    if amount:
        return _amount(tax, amount) if not rate else f"{name} {number(rate)}%: {money(amount)}"
    if "csosn" in group:
        return f"{name}: CSOSN {group['csosn']}"
    return f"{name}: CST {group['cst']}" if "cst" in group else name


def _amount(tax: str, amount: Decimal) -> str:
    return f"{TAX_NAMES[tax]}: {money(amount)}"


def _at(values: Mapping[str, Any], path: str) -> Decimal | None:
    """Returns the number at a path; None if there is none."""
    value: Any = values
    for name in path.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    is_number = isinstance(value, int | float | Decimal) and not isinstance(value, bool)
    return Decimal(str(value)) if is_number else None
