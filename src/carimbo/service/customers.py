"""The customers in a company's catalog: what callers do with them, and how sales find them."""

from dataclasses import fields, replace
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias
from uuid import UUID

from pydantic import Field, PlainSerializer, RootModel, StringConstraints, ValidationError, model_validator
from pydantic.alias_generators import to_camel

from carimbo.fiscal.body_reading import reading_of, without_blanks
from carimbo.fiscal.company import MunicipalRegistration, TradeName
from carimbo.fiscal.customer import CustomerFacts
from carimbo.fiscal.fields import Changes, Email, Flag, Phone, RecipientRegistration, Record, TaxId, Text
from carimbo.fiscal.party_address import AnyAddress, AnyAddressRecord, completed_address, is_in_brazil
from carimbo.fiscal.taxpayer import shown_tax_id
from carimbo.service.companies import Deleted
from carimbo.service.errors import Code, Refusal, invalid_body, not_found
from carimbo.service.pages import Page, PageRequest
from carimbo.service.partial_body import AS_SENT
from carimbo.service.read_only import READ_ONLY, Dated, refuse_changed
from carimbo.service.readable import readable
from carimbo.storage.customers import Customer
from carimbo.storage.database import Database, Tenant
from carimbo.storage.identifiers import new_id

_FACTS = frozenset(field.name for field in fields(CustomerFacts))


CustomerName = Annotated[Text, StringConstraints(min_length=3, max_length=64)]


class CustomerDetails(Changes):
    """What may be told of any customer."""

    document: TaxId | None = Field(default=None, description="CPF ou CNPJ, com ou sem pontuação.")
    foreign_id: Annotated[Text, StringConstraints(max_length=40)] | None = Field(
        default=None, description="Identificação fiscal no país de quem é do exterior."
    )
    phone: Phone | None = Field(default=None, description="Celular, com DDD.", examples=["11 98888-7777"])
    is_foreign: Flag | None = Field(
        default=None,
        alias="foreign",
        description="Se é do exterior; na falta, quem tem `foreignId` ou endereço lá, e não CPF ou CNPJ.",
    )
    address: AnyAddress | None = Field(
        default=None, description="Endereço, no Brasil ou, com `countryCode`, no exterior."
    )
    municipal_registration: MunicipalRegistration | None = Field(
        default=None, description="Inscrição municipal."
    )
    state_registration: RecipientRegistration | None = Field(
        default=None, description="Inscrição estadual, ou ISENTO."
    )
    trade_name: TradeName | None = Field(default=None, description="Nome fantasia.")


class CustomerBody(CustomerDetails):
    """What a caller tells of a customer."""

    name: CustomerName = Field(description="Nome ou razão social.", examples=["Maria da Silva"])
    email: Email = Field(description="E-mail.", examples=["maria@example.com"])


class CustomerChanges(CustomerDetails, Dated):
    """What changes in a customer: an absent field stays as it is, null clears it."""

    name: CustomerName = Field(default="", description="Nome ou razão social.", examples=["Maria da Silva"])
    email: Email | None = Field(default=None, description="E-mail.", examples=["maria@example.com"])
    id: UUID | None = Field(default=None, description="Só de leitura.", json_schema_extra=READ_ONLY)


if TYPE_CHECKING:
    _SentChanges: TypeAlias = dict[str, Any]
else:
    _SentChanges = CustomerChanges


class SentCustomerChanges(RootModel[Annotated[_SentChanges, AS_SENT]]):
    """Changes of a customer as they were sent: whether its name is right depends on the record."""


class CustomerUpsert(CustomerBody, Dated):
    """The body that creates a customer, or changes an existing one; blanks change nothing."""

    id: UUID | None = Field(default=None, description="Id do cliente a alterar.")

    @model_validator(mode="before")
    @classmethod
    def normalize(cls, given: Any) -> Any:
        """Returns the input without blank fields: a form with empty inputs clears nothing."""
        return without_blanks(given, reading_of(cls, clears=False))


