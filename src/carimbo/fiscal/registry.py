"""The only list of document types."""

from carimbo.fiscal.document_type import DocumentType, SettingsModule
from carimbo.fiscal.documents.cte.definition import CTE
from carimbo.fiscal.documents.cteos.definition import CTE_OS
from carimbo.fiscal.documents.mdfe import MDFE
from carimbo.fiscal.documents.nfce.definition import NFCE
from carimbo.fiscal.documents.nfe.definition import NFE
from carimbo.fiscal.documents.nfse.definition import NFSE

DOCUMENT_TYPES: tuple[DocumentType, ...] = (NFE, NFCE, NFSE, CTE, CTE_OS)

MODULES: tuple[SettingsModule, ...] = (*DOCUMENT_TYPES, MDFE)
"""All document types that companies have settings for, including those that can't be issued yet."""


def module_named(name: str) -> SettingsModule:
    """Returns a module by its name; raises `LookupError` if there is none."""
    for module in MODULES:
        if module.name == name:
            return module
    raise LookupError(f"no module {name}")


FEATURES: tuple[str, ...] = tuple(sorted({module.feature for module in MODULES if module.feature}))
