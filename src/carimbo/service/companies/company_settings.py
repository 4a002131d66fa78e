"""A company's settings: one module per document type, defaults, e-mail and numbering.

The JSON object of the API has three kinds of values, which are stored apart: plain settings as JSON, next
numbers in the number sequences (per environment and series), and secrets encrypted (returned masked).
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal
from uuid import UUID

from pydantic import Field, create_model

from carimbo.fiscal.body.fields import Changes, Flag
from carimbo.fiscal.document_type import SettingsModule
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.module_settings import ModuleSettings
from carimbo.fiscal.parties.company import TaxDefaults
from carimbo.fiscal.registry import DOCUMENT_TYPES, module_named
from carimbo.fiscal.setting_label import SettingLabel
from carimbo.service.audit import changed_fields
from carimbo.service.change_bodies import is_masked, mask_secret, unmask_secret
from carimbo.service.companies.company_bodies import CompanyChanges, CompanyRecord
from carimbo.service.companies.registration import (
    audit_company,
    change_registration,
    company_record,
    lock_company,
    require_company,
)
from carimbo.service.errors import invalid_field
from carimbo.service.stored_records import ReadFields, readable_fields
from carimbo.storage.audit import AuditAction
from carimbo.storage.companies import CompanyRow
from carimbo.storage.database import Database, Tenant
from carimbo.storage.emissions import NumberSeries


class DefaultSettings(TaxDefaults):
    """Values that a document takes if its body does not have them."""

    product_invoice_type: Annotated[
        Literal["nfe", "nfce"],
        SettingLabel("Documento das vendas de produtos", {"nfe": "NF-e", "nfce": "NFC-e"}),
    ] = Field(default="nfe", description="Documento das vendas de produtos: `nfe` ou `nfce`.")


class EmailSettings(Changes):
    """Settings of e-mails to customers."""

    send_on_authorization: Annotated[
        Flag, SettingLabel("E-mail ao cliente quando o documento é autorizado")
    ] = False


class NumberingSettings(Changes):
    """Settings of unused numbers."""

    inutilize_gaps: Annotated[
        Literal["manual", "automatic"],
        SettingLabel(
            "Inutilização de números sem uso",
            {"manual": "Só quando alguém pede", "automatic": "Automática, nos últimos dias do prazo"},
        ),
    ] = Field(
        default="manual",
        description="`automatic` inutiliza os números não utilizados nos últimos dias do prazo legal.",
    )


class ReceivedSettings(Changes):
    """Settings of received documents."""

    auto_acknowledge: Annotated[Flag, SettingLabel("Ciência automática das NF-e recebidas")] = Field(
        default=True,
        description="Registra sozinho a ciência das NF-e recebidas, para que o XML inteiro venha.",
    )


class _SettingsBase(Changes):
    defaults: DefaultSettings = DefaultSettings()
    email: EmailSettings = EmailSettings()
    numbering: NumberingSettings = NumberingSettings()
    received: ReceivedSettings = ReceivedSettings()


if TYPE_CHECKING:

    class CompanySettings(_SettingsBase):
        """The model below, for type checkers."""

else:
    # One field per registered type, so that a new type's settings need no change here.
    CompanySettings = create_model(
        "CompanySettings",
        __base__=_SettingsBase,
        __doc__="Configurações da empresa: um objeto por tipo de documento.",
        **{
            module.name: (
                module.settings,
                Field(default=module.settings()),
            )
            for module in DOCUMENT_TYPES
        },
    )


class CompanyWithSettings(CompanyChanges):
    """The body that changes the only company, settings included."""

    settings: CompanySettings | None = None


class CompanyWithSettingsRecord(CompanyRecord):
    """A company and its settings."""

    settings: CompanySettings


def module_of(settings: CompanySettings, document_type: SettingsModule) -> ModuleSettings:
    """Returns a company's settings of a document type."""
    return document_type.settings.model_validate(_json_of(settings).get(document_type.name, {}))


async def read_settings(database: Database, subscription_id: UUID, company_id: UUID) -> CompanySettings:
    """Returns a company's settings, with secrets masked."""
    async with database.tenant(subscription_id) as tenant:
        return await settings_record(tenant, await require_company(tenant, company_id))