class CustomerRecord(Record):
    """A customer as callers see it; one that a document or a sale made may lack an e-mail."""

    id: UUID
    name: str = Field(examples=["Maria da Silva"])
    email: str | None = Field(examples=["maria@example.com"])
    document: Annotated[str, PlainSerializer(shown_tax_id, return_type=str)] | None = Field(
        description="CPF ou CNPJ, com pontuação.", examples=["529.982.247-25"]
    )
    foreign_id: str | None
    phone: str | None = Field(examples=["11988887777"])
    is_foreign: bool = Field(alias="foreign")
    address: AnyAddressRecord | None
    municipal_registration: str | None
    state_registration: str | None
    trade_name: str | None
    created_at: datetime
    updated_at: datetime


async def upsert_customer(
    database: Database, subscription_id: UUID, company_id: UUID, told: CustomerUpsert
) -> CustomerRecord:
    """Overwrite the customer that is meant: by id, else by document, else by e-mail; make one of none."""
    async with database.tenant(subscription_id) as tenant:
        known = await _meant(tenant, company_id, told)
        refuse_changed(told, _shown(known) if known else None, {"created_at"})
        if known is None:
            customer = await tenant.customers.add(new_id(), company_id, facts_of(told))
        else:
            changed = overwritten(known, told)
            address = completed_address(changed.address, known.address)
            customer = await _write(tenant, known, replace(changed, address=address))
    return _shown(customer)


async def list_customers(
    database: Database, subscription_id: UUID, company_id: UUID, search: str, request: PageRequest
) -> Page[CustomerRecord]:
    """List a company's customers, newest first; a search that says nothing finds all."""
    sought = search.strip() or None
    async with database.snapshot(subscription_id) as tenant:
        rows = await tenant.customers.page(company_id, sought, request.offset, request.page_size)
        total = await tenant.customers.count(company_id, sought)
    return Page([_shown(row) for row in rows], total, request)


async def read_customer(
    database: Database, subscription_id: UUID, company_id: UUID, customer_id: UUID
) -> CustomerRecord:
    """Read one customer of a company."""
    async with database.tenant(subscription_id) as tenant:
        return _shown(await _require_customer(tenant, company_id, customer_id))


def _shown(customer: Customer) -> CustomerRecord:
    """Returns a customer as callers see it, without an address that can't be read."""
    return readable(
        "customers",
        customer.id,
        lambda: CustomerRecord.model_validate(customer),
        lambda: CustomerRecord.model_validate(replace(customer, address=None)),
    )


async def replace_customer(
    database: Database, subscription_id: UUID, company_id: UUID, customer_id: UUID, sent: dict[str, Any]
) -> CustomerRecord:
    """Writes the fields that were sent, and only those."""
    async with database.tenant(subscription_id) as tenant:
        changes = _changes_of(await _require_customer(tenant, company_id, customer_id), sent)
        current = await _hold_one(tenant, company_id, customer_id, facts_of(changes))
        if current is None:
            raise _unknown()
        refuse_changed(changes, _shown(current), {"id", "created_at"})
        customer = await _write(tenant, current, overwritten(current, changes))
    return _shown(customer)


def _changes_of(customer: Customer, sent: dict[str, Any]) -> CustomerChanges:
    """Returns the changes that were sent, or refuses wrong fields.

    The present name is not checked: documents make customers with shorter and longer names than callers may
    give.
    """
    name = sent.get("name")
    if isinstance(name, str) and name.strip() == customer.name:
        sent = {field: value for field, value in sent.items() if field != "name"}
    try:
        return CustomerChanges.model_validate(sent)
    except ValidationError as invalid:
        raise invalid_body(invalid) from None


async def delete_customer(
    database: Database, subscription_id: UUID, company_id: UUID, customer_id: UUID
) -> Deleted:
    """Take a customer out of the catalog; sales and documents go on naming it."""
    async with database.tenant(subscription_id) as tenant:
        if not await tenant.customers.delete(company_id, customer_id):
            raise _unknown()
    return Deleted(id=customer_id)


async def customer_for(tenant: Tenant, company_id: UUID, told: CustomerFacts) -> UUID:
    """The customer that facts are told of, with its gaps filled by them; made if nobody knows it."""
    known = await tenant.customers.find(company_id, told)
    if known is not None and merged(known, told) == known:
        return known.id
    known = await _hold_known(tenant, company_id, told)
    if known is None:
        return (await tenant.customers.add(new_id(), company_id, told)).id
    return (await _write(tenant, known, merged(known, told))).id


