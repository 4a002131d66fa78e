"""The families of documents that the simulator serves."""

from carimbo.simulator.cte.family import CTE_FAMILY, CTE_OS_FAMILY
from carimbo.simulator.family import DocumentFamily
from carimbo.simulator.mdfe.family import MDFE_FAMILY
from carimbo.simulator.nfe.family import NFCE_FAMILY, NFE_FAMILY
from carimbo.simulator.nfse.family import NFSE

FAMILIES: tuple[DocumentFamily, ...] = (
    NFE_FAMILY,
    NFCE_FAMILY,
    NFSE,
    CTE_FAMILY,
    CTE_OS_FAMILY,
    MDFE_FAMILY,
)