async def change_settings(
    database: Database, subscription_id: UUID, company_id: UUID, changes: CompanySettings
) -> CompanySettings:
    """Merges the given settings into the stored ones: an absent value stays, null clears."""
    async with database.tenant(subscription_id) as tenant:
        await write_settings(tenant, company_id, changes)
        return await settings_record(tenant, await require_company(tenant, company_id))


async def read_company_with_settings(
    database: Database, subscription_id: UUID, company_id: UUID
) -> CompanyWithSettingsRecord:
    """Returns a company with its settings."""
    async with database.tenant(subscription_id) as tenant:
        return await _with_settings(tenant, company_id)


async def update_company_with_settings(
    database: Database, subscription_id: UUID, company_id: UUID, changes: CompanyWithSettings
) -> CompanyWithSettingsRecord:
    """Changes registration and settings in one transaction."""
    async with database.tenant(subscription_id) as tenant:
        await change_registration(tenant, company_id, changes)
        if changes.settings is not None:
            await write_settings(tenant, company_id, changes.settings)
        return await _with_settings(tenant, company_id)


async def write_settings(tenant: Tenant, company_id: UUID, changes: CompanySettings) -> None:
    """Merges changes into the stored settings; stores numbers and secrets apart from the plain settings."""
    company = await lock_company(tenant, company_id)
    before = await settings_record(tenant, company)
    # Settings that can't be read are left out, so any change repairs the stored JSON.
    merged = _merge(_json_of(stored_settings(company).model), _json_of(changes))
    for document_type in DOCUMENT_TYPES:
        module = merged.get(document_type.name, {})
        await _store_secrets(tenant, company_id, document_type, module)
        await _store_number(tenant, company, document_type, merged)
    await tenant.companies.set_settings(company_id, merged)
    after = await settings_record(tenant, await require_company(tenant, company_id))
    await _audit_change(tenant, company, before, after)


async def _audit_change(
    tenant: Tenant, company: CompanyRow, before: CompanySettings, after: CompanySettings
) -> None:
    details = changed_fields(before, after)
    await audit_company(tenant, AuditAction.SETTINGS_CHANGED, company, details)
    for document_type in DOCUMENT_TYPES:
        module = module_of(after, document_type)
        if not {f"{document_type.name}.series", f"{document_type.name}.number"} & {*details["fields"]}:
            continue
        await tenant.audit.add(
            AuditAction.NUMBERING_CHANGED,
            company_id=company.id,
            subject_id=document_type.name,
            subject_name=document_type.title,
            details={"series": module.series, "number": module.number},
        )


async def settings_record(tenant: Tenant, company: CompanyRow) -> CompanySettings:
    """Returns the settings as callers see them: plain settings, next numbers and masked secrets."""
    stored = _json_of(stored_settings(company).model)
    for document_type in DOCUMENT_TYPES:
        module = stored.setdefault(document_type.name, {})
        for path in document_type.secret_settings:
            await _show_secret(tenant, company.id, document_type, module, path)
        series = _number_series(company, document_type, stored)
        number = await tenant.number_sequences.next_number(
            company.id, document_type.name, series.environment, series.series
        )
        # After the last number of a series there is no next one.
        module["number"] = number if number <= document_type.numbering.last_number else None
    return CompanySettings.model_validate(stored)


async def module_secrets(tenant: Tenant, company_ids: Sequence[UUID]) -> dict[UUID, dict[str, bytes]]:
    """Returns the secrets in the settings of several companies, by company and by path."""
    secrets: dict[UUID, dict[str, bytes]] = {}
    for document_type in DOCUMENT_TYPES:
        for path in document_type.secret_settings:
            name = f"{document_type.name}.{path}"
            for company_id, secret in (await tenant.secrets.of_owners(company_ids, name)).items():
                secrets.setdefault(company_id, {})[name] = secret
    return secrets


def modules_with_secrets(stored: CompanySettings, secrets: Mapping[str, bytes]) -> dict[str, ModuleSettings]:
    """Returns the settings of each document type with their secrets in clear, for issuing."""
    values = _json_of(stored)
    modules = {}
    for document_type in DOCUMENT_TYPES:
        module = values.get(document_type.name, {})
        for path in document_type.secret_settings:
            secret = secrets.get(f"{document_type.name}.{path}")
            if secret is not None:
                _put_at(module, path, secret.decode())
        modules[document_type.name] = document_type.settings.model_validate(module)
    return modules


