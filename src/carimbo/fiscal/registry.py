"""The only list of document types."""

from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.documents.cte.definition import CTE
from carimbo.fiscal.documents.cteos.definition import CTE_OS
from carimbo.fiscal.documents.mdfe.definition import MDFE
from carimbo.fiscal.documents.nfce.definition import NFCE
from carimbo.fiscal.documents.nfe.definition import NFE
from carimbo.fiscal.documents.nfse.definition import NFSE

DOCUMENT_TYPES: tuple[DocumentType, ...] = (NFE, NFCE, NFSE, CTE, CTE_OS, MDFE)

FEATURES: tuple[str, ...] = tuple(
    sorted({document_type.feature for document_type in DOCUMENT_TYPES if document_type.feature})
)
