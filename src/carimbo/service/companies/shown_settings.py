"""The settings of a company in words."""

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from decimal import Decimal
from typing import Any

from carimbo.fiscal.setting_label import SettingLabel
from carimbo.service.companies.company_settings import CompanySettings
from carimbo.service.document_types import find_document_type


def shown_settings(settings: CompanySettings, used: AbstractSet[str]) -> Iterator[tuple[str, str]]:
    """Yields labels and values of the settings that have a value; of document types, only those in use."""
    for name, module in settings:
        if name not in used and find_document_type(name) is not None:
            continue
        values = module.model_dump(mode="json")
        for field, about in type(module).model_fields.items():
            for label in about.metadata:
                if not isinstance(label, SettingLabel) or not label.is_listed:
                    continue
                if label.is_secret or values[field] is not None:
                    yield label.text, _words(label, values[field])


def _words(label: SettingLabel, value: Any) -> str:
    if label.is_secret:
        return "Informado" if value else "Não informado"
    if isinstance(value, bool):
        return "Sim" if value else "Não"
    if label.is_rate:
        return f"{Decimal(str(value)).normalize():f}%".replace(".", ",")
    return label.words.get(str(value), str(value))
