"""A company's settings: one module per document type, defaults, e-mail and numbering.

Three kinds of value hide behind one JSON object: plain settings are kept as JSON, next numbers live in the
number sequences (per environment and series), and secrets are sealed and come back masked.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal
from uuid import UUID

from pydantic import Field, create_model

from carimbo.fiscal.company import TaxDefaults
from carimbo.fiscal.document_type import SettingsModule
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.fields import Changes, Flag
from carimbo.fiscal.module_settings import ModuleSettings
from carimbo.fiscal.registry import DOCUMENT_TYPES, MODULES
from carimbo.service.companies import (
    CompanyChanges,
    CompanyRecord,
    change_registration,
    lock_company,
    require_company,
    shown_company,
)
from carimbo.service.errors import invalid_field
from carimbo.service.masked import is_masked, masked, meant
from carimbo.service.readable import ReadFields, readable_fields
from carimbo.storage.companies import Company
from carimbo.storage.database import Database, Tenant
from carimbo.storage.emissions import Place


class DefaultSettings(TaxDefaults):
    """What a document takes when its body does not say."""

    product_invoice_type: Literal["nfe", "nfce"] = Field(
        default="nfe", description="Documento das vendas de produtos: `nfe` ou `nfce`."
    )


class EmailSettings(Changes):
    """What is sent to customers by e-mail."""

    send_on_authorization: Flag = False


class NumberingSettings(Changes):
    """What happens to numbers that did not become documents."""

    inutilize_gaps: Literal["manual", "automatic"] = Field(
        default="manual",
        description="`automatic` inutiliza os números não utilizados nos últimos dias do prazo legal.",
    )


class _SettingsBase(Changes):
    defaults: DefaultSettings = DefaultSettings()
    email: EmailSettings = EmailSettings()
    numbering: NumberingSettings = NumberingSettings()


if TYPE_CHECKING:

    class CompanySettings(_SettingsBase):
        """What a type checker sees of the model below."""

else:
    # One field per registered type, so a new type's settings appear by themselves.
    CompanySettings = create_model(
        "CompanySettings",
        __base__=_SettingsBase,
        __doc__="Configurações da empresa: um objeto por tipo de documento.",
        **{
            kind.name: (
                kind.settings,
                Field(
                    default=kind.settings(),
                    description=None if kind in DOCUMENT_TYPES else f"{kind.title}: ainda não emitidos.",
                ),
            )
            for kind in MODULES
        },
    )


class CompanyWithSettings(CompanyChanges):
    """Changes to the only company, settings included."""

    settings: CompanySettings | None = None


class CompanyWithSettingsRecord(CompanyRecord):
    """A company and its settings."""

    settings: CompanySettings


def module_of(settings: CompanySettings, kind: SettingsModule) -> ModuleSettings:
    """Returns what a company set for a type."""
    return kind.settings.model_validate(_json_of(settings).get(kind.name, {}))


async def read_settings(database: Database, subscription_id: UUID, company_id: UUID) -> CompanySettings:
    """Show a company's settings, secrets masked."""
    async with database.tenant(subscription_id) as tenant:
        return await shown_settings(tenant, await require_company(tenant, company_id))


async def change_settings(
    database: Database, subscription_id: UUID, company_id: UUID, changes: CompanySettings
) -> CompanySettings:
    """Merge the given settings into the stored ones: what is absent stays, null clears."""
    async with database.tenant(subscription_id) as tenant:
        await write_settings(tenant, company_id, changes)
        return await shown_settings(tenant, await require_company(tenant, company_id))


async def read_company_with_settings(
    database: Database, subscription_id: UUID, company_id: UUID
) -> CompanyWithSettingsRecord:
    """Show a company together with its settings."""
    async with database.tenant(subscription_id) as tenant:
        return await _with_settings(tenant, company_id)


async def update_company_with_settings(
    database: Database, subscription_id: UUID, company_id: UUID, changes: CompanyWithSettings
) -> CompanyWithSettingsRecord:
    """Write registration and settings in one step: both or neither."""
    async with database.tenant(subscription_id) as tenant:
        await change_registration(tenant, company_id, changes)
        if changes.settings is not None:
            await write_settings(tenant, company_id, changes.settings)
        return await _with_settings(tenant, company_id)


async def write_settings(tenant: Tenant, company_id: UUID, changes: CompanySettings) -> None:
    """Merge, take numbers and secrets out, and store each where it lives."""
    company = await lock_company(tenant, company_id)
    # Settings that can't be read are not written again: so a change repairs them.
    merged = _merge(_json_of(stored_settings(company).model), _json_of(changes))
    for kind in MODULES:
        module = merged.get(kind.name, {})
        await _store_secrets(tenant, company_id, kind, module)
        await _store_number(tenant, company, kind, module)
    await tenant.companies.set_settings(company_id, merged)


