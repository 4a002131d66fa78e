"""The program that issues, as documents name it."""

from dataclasses import dataclass

from carimbo.fiscal.layouts.nfe_v4.parties import TechnicalResponsible


@dataclass(frozen=True, slots=True)
class Software:
    """Name and version (`verProc`), and who answers for the program (`infRespTec`)."""

    name: str
    responsible: TechnicalResponsible | None = None
