"""Resolves the customer and the items of a sale in the catalog."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from uuid import UUID

from pydantic import ValidationError
from pydantic.alias_generators import to_camel

from carimbo.fiscal.body.messages import in_portuguese, json_path
from carimbo.fiscal.parties.customer import CustomerFacts
from carimbo.fiscal.problems import Findings, Incomplete, Problem, quoted
from carimbo.service.catalog.customers import facts_of, fill_gaps
from carimbo.service.catalog.product_bodies import ProductBody, ProductType, product_row
from carimbo.service.document_types import customer_gaps, document_type_for
from carimbo.service.errors import ErrorCode, Refusal
from carimbo.service.sales.body import BuyerBody, SaleBody, SaleLineBody
from carimbo.service.sales.division import Component, PricedLine, item_types
from carimbo.storage.database import Tenant
from carimbo.storage.products import NewProduct, ProductRow, new_product_id

INVALID_FIELD = "INVALID"
"""The code of an invalid field."""
_ADVICE = {"customer.document": ": informe o CPF ou CNPJ, ou foreignId de um estrangeiro."}
_OF_A_NEW_ITEM = ("name", "type", "category")
_OF_AN_ITEM = (*_OF_A_NEW_ITEM, "sku", "price", "ncm", "service_item_code")


@dataclass(frozen=True, slots=True)
class PreviousReferences:
    """Customer and items of a stored sale; a change may keep them even if they were deleted since."""

    customer_id: UUID | None = None
    product_ids: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Buyer:
    """The buyer of a sale."""

    facts: CustomerFacts
    """The catalog's data, completed by the data of the sale."""
    new_facts: CustomerFacts | None
    """The data to store in the catalog; None for a customer given by id, and for one without a name."""
    customer_id: UUID | None


@dataclass(frozen=True, slots=True)
class ResolvedSale:
    """The buyer and the priced lines of a sale, with the problems found in the catalog."""

    buyer: Buyer | None
    lines: tuple[PricedLine, ...]
    """The lines whose items were found."""
    problems: tuple[Problem, ...] = ()
    """Everything that makes the sale invalid."""


async def resolve_sale(
    tenant: Tenant, company_id: UUID, body: SaleBody, product_type: str, before: PreviousReferences
) -> ResolvedSale:
    """Returns the buyer and the priced lines of a sale; its problems name what the documents lack."""
    findings = Findings()
    items = await _read_items(tenant, company_id, body.products, before.product_ids)
    priced = [findings.attempt(items.priced, position, line) for position, line in enumerate(body.products)]
    lines = tuple(line for line in priced if line is not None)
    buyer = None
    try:
        if body.customer:
            buyer = await _buyer(tenant, company_id, body.customer, before.customer_id)
        findings.add_problems(_customer_problems(body, buyer, lines, product_type))
    except Incomplete as unknown:
        findings.add_problems(unknown.problems)
    return ResolvedSale(buyer, lines, findings.problems)


def _customer_problems(
    body: SaleBody, buyer: Buyer | None, lines: Sequence[PricedLine], product_type: str
) -> Iterator[Problem]:
    document_types = [document_type_for(item, product_type) for item in item_types(lines)]
    if buyer and not buyer.facts.name:
        # A receipt identifies its buyer by the CPF or CNPJ alone; every other document needs a name too.
        is_receipt_alone = bool(document_types) and not any(customer_gaps(document_types, None))
        if not (is_receipt_alone and buyer.facts.id_fields):
            message = "Campo obrigatório para um cliente que não está no catálogo."
            yield Problem(INVALID_FIELD, "customer.name", message)
    for path, document_type in customer_gaps(document_types, buyer.facts if buyer else None):
        advice = _ADVICE.get(path, ".")
        if isinstance(body.customer, UUID):
            advice = ": complete o cadastro do cliente."
        yield Problem(INVALID_FIELD, path, f"Campo obrigatório na {document_type.title}{advice}")


def refuse_invalid_fields(problems: Iterable[Problem]) -> None:
    """Refuses all invalid fields at once."""
    fields = [{"field": problem.path, "error": problem.message} for problem in problems]
    if fields:
        raise Refusal(ErrorCode.VALIDATION_ERROR, fields=fields)


def _invalid(path: str, message: str) -> Incomplete:
    """Returns the exception for an invalid field."""
    return Incomplete(Problem(INVALID_FIELD, path, message))


async def _buyer(
    tenant: Tenant, company_id: UUID, customer: UUID | BuyerBody, bought_before: UUID | None
) -> Buyer:
    if isinstance(customer, UUID):
        is_previous = customer == bought_before
        get = tenant.customers.get_even_deleted if is_previous else tenant.customers.get
        existing = await get(customer)
        if existing is None or existing.company_id != company_id:
            raise _invalid("customer", "Não há cliente com este id.")
        return Buyer(existing, None, existing.id)
    facts = facts_of(customer)
    existing = await tenant.customers.find(company_id, facts)
    if existing is None and customer.name is None:
        return Buyer(replace(facts, name=""), None, None)
    if existing is None:
        return Buyer(facts, facts, None)
    # If it is deleted meanwhile, it is created again under the same name.
    return Buyer(fill_gaps(existing, facts), replace(facts, name=customer.name or existing.name), existing.id)


