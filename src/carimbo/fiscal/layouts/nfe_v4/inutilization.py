"""Inutilization of NF-e and NFC-e numbers: a range that was skipped and is given up for good."""

from carimbo.fiscal.ids import inutilization_id
from carimbo.fiscal.layouts.group import content, group, integer, text
from carimbo.fiscal.layouts.nfe_v4.messages import signed_message
from carimbo.fiscal.signature import Signer


@group("infInut")
class Inutilization:
    """`infInut`: the range, and why its numbers never became documents."""

    environment: str = text("tpAmb", 1)
    service: str = text("xServ", 10, default="INUTILIZAR")
    state_code: str = text("cUF", 2)
    year: str = text("ano", 2)
    cnpj: str = text("CNPJ", 14, path="taxId")
    model: str = text("mod", 2)
    series: int = integer("serie")
    first_number: int = integer("nNFIni", path="numberStart")
    last_number: int = integer("nNFFin", path="numberEnd")
    reason: str = text("xJust", 255, path="justification")

    @property
    def id(self) -> str:
        """The identifier, which repeats the range."""
        return inutilization_id(
            self.state_code,
            self.year,
            self.cnpj,
            self.model,
            self.series,
            self.first_number,
            self.last_number,
        )


def signed_inutilization(inutilization: Inutilization, signer: Signer) -> bytes:
    """The whole request (inutNFe), signed."""
    inside = content(inutilization)
    return signed_message("inutNFe", "4.00", "infInut", inutilization.id, inside, signer)
