"""The families of documents that the simulator serves."""

from carimbo.simulator.family import Family
from carimbo.simulator.nfe.family import NFCE, NFE
from carimbo.simulator.nfse.family import NFSE

FAMILIES: tuple[Family, ...] = (NFE, NFCE, NFSE)
