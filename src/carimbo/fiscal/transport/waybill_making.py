"""What is the same in the XML of CT-e and CT-e OS: preview, QR code and identity."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial
from typing import Any

from carimbo.fiscal.issuance import Issuance, Lines, signed_identity
from carimbo.fiscal.layouts.cte_v4.waybill import Waybill
from carimbo.fiscal.layouts.cteos_v4.waybill import OsWaybill
from carimbo.fiscal.layouts.json_form import to_plain
from carimbo.fiscal.layouts.signed_part import without_signature
from carimbo.fiscal.tables.authorities import cte_qr_address


@dataclass(frozen=True, slots=True)
class WaybillPreview:
    """A CT-e or CT-e OS made as a preview."""

    waybill: Waybill | OsWaybill
    document: bytes = field(repr=False)
    """Signed or not."""

    @property
    def amount(self) -> Decimal:
        """The price of the service (vTPrest)."""
        return self.waybill.price.amount

    @property
    def totals(self) -> Mapping[str, Any]:
        """Price, components and taxes of the service."""
        return {"amount": self.amount, **to_plain(self.waybill.price), **to_plain(self.waybill.taxes)}

    @property
    def lines(self) -> Lines:
        """Empty: a CT-e has one service and no lines."""
        return ()

    @property
    def xml(self) -> bytes:
        """The XML without a signature."""
        return without_signature(self.document)


def waybill_supplement(access_key: str, issuance: Issuance) -> bytes:
    """Returns the QR code (`infCTeSupl`); its address is that of the issuer's state, also in contingency."""
    environment = issuance.emission.environment
    address = cte_qr_address(issuance.company.address.state, environment)
    code = f"{address}?chCTe={access_key}&amp;tpAmb={environment.code}"
    return f"<infCTeSupl><qrCodCTe>{code}</qrCodCTe></infCTeSupl>".encode()


identity_of_waybill = partial(signed_identity, re.compile(rb'<infCte [^>]*?Id="CTe([0-9A-Z]{44})"'))
"""Reads the access key and the time of issue of a document that we wrote."""
