"""The dialect of CT-e OS: that of CT-e, with other roots of the document and of its archive."""

from dataclasses import replace

from carimbo.fiscal.layouts.cte_v4.dialect import CTE_DIALECT

CTE_OS_DIALECT = replace(CTE_DIALECT, document_tag="CTeOS", archive_tag="cteOSProc")
