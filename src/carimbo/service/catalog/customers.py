"""The customers in a company's catalog: their API, and how sales and documents find or add them."""

from collections.abc import Mapping
from dataclasses import fields, replace
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias
from uuid import UUID

from pydantic import Field, PlainSerializer, RootModel, StringConstraints, ValidationError, model_validator
from pydantic.alias_generators import to_camel

from carimbo.fiscal.body.fields import Changes, Email, Flag, Phone, RecipientRegistration, Record, TaxId, Text
from carimbo.fiscal.body.reading import reading_of, without_blanks
from carimbo.fiscal.identity.tax_ids import shown_tax_id
from carimbo.fiscal.parties.company import MunicipalRegistration, TradeName
from carimbo.fiscal.parties.customer import CustomerFacts
from carimbo.fiscal.parties.party_address import AnyAddress, AnyAddressRecord, completed_address, is_in_brazil
from carimbo.service.audit import changed_fields
from carimbo.service.change_bodies import AS_SENT, READ_ONLY, ReadOnlyDates, refuse_read_only_changes
from carimbo.service.companies.company_bodies import Deleted
from carimbo.service.errors import ErrorCode, Refusal, invalid_body, not_found
from carimbo.service.listing import Page, PageRequest
from carimbo.service.stored_records import record_or_partial
from carimbo.storage.audit import AuditAction
from carimbo.storage.customers import Customer
from carimbo.storage.database import Database, Tenant
from carimbo.storage.identifiers import new_id

_FACTS = frozenset(field.name for field in fields(CustomerFacts))


CustomerName = Annotated[Text, StringConstraints(min_length=3, max_length=64)]


class CustomerDetails(Changes):
    """The fields that all bodies of a customer share."""

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
    """The body of a customer."""

    name: CustomerName = Field(description="Nome ou razão social.", examples=["Maria da Silva"])
    email: Email = Field(description="E-mail.", examples=["maria@example.com"])


class CustomerChanges(CustomerDetails, ReadOnlyDates):
    """The body that changes a customer: an absent field stays as it is, null clears it."""

    name: CustomerName = Field(default="", description="Nome ou razão social.", examples=["Maria da Silva"])
    email: Email | None = Field(default=None, description="E-mail.", examples=["maria@example.com"])
    id: UUID | None = Field(default=None, description="Só de leitura.", json_schema_extra=READ_ONLY)


if TYPE_CHECKING:
    _SentChanges: TypeAlias = dict[str, Any]
else:
    _SentChanges = CustomerChanges


class SentCustomerChanges(RootModel[Annotated[_SentChanges, AS_SENT]]):
    """The JSON of changes, not validated yet: whether the name is valid depends on the stored record."""


class CustomerUpsert(CustomerBody, ReadOnlyDates):
    """The body that creates a customer or changes an existing one; blank fields change nothing."""

    id: UUID | None = Field(default=None, description="Id do cliente a alterar.")

    @model_validator(mode="before")
    @classmethod
    def normalize(cls, given: Any) -> Any:
        """Returns the input without blank fields, so that a form with empty inputs clears nothing."""
        return without_blanks(given, reading_of(cls, clears=False))


class CustomerRecord(Record):
    """A customer as callers see it. Customers that a document or a sale created may lack an e-mail."""

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
    database: Database, subscription_id: UUID, company_id: UUID, body: CustomerUpsert
) -> CustomerRecord:
    """Overwrites the customer found by id, document or e-mail, in this order; creates it if there is none."""
    async with database.tenant(subscription_id) as tenant:
        if body.id is None:
            existing = await _lock_by_facts(tenant, company_id, facts_of(body))
        else:
            existing = await _lock_by_id(tenant, company_id, body.id, facts_of(body))
            if existing is None:
                raise not_found(f"Cliente {body.id} não encontrado.")
        refuse_read_only_changes(body, customer_record(existing) if existing else None, {"created_at"})
        if existing is None:
            customer = await tenant.customers.add(new_id(), company_id, facts_of(body))
            await _audit(tenant, AuditAction.CUSTOMER_CREATED, customer)
        else:
            changed = overwrite(existing, body)
            address = completed_address(changed.address, existing.address)
            customer = await _change(tenant, existing, replace(changed, address=address))
    return customer_record(customer)


