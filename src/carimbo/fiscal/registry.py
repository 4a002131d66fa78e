"""The only list of document types."""

from collections.abc import Mapping
from typing import Any

from carimbo.fiscal.document_type import DocumentType, SettingsModule
from carimbo.fiscal.documents.cte.definition import CTE
from carimbo.fiscal.documents.cteos.definition import CTE_OS
from carimbo.fiscal.documents.mdfe.definition import MDFE
from carimbo.fiscal.documents.nfce.definition import NFCE
from carimbo.fiscal.documents.nfe.definition import NFE
from carimbo.fiscal.documents.nfse.definition import NFSE
from carimbo.fiscal.module_settings import ModuleSettings

DOCUMENT_TYPES: tuple[DocumentType, ...] = (NFE, NFCE, NFSE, CTE, CTE_OS, MDFE)


def module_named(name: str) -> SettingsModule:
    """Returns a module by its name; raises `LookupError` if there is none."""
    for module in DOCUMENT_TYPES:
        if module.name == name:
            return module
    raise LookupError(f"no module {name}")


def settings_beside(document_type: SettingsModule, stored: Mapping[str, Any]) -> tuple[ModuleSettings, ...]:
    """Returns a company's settings of all other modules, from stored ones by the names of the modules."""
    others = (module for module in DOCUMENT_TYPES if module.name != document_type.name)
    return tuple(module.settings.model_validate(stored.get(module.name, {})) for module in others)


FEATURES: tuple[str, ...] = tuple(sorted({module.feature for module in DOCUMENT_TYPES if module.feature}))