async def shown_settings(tenant: Tenant, company: Company) -> CompanySettings:
    """Put plain settings, numbers and masked secrets back together."""
    stored = _json_of(stored_settings(company).model)
    for kind in MODULES:
        module = stored.setdefault(kind.name, {})
        for path in kind.secret_settings:
            await _show_secret(tenant, company.id, kind, module, path, masked)
        settings = kind.settings.model_validate(module)
        number = await tenant.number_sequences.next_number(
            company.id, kind.name, environment_of(company, settings), settings.series
        )
        # After the last number of a series there is none.
        module["number"] = number if number <= kind.numbering.last_number else None
    return CompanySettings.model_validate(stored)


async def modules_with_secrets(
    tenant: Tenant, company: Company, stored: CompanySettings
) -> dict[str, ModuleSettings]:
    """Returns the settings that documents of each type are made with, secrets included."""
    values = _json_of(stored)
    modules = {}
    for kind in MODULES:
        module = values.get(kind.name, {})
        for path in kind.secret_settings:
            await _show_secret(tenant, company.id, kind, module, path, bytes.decode)
        modules[kind.name] = kind.settings.model_validate(module)
    return modules


def stored_settings(company: Company) -> ReadFields[CompanySettings]:
    """Returns a company's settings as far as they can be read, without numbers and secrets."""
    return readable_fields("companies", company.id, CompanySettings, company.settings)


def tax_defaults_of(company: Company) -> TaxDefaults:
    """What documents of goods take when they do not say."""
    stored = stored_settings(company).model.defaults
    fields = set(TaxDefaults.model_fields)
    return TaxDefaults.model_validate(stored.model_dump(exclude_unset=True, by_alias=True, include=fields))


def product_invoice_type_of(company: Company) -> str:
    """The document of a company's sales of products, where they do not say."""
    return stored_settings(company).model.defaults.product_invoice_type


def environment_of(company: Company, module: ModuleSettings) -> str:
    """Tell which environment a module issues in: its own if it has one, else the company's."""
    return module.environment_beside(Environment(company.environment))


async def _with_settings(tenant: Tenant, company_id: UUID) -> CompanyWithSettingsRecord:
    company = await require_company(tenant, company_id)
    record = shown_company(company)
    return CompanyWithSettingsRecord(**dict(record), settings=await shown_settings(tenant, company))


def _json_of(settings: CompanySettings) -> dict[str, Any]:
    return settings.model_dump(mode="json", by_alias=True, exclude_unset=True)


async def _store_secrets(
    tenant: Tenant, company_id: UUID, kind: SettingsModule, module: dict[str, Any]
) -> None:
    for path in kind.secret_settings:
        holder, name = _holder(module, path)
        secret_name = f"{kind.name}.{path}"
        if holder is not None and name not in holder:
            continue
        secret = None if holder is None else holder.pop(name)
        if secret is None:
            await tenant.secrets.delete(company_id, secret_name)
        else:
            stored = await tenant.secrets.get(company_id, secret_name) if is_masked(secret) else None
            await tenant.secrets.put(company_id, secret_name, meant(secret, stored, secret_name))


async def _store_number(
    tenant: Tenant, company: Company, kind: SettingsModule, module: dict[str, Any]
) -> None:
    number = module.pop("number", None)
    if number is None:
        return
    settings = kind.settings.model_validate(module)
    place = Place(
        company.id, kind.name, environment_of(company, settings), settings.series, kind.numbering.last_number
    )
    # Locked before it is compared: no document takes a number between the two.
    await tenant.number_sequences.set_next_number(
        company.id, kind.name, place.environment, settings.series, number
    )
    used = max(
        await tenant.emissions.highest_number(place), await tenant.inutilizations.highest_number(place)
    )
    if number <= used:
        sentence = f"O número {used} da série já foi usado ou inutilizado: informe um maior do que ele."
        if used >= kind.numbering.last_number:
            sentence = f"A série {settings.series} chegou ao seu último número, {used}: escolha outra série."
        raise invalid_field(f"{kind.name}.number", sentence)


async def _show_secret(
    tenant: Tenant,
    company_id: UUID,
    kind: SettingsModule,
    module: dict[str, Any],
    path: str,
    shown: Callable[[bytes], str],
) -> None:
    secret = await tenant.secrets.get(company_id, f"{kind.name}.{path}")
    holder, name = _holder(module, path)
    if secret is not None and holder is not None:
        holder[name] = shown(secret)


def _holder(module: dict[str, Any], path: str) -> tuple[dict[str, Any] | None, str]:
    """Find the object that a dotted path's last name is in."""
    *outer, name = path.split(".")
    holder: Any = module
    for step in outer:
        holder = holder.get(step) if isinstance(holder, dict) else None
    return holder, name


def _merge(current: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """Merge objects into objects; any other value replaces what was there."""
    merged = dict(current)
    for name, value in changes.items():
        before = merged.get(name)
        merged[name] = (
            _merge(before if isinstance(before, dict) else {}, value) if isinstance(value, dict) else value
        )
    return merged
