"""What an NFS-e would be, for whoever wants to see it before it is issued."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from carimbo.fiscal.documents.nfse.totals import NoteTotals
from carimbo.fiscal.issuance import Lines
from carimbo.fiscal.layouts.signed_part import without_signature


@dataclass(frozen=True, slots=True)
class NotePreview:
    """A declaration made for trial."""

    sums: NoteTotals
    total_due: Decimal | None
    """What the taker would pay, by the rates of the moment of the review; None if that is unknown."""
    document: bytes = field(repr=False)
    """Signed or not."""

    @property
    def amount(self) -> Decimal:
        """What is charged for the service."""
        return self.sums.charged

    @property
    def lines(self) -> Lines:
        """An NFS-e is of one service."""
        return ()

    @property
    def xml(self) -> bytes:
        """Its text, unsigned."""
        return without_signature(self.document)

    @property
    def totals(self) -> Mapping[str, Any]:
        """What the authority will compute, as far as the rate is the one that it applies."""
        sums = self.sums
        return {
            "amount": sums.charged,
            "discount": sums.discount,
            "issBase": sums.iss_base,
            "issRate": sums.iss_rate,
            "issAmount": sums.iss,
            "issWithheld": sums.iss_withheld,
            "pis": sums.pis,
            "cofins": sums.cofins,
            "ibsCbsBase": sums.ibs_cbs_base,
            "federalWithheld": sums.federal_withheld,
            "netAmount": sums.net_amount,
            "totalDue": self.total_due,
        }