async def create_customer(
    database: Database, subscription_id: UUID, company_id: UUID, body: CustomerBody
) -> CustomerRecord:
    """Adds a customer; refuses one that the catalog has, so that nobody overwrites what they do not see."""
    async with database.tenant(subscription_id) as tenant:
        facts = facts_of(body)
        existing = await _lock_by_facts(tenant, company_id, facts)
        if existing is not None:
            raise Refusal(
                ErrorCode.DUPLICATE_RESOURCE,
                f"O catálogo já tem este cliente: {existing.name}.",
                field=_shared_identity(existing, facts),
                existingId=str(existing.id),
            )
        customer = await tenant.customers.add(new_id(), company_id, facts)
        await _audit(tenant, AuditAction.CUSTOMER_CREATED, customer)
    return customer_record(customer)


def _shared_identity(customer: Customer, facts: CustomerFacts) -> str:
    """Returns the name of the field by which facts identify a customer."""
    if facts.document and facts.document == customer.document:
        return "document"
    return "foreignId" if facts.foreign_id and facts.foreign_id == customer.foreign_id else "email"


async def list_customers(
    database: Database, subscription_id: UUID, company_id: UUID, search: str, request: PageRequest
) -> Page[CustomerRecord]:
    """Lists a company's customers, newest first; a blank search returns all."""
    pattern = search.strip() or None
    async with database.snapshot(subscription_id) as tenant:
        rows = await tenant.customers.page(company_id, pattern, request.offset, request.page_size)
        total = await tenant.customers.count(company_id, pattern)
    return Page([customer_record(row) for row in rows], total, request)


async def read_customer(
    database: Database, subscription_id: UUID, company_id: UUID, customer_id: UUID
) -> CustomerRecord:
    """Returns a customer of a company."""
    async with database.tenant(subscription_id) as tenant:
        return customer_record(await require_customer(tenant, company_id, customer_id))


async def read_customer_facts(
    database: Database, subscription_id: UUID, company_id: UUID, customer_id: UUID
) -> CustomerFacts:
    """Returns what the catalog knows about a customer, for a form that it fills."""
    async with database.tenant(subscription_id) as tenant:
        return await require_customer(tenant, company_id, customer_id)


def customer_record(customer: Customer) -> CustomerRecord:
    """Returns a customer as callers see it, without an address that can't be read."""
    return record_or_partial(
        "customers",
        customer.id,
        lambda: CustomerRecord.model_validate(customer),
        lambda: CustomerRecord.model_validate(replace(customer, address=None)),
    )


async def replace_customer(
    database: Database, subscription_id: UUID, company_id: UUID, customer_id: UUID, sent: dict[str, Any]
) -> CustomerRecord:
    """Changes the fields that were sent, and only those."""
    async with database.tenant(subscription_id) as tenant:
        changes = _changes_of(await require_customer(tenant, company_id, customer_id), sent)
        current = await _lock_by_id(tenant, company_id, customer_id, facts_of(changes))
        if current is None:
            raise _unknown_customer()
        refuse_read_only_changes(changes, customer_record(current), {"id", "created_at"})
        customer = await _change(tenant, current, overwrite(current, changes))
    return customer_record(customer)


