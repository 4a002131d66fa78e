"""What the catalog knows of a sale: who buys, and what each line sells."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any
from uuid import UUID

from pydantic import ValidationError
from pydantic.alias_generators import to_camel

from carimbo.fiscal.customer import CustomerFacts
from carimbo.fiscal.field_messages import in_portuguese, json_path
from carimbo.fiscal.findings import Findings, Incomplete
from carimbo.fiscal.problems import Problem, quoted
from carimbo.service.customers import facts_of, merged
from carimbo.service.errors import Code, Refusal
from carimbo.service.product_bodies import ProductBody, ProductType, product_of
from carimbo.service.sales.body import BuyerBody, SaleBody, SaleLineBody
from carimbo.service.sales.division import Component, PricedLine, item_types
from carimbo.service.sales.document_types import customer_gaps, document_type_for
from carimbo.storage.database import Tenant
from carimbo.storage.products import NewProduct, Product, new_product_id

WRONG = "INVALID"
"""The code of a field that can't be as it was told."""
_ADVICE = {"customer.document": ": informe o CPF ou CNPJ, ou foreignId de um estrangeiro."}
_OF_A_NEW_ITEM = ("name", "type", "category")
_OF_AN_ITEM = (*_OF_A_NEW_ITEM, "sku", "price", "ncm", "service_item_code")


@dataclass(frozen=True, slots=True)
class SoldBefore:
    """Customer and items of a stored sale, which a change may go on using after they left the catalog."""

    customer_id: UUID | None = None
    product_ids: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Buyer:
    """Who buys, as the documents name it."""

    facts: CustomerFacts
    """What the catalog knows, completed by what the sale tells."""
    told: CustomerFacts | None
    """What the catalog is to learn; None of a customer given by id, and of one without a name."""
    known_id: UUID | None


@dataclass(frozen=True, slots=True)
class Found:
    """A sale with what the catalog knows of it."""

    buyer: Buyer | None
    lines: tuple[PricedLine, ...]
    """Those whose items are known."""
    problems: tuple[Problem, ...] = ()
    """Everything that keeps the sale from being made."""


async def look_up(
    tenant: Tenant, company_id: UUID, body: SaleBody, product_type: str, before: SoldBefore
) -> Found:
    """Finds buyer and items, with everything that the catalog does not know and the documents need."""
    findings = Findings()
    shelf = await _shelf(tenant, company_id, body.products, before.product_ids)
    priced = [findings.tried(shelf.priced, *told) for told in enumerate(body.products)]
    lines = tuple(line for line in priced if line is not None)
    buyer = None
    try:
        if body.customer:
            buyer = await _buyer(tenant, company_id, body.customer, before.customer_id)
        findings.missed_all(_customer_problems(body, buyer, lines, product_type))
    except Incomplete as unknown:
        findings.missed_all(unknown.problems)
    return Found(buyer, lines, findings.problems)


def _customer_problems(
    body: SaleBody, buyer: Buyer | None, lines: Sequence[PricedLine], product_type: str
) -> Iterator[Problem]:
    kinds = [document_type_for(item, product_type) for item in item_types(lines)]
    if buyer and not buyer.facts.name:
        # A receipt names its buyer by the document alone; every other document has a name too.
        is_receipt_alone = bool(kinds) and not any(customer_gaps(kinds, None))
        if not (is_receipt_alone and buyer.facts.known_as):
            message = "Campo obrigatório para um cliente que não está no catálogo."
            yield Problem(WRONG, "customer.name", message)
    for path, kind in customer_gaps(kinds, buyer.facts if buyer else None):
        advice = _ADVICE.get(path, ".")
        if isinstance(body.customer, UUID):
            advice = ": complete o cadastro do cliente."
        yield Problem(WRONG, path, f"Campo obrigatório na {kind.title}{advice}")


def refuse_wrong_fields(problems: Iterable[Problem]) -> None:
    """Refuse the fields that are wrong, all at once."""
    told = [{"field": one.path, "error": one.message} for one in problems]
    if told:
        raise Refusal(Code.VALIDATION_ERROR, fields=told)


def _wrong(path: str, message: str) -> Incomplete:
    """A field that can't be as it was told."""
    return Incomplete(Problem(WRONG, path, message))


async def _buyer(
    tenant: Tenant, company_id: UUID, told: UUID | BuyerBody, bought_before: UUID | None
) -> Buyer:
    if isinstance(told, UUID):
        customers = tenant.customers
        known = await (customers.get_even_deleted if told == bought_before else customers.get)(told)
        if known is None or known.company_id != company_id:
            raise _wrong("customer", "Não há cliente com este id.")
        return Buyer(known, None, known.id)
    facts = facts_of(told)
    known = await tenant.customers.find(company_id, facts)
    if known is None and told.name is None:
        return Buyer(replace(facts, name=""), None, None)
    if known is None:
        return Buyer(facts, facts, None)
    # Should it be deleted meanwhile, it is made anew under the name that it had.
    return Buyer(merged(known, facts), replace(facts, name=told.name or known.name), known.id)