def stored_settings(company: CompanyRow) -> ReadFields[CompanySettings]:
    """Returns a company's settings as far as they can be read, without numbers and secrets."""
    return readable_fields("companies", company.id, CompanySettings, company.settings)


def tax_defaults_of(company: CompanyRow) -> TaxDefaults:
    """Returns the tax defaults of a company's documents of goods."""
    stored = stored_settings(company).model.defaults
    fields = set(TaxDefaults.model_fields)
    return TaxDefaults.model_validate(stored.model_dump(exclude_unset=True, by_alias=True, include=fields))


def product_invoice_type_of(company: CompanyRow) -> str:
    """Returns the default document type of a company's sales of products."""
    return stored_settings(company).model.defaults.product_invoice_type


async def _with_settings(tenant: Tenant, company_id: UUID) -> CompanyWithSettingsRecord:
    company = await require_company(tenant, company_id)
    record = company_record(company)
    return CompanyWithSettingsRecord(**dict(record), settings=await settings_record(tenant, company))


def _json_of(settings: CompanySettings) -> dict[str, Any]:
    return settings.model_dump(mode="json", by_alias=True, exclude_unset=True)


async def _store_secrets(
    tenant: Tenant, company_id: UUID, document_type: SettingsModule, module: dict[str, Any]
) -> None:
    for path in document_type.secret_settings:
        holder, name = _holder(module, path)
        secret_name = f"{document_type.name}.{path}"
        if holder is not None and name not in holder:
            continue
        secret = None if holder is None else holder.pop(name)
        if secret is None:
            await tenant.secrets.delete(company_id, secret_name)
        else:
            stored = await tenant.secrets.get(company_id, secret_name) if is_masked(secret) else None
            await tenant.secrets.put(company_id, secret_name, unmask_secret(secret, stored, secret_name))


def _number_series(
    company: CompanyRow, document_type: SettingsModule, values: Mapping[str, Any]
) -> NumberSeries:
    """Returns the series of a document type, in the environment of the module with its switch."""
    settings = document_type.settings.model_validate(values.get(document_type.name, {}))
    switch = module_named(document_type.switch_module).settings.model_validate(
        values.get(document_type.switch_module, {})
    )
    return NumberSeries(
        company.id,
        document_type.name,
        switch.effective_environment(Environment(company.environment)),
        settings.series,
        document_type.numbering.last_number,
    )


async def _store_number(
    tenant: Tenant, company: CompanyRow, document_type: SettingsModule, values: dict[str, Any]
) -> None:
    number = values.get(document_type.name, {}).pop("number", None)
    if number is None:
        return
    series = _number_series(company, document_type, values)
    # Written, and so locked, before the comparison: no document can take a number in between.
    await tenant.number_sequences.set_next_number(
        company.id, document_type.name, series.environment, series.series, number
    )
    used = max(
        await tenant.emissions.highest_number(series), await tenant.inutilizations.highest_number(series)
    )
    if number <= used:
        sentence = f"O número {used} da série já foi usado ou inutilizado: informe um maior do que ele."
        if used >= document_type.numbering.last_number:
            sentence = f"A série {series.series} chegou ao seu último número, {used}: escolha outra série."
        raise invalid_field(f"{document_type.name}.number", sentence)


async def _show_secret(
    tenant: Tenant, company_id: UUID, document_type: SettingsModule, module: dict[str, Any], path: str
) -> None:
    secret = await tenant.secrets.get(company_id, f"{document_type.name}.{path}")
    if secret is not None:
        _put_at(module, path, mask_secret(secret))


def _put_at(module: dict[str, Any], path: str, value: str) -> None:
    """Sets a value at a dotted path, unless the object that would contain it is missing."""
    holder, name = _holder(module, path)
    if holder is not None:
        holder[name] = value


def _holder(module: dict[str, Any], path: str) -> tuple[dict[str, Any] | None, str]:
    """Returns the object that contains the last name of a dotted path, and that name."""
    *outer, name = path.split(".")
    holder: Any = module
    for step in outer:
        holder = holder.get(step) if isinstance(holder, dict) else None
    return holder, name


def _merge(current: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """Merges objects into objects; any other value replaces the current one."""
    merged = dict(current)
    for name, value in changes.items():
        before = merged.get(name)
        merged[name] = (
            _merge(before if isinstance(before, dict) else {}, value) if isinstance(value, dict) else value
        )
    return merged