def merged(known: Customer, told: CustomerFacts) -> Customer:
    """A customer with what is told in the place of what is not known: nothing that is filled changes."""
    gaps = {name: getattr(told, name) for name in _FACTS if getattr(known, name) is None}
    gaps["address"] = completed_address(known.address, told.address)
    return replace(known, **gaps, is_foreign=_is_foreign(known, told))


def overwritten(known: Customer, told: CustomerBody | CustomerChanges) -> Customer:
    """A customer with what is told in the place of what was known; what is not told stays."""
    facts, names = facts_of(told), told.model_fields_set & _FACTS
    after = replace(known, **{name: getattr(facts, name) for name in names})
    if told.is_foreign is not None:
        return after
    if "is_foreign" in names:
        return replace(after, is_foreign=_seems_foreign(after))
    told_home = "address" in names and facts.address is not None and is_in_brazil(facts.address)
    comes_home = told_home or facts.document is not None
    return replace(after, is_foreign=_seems_foreign(after) or (known.is_foreign and not comes_home))


def facts_of(told: CustomerDetails) -> CustomerFacts:
    """What is known of a customer of whom only this is told."""
    address = told.address.model_dump(by_alias=True, exclude_none=True) if told.address else None
    values = {name: getattr(told, name) for name in _FACTS}
    facts = CustomerFacts(**values | {"address": address, "is_foreign": bool(told.is_foreign)})
    return facts if told.is_foreign is not None else replace(facts, is_foreign=_seems_foreign(facts))


def _seems_foreign(facts: CustomerFacts) -> bool:
    """Tell of somebody of whom nobody says whether they are foreign."""
    is_known_abroad = facts.foreign_id is not None or not is_in_brazil(facts.address or {})
    return facts.document is None and is_known_abroad


def _is_foreign(known: Customer, told: CustomerFacts) -> bool:
    """Who has a CPF or CNPJ may have an address abroad, and is not a foreigner by that."""
    return known.is_foreign or (known.document is None and told.is_foreign)


async def _meant(tenant: Tenant, company_id: UUID, told: CustomerUpsert) -> Customer | None:
    """The customer that a caller means, held."""
    if told.id is None:
        return await _hold_known(tenant, company_id, facts_of(told))
    known = await _hold_one(tenant, company_id, told.id, facts_of(told))
    if known is None:
        raise not_found(f"Cliente {told.id} não encontrado.")
    return known


async def _hold_known(tenant: Tenant, company_id: UUID, told: CustomerFacts) -> Customer | None:
    """The customer that facts are told of, held as it was found: others may change it until it is held."""
    await tenant.customers.hold(company_id, told)
    while (known := await tenant.customers.find(company_id, told)) is not None:
        if await tenant.customers.lock(known.id) == known:
            return known
    return None


async def _hold_one(
    tenant: Tenant, company_id: UUID, customer_id: UUID, told: CustomerFacts
) -> Customer | None:
    """The customer with an id, held to be told a document that nobody else has.

    What it is to be known by goes first, as wherever a customer is held, so that two never wait crosswise.
    """
    await tenant.customers.hold(company_id, told)
    known = _of_company(await tenant.customers.lock(customer_id), company_id)
    for field in ("document", "foreign_id") if known is not None else ():
        mark = CustomerFacts(name=told.name, **{field: getattr(told, field)})
        other = await tenant.customers.find(company_id, mark)
        if other is not None and other.id != customer_id:
            raise Refusal(
                Code.DUPLICATE_RESOURCE,
                "Já existe um cliente com este documento.",
                field=to_camel(field),
                existingId=str(other.id),
            )
    return known


async def _write(tenant: Tenant, held: Customer, facts: CustomerFacts) -> Customer:
    written = await tenant.customers.write(held.id, facts)
    if written is None:
        raise LookupError("a customer that is held is gone")
    return written


async def _require_customer(tenant: Tenant, company_id: UUID, customer_id: UUID) -> Customer:
    customer = _of_company(await tenant.customers.get(customer_id), company_id)
    if customer is None:
        raise _unknown()
    return customer


def _unknown() -> Refusal:
    return not_found("Cliente não encontrado.")


def _of_company(found: Customer | None, company_id: UUID) -> Customer | None:
    return found if found is not None and found.company_id == company_id else None