async def _shelf(
    tenant: Tenant, company_id: UUID, lines: Sequence[SaleLineBody], sold_before: Sequence[str]
) -> "_Shelf":
    """Everything of the catalog that the lines speak of, and what is new in them."""
    by_sku = await tenant.products.by_skus(company_id, [line.sku for line in lines if line.sku])
    by_id = await tenant.products.by_ids(company_id, [line.id for line in lines if line.id], sold_before)
    items = {item.id: item for item in (*by_sku, *by_id)}
    parts = [part["id"] for item in items.values() for part in item.components]
    # Only those of a split item that was deleted before can be deleted.
    components = {item.id: item for item in await tenant.products.by_ids(company_id, parts, parts)}
    described = [(at, line) for at, line in enumerate(lines) if line.sku and not _lacking(line)]
    # Of several lines with the same new SKU the first that describes it makes the item.
    new = {line.sku or "": (at, line) for at, line in reversed(described)}
    return _Shelf(company_id, items, {item.sku: item for item in by_sku}, components, new)


@dataclass(frozen=True, slots=True)
class _Shelf:
    """The items that a sale speaks of."""

    company_id: UUID
    by_id: Mapping[str, Product]
    by_sku: Mapping[str, Product]
    components: Mapping[str, Product]
    described: Mapping[str, tuple[int, SaleLineBody]]
    """Lines that tell enough of an item to put it into the catalog, by SKU."""

    def priced(self, position: int, line: SaleLineBody) -> PricedLine:
        """A line with its item and price; raises Incomplete with all that lacks."""
        at, item = f"products[{position}]", self._item(f"products[{position}]", line)
        if line.type not in (None, item.type):
            raise _wrong(f"{at}.type", f"No catálogo o item é do tipo {item.type}.")
        if isinstance(item, Product):
            _refuse_missing_codes(at, line, item)
        price = item.price if line.price is None else line.price
        if price is None:
            raise _wrong(f"{at}.price", "Campo obrigatório: o item não tem preço no catálogo.")
        parts = tuple(map(self._component, item.components))
        return PricedLine(item, line.name or item.name, price, line.quantity, parts)

    def _component(self, part: Mapping[str, Any]) -> Component:
        return Component(self.components[part["id"]], Decimal(str(part["percentage"])))

    def _item(self, at: str, line: SaleLineBody) -> NewProduct:
        if line.id:
            return self._named_by_id(at, line.id, line.sku)
        sku = line.sku or ""
        if sku in self.by_sku:
            return self.by_sku[sku]
        if line.type is ProductType.SPLIT:
            raise _wrong(f"{at}.type", "Um item dividido é cadastrado em products, com os seus componentes.")
        if sku not in self.described:
            raise Incomplete(*_not_described(at, line))
        return _new_item(self.company_id, *self.described[sku])

    def _named_by_id(self, at: str, told: str, sku: str | None) -> Product:
        item = self.by_id.get(told)
        if item is None:
            raise _wrong(f"{at}.id", "Não há item com este id no catálogo.")
        if sku is not None and sku != item.sku:
            raise _wrong(f"{at}.sku", f"O item com este id tem outro SKU, {quoted(item.sku)}.")
        return item


def _refuse_missing_codes(at: str, line: SaleLineBody, item: Product) -> None:
    """Refuses a code that a line has and its item lacks: the sale would not use it."""
    for name, code in (("ncm", line.ncm), ("serviceItemCode", line.service_item_code)):
        if code and not item.components and not item.fiscal.get(name):
            where = f"PUT /v1/companies/{{companyId}}/products/{item.id}"
            raise _wrong(f"{at}.{name}", f"O item está no catálogo sem {name}: informe-o nele, com {where}.")


def _new_item(company_id: UUID, position: int, line: SaleLineBody) -> NewProduct:
    """The item that a line describes, as strictly as the catalog would take it."""
    told = {name: value for name in _OF_AN_ITEM if (value := getattr(line, name)) is not None}
    try:
        item = ProductBody.model_validate({to_camel(name): value for name, value in told.items()}).root
    except ValidationError as invalid:
        raise Incomplete(*_as_told(f"products[{position}]", invalid)) from None
    return product_of(item, company_id, new_product_id())


def _as_told(at: str, invalid: ValidationError) -> list[Problem]:
    return [
        Problem(WRONG, f"{at}.{json_path(error['loc'])}", in_portuguese(error)) for error in invalid.errors()
    ]


def _lacking(line: SaleLineBody) -> list[str]:
    return [name for name in _OF_A_NEW_ITEM if getattr(line, name) is None]


def _not_described(at: str, line: SaleLineBody) -> list[Problem]:
    message = f"Não há item com o SKU {quoted(line.sku)} no catálogo: para cadastrá-lo, informe este campo."
    return [Problem(WRONG, f"{at}.{name}", message) for name in _lacking(line)]