async def _read_items(
    tenant: Tenant, company_id: UUID, lines: Sequence[SaleLineBody], sold_before: Sequence[str]
) -> "_SaleItems":
    """Reads the catalog items of the lines, and finds the lines that describe new ones."""
    by_sku = await tenant.products.by_skus(company_id, [line.sku for line in lines if line.sku])
    by_id = await tenant.products.by_ids(company_id, [line.id for line in lines if line.id], sold_before)
    items = {item.id: item for item in (*by_sku, *by_id)}
    parts = [part["id"] for item in items.values() for part in item.components]
    # Deleted components too: those of a split item that was itself deleted.
    components = {item.id: item for item in await tenant.products.by_ids(company_id, parts, parts)}
    described = [(at, line) for at, line in enumerate(lines) if line.sku and not _missing_fields(line)]
    # If several lines have the same new SKU, the first complete one defines the item.
    new = {line.sku or "": (at, line) for at, line in reversed(described)}
    return _SaleItems(company_id, items, {item.sku: item for item in by_sku}, components, new)


@dataclass(frozen=True, slots=True)
class _SaleItems:
    """The items of a sale's lines."""

    company_id: UUID
    by_id: Mapping[str, ProductRow]
    by_sku: Mapping[str, ProductRow]
    components: Mapping[str, ProductRow]
    described: Mapping[str, tuple[int, SaleLineBody]]
    """Lines with enough data to add their item to the catalog, by SKU."""

    def priced(self, position: int, line: SaleLineBody) -> PricedLine:
        """Returns a line with its item and price; raises Incomplete with the problems."""
        at = f"products[{position}]"
        item = self._item(at, line)
        if line.type not in (None, item.type):
            raise _invalid(f"{at}.type", f"No catálogo o item é do tipo {item.type}.")
        if isinstance(item, ProductRow) and not item.components:
            # A code that the catalog item lacks is refused: the sale would not use it.
            for name, code in (("ncm", line.ncm), ("serviceItemCode", line.service_item_code)):
                if code and not item.fiscal.get(name):
                    where = f"PUT /v1/companies/{{companyId}}/products/{item.id}"
                    message = f"O item está no catálogo sem {name}: informe-o nele, com {where}."
                    raise _invalid(f"{at}.{name}", message)
        price = item.price if line.price is None else line.price
        if price is None:
            raise _invalid(f"{at}.price", "Campo obrigatório: o item não tem preço no catálogo.")
        components = tuple(
            Component(self.components[part["id"]], Decimal(str(part["percentage"])))
            for part in item.components
        )
        return PricedLine(item, line.name or item.name, price, line.quantity, components)

    def _item(self, at: str, line: SaleLineBody) -> NewProduct:
        """Returns the item of a line, from the catalog or new; raises Incomplete with the problems."""
        if line.id:
            item = self.by_id.get(line.id)
            if item is None:
                raise _invalid(f"{at}.id", "Não há item com este id no catálogo.")
            if line.sku is not None and line.sku != item.sku:
                raise _invalid(f"{at}.sku", f"O item com este id tem outro SKU, {quoted(item.sku)}.")
            return item

        sku = line.sku or ""
        if sku in self.by_sku:
            return self.by_sku[sku]
        if line.type is ProductType.SPLIT:
            raise _invalid(
                f"{at}.type", "Um item dividido é cadastrado em products, com os seus componentes."
            )
        if sku not in self.described:
            message = (
                f"Não há item com o SKU {quoted(line.sku)} no catálogo: para cadastrá-lo, informe este campo."
            )
            missing = _missing_fields(line)
            raise Incomplete(*(Problem(INVALID_FIELD, f"{at}.{name}", message) for name in missing))
        return _new_item(self.company_id, *self.described[sku])


def _new_item(company_id: UUID, position: int, line: SaleLineBody) -> NewProduct:
    """Returns the new item of a line, validated as the catalog does."""
    values = {name: value for name in _OF_AN_ITEM if (value := getattr(line, name)) is not None}
    try:
        item = ProductBody.model_validate({to_camel(name): value for name, value in values.items()}).root
    except ValidationError as invalid:
        problems = (
            Problem(INVALID_FIELD, f"products[{position}].{json_path(error['loc'])}", in_portuguese(error))
            for error in invalid.errors()
        )
        raise Incomplete(*problems) from None
    return product_row(item, company_id, new_product_id())


def _missing_fields(line: SaleLineBody) -> list[str]:
    """Returns the fields that a line lacks to add its item to the catalog."""
    return [name for name in _OF_A_NEW_ITEM if getattr(line, name) is None]