def _changes_of(customer: Customer, sent: dict[str, Any]) -> CustomerChanges:
    """Validates changes, or refuses invalid fields.

    A name that does not change is not checked: documents create customers with shorter and longer names than
    callers may send.
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
    """Deletes a customer from the catalog; its sales and documents still name it."""
    async with database.tenant(subscription_id) as tenant:
        customer = await require_customer(tenant, company_id, customer_id)
        if not await tenant.customers.delete(company_id, customer_id):
            raise _unknown_customer()
        await _audit(tenant, AuditAction.CUSTOMER_DELETED, customer)
    return Deleted(id=customer_id)


async def find_or_add_customer(tenant: Tenant, company_id: UUID, facts: CustomerFacts) -> UUID:
    """Returns the id of the customer with these facts, after filling its empty fields or adding it."""
    existing = await tenant.customers.find(company_id, facts)
    if existing is not None and fill_gaps(existing, facts) == existing:
        return existing.id
    existing = await _lock_by_facts(tenant, company_id, facts)
    if existing is None:
        return (await tenant.customers.add(new_id(), company_id, facts)).id
    return (await _write(tenant, existing, fill_gaps(existing, facts))).id


def fill_gaps(customer: Customer, facts: CustomerFacts) -> Customer:
    """Returns a customer whose empty fields are filled from the facts; filled fields do not change."""
    gaps = {name: getattr(facts, name) for name in _FACTS if getattr(customer, name) is None}
    gaps["address"] = completed_address(customer.address, facts.address)
    # A customer with a CPF or CNPJ may have an address abroad without being foreign.
    is_foreign = customer.is_foreign or (customer.document is None and facts.is_foreign)
    return replace(customer, **gaps, is_foreign=is_foreign)


def overwrite(customer: Customer, body: CustomerBody | CustomerChanges) -> Customer:
    """Returns a customer with the fields of the body in place of its own; absent fields stay."""
    facts, names = facts_of(body), body.model_fields_set & _FACTS
    after = replace(customer, **{name: getattr(facts, name) for name in names})
    if body.is_foreign is not None:
        return after
    if "is_foreign" in names:
        return replace(after, is_foreign=seems_foreign(after))
    has_home_address = "address" in names and facts.address is not None and is_in_brazil(facts.address)
    is_domestic = has_home_address or facts.document is not None
    return replace(after, is_foreign=seems_foreign(after) or (customer.is_foreign and not is_domestic))


def facts_of(body: CustomerDetails) -> CustomerFacts:
    """Returns the facts about a customer that a body contains; nothing is read from the catalog."""
    address = body.address.model_dump(by_alias=True, exclude_none=True) if body.address else None
    values = {name: getattr(body, name) for name in _FACTS}
    facts = CustomerFacts(**values | {"address": address, "is_foreign": bool(body.is_foreign)})
    return facts if body.is_foreign is not None else replace(facts, is_foreign=seems_foreign(facts))


def seems_foreign(facts: CustomerFacts) -> bool:
    """Returns whether a customer seems foreign, if the caller does not say it."""
    is_abroad = facts.foreign_id is not None or not is_in_brazil(facts.address or {})
    return facts.document is None and is_abroad


async def _lock_by_facts(tenant: Tenant, company_id: UUID, facts: CustomerFacts) -> Customer | None:
    """Returns and locks the customer that the facts identify; looks again if it changed before the lock."""
    await tenant.customers.hold(company_id, facts)
    while (customer := await tenant.customers.find(company_id, facts)) is not None:
        if await tenant.customers.lock(customer.id) == customer:
            return customer
    return None


async def _lock_by_id(
    tenant: Tenant, company_id: UUID, customer_id: UUID, facts: CustomerFacts
) -> Customer | None:
    """Returns and locks the customer with an id; refuses a document that another customer has.

    Locks the identifying values first, as all functions here do, so that two transactions never deadlock.
    """
    await tenant.customers.hold(company_id, facts)
    customer = _of_company(await tenant.customers.lock(customer_id), company_id)
    for field in ("document", "foreign_id") if customer is not None else ():
        identity = CustomerFacts(name=facts.name, **{field: getattr(facts, field)})
        other = await tenant.customers.find(company_id, identity)
        if other is not None and other.id != customer_id:
            raise Refusal(
                ErrorCode.DUPLICATE_RESOURCE,
                "Já existe um cliente com este documento.",
                field=to_camel(field),
                existingId=str(other.id),
            )
    return customer


async def _write(tenant: Tenant, current: Customer, facts: CustomerFacts) -> Customer:
    written = await tenant.customers.write(current.id, facts)
    if written is None:
        raise LookupError("a locked customer is gone")
    return written


async def _change(tenant: Tenant, current: Customer, facts: CustomerFacts) -> Customer:
    """Writes the facts that a caller sent."""
    written = await _write(tenant, current, facts)
    details = changed_fields(customer_record(current), customer_record(written))
    await _audit(tenant, AuditAction.CUSTOMER_CHANGED, written, details)
    return written


async def _audit(
    tenant: Tenant, action: AuditAction, customer: Customer, details: Mapping[str, Any] | None = None
) -> None:
    await tenant.audit.add(
        action,
        company_id=customer.company_id,
        subject_id=customer.id,
        subject_name=customer.name,
        details=details,
    )


async def require_customer(tenant: Tenant, company_id: UUID, customer_id: UUID) -> Customer:
    """Returns a customer of a company, or refuses as if it never existed."""
    customer = _of_company(await tenant.customers.get(customer_id), company_id)
    if customer is None:
        raise _unknown_customer()
    return customer


def _unknown_customer() -> Refusal:
    return not_found("Cliente não encontrado.")


def _of_company(customer: Customer | None, company_id: UUID) -> Customer | None:
    return customer if customer is not None and customer.company_id == company_id else None
