"""Tax situations (CST and CSOSN) of ICMS, IPI, PIS and COFINS."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

from carimbo.fiscal.tables.table import Table


class Tax(StrEnum):
    """A tax with codes of its own; companies of the Simples Nacional have others for ICMS (CSOSN)."""

    ICMS = "icms"
    ICMS_SIMPLES = "icmssn"
    IPI = "ipi"
    PIS_COFINS = "pis_cofins"


@dataclass(frozen=True, slots=True)
class TaxSituation:
    """A tax situation."""

    tax: Tax
    code: Annotated[str, "[0-9]{2,3}"]
    name: str


TAX_SITUATIONS: Table[tuple[str, str], TaxSituation] = Table(
    "tax_situations", TaxSituation, lambda situation: (situation.tax, situation.code)
)
