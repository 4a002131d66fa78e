"""The dialect of NF-e and NFC-e: names, versions and codes of their messages (MOC 7.0, layout 4.00)."""

from carimbo.fiscal.layouts.nfe_v4.invoice import NAMESPACE
from carimbo.fiscal.layouts.sefaz.dialect import Dialect
from carimbo.fiscal.tables.statuses import NFE_STATUSES

CANCELLATION = "110111"
CANCELLATION_BY_SUBSTITUTION = "110112"

# The security code of the QR code is a setting of the company, not a part of the document.
_SECURITY_CODE_REJECTIONS = frozenset({"462", "463", "464"})
# A document that is built again has a new moment of emission.
_LATE_EMISSIONS = frozenset({"704"})

NFE_DIALECT = Dialect(
    namespace=NAMESPACE,
    stem="NFe",
    document_tag="NFe",
    archive_tag="nfeProc",
    status_tag="consStatServ",
    version="4.00",
    event_version="1.00",
    distribution_version="1.01",
    sequence_digits=2,
    statuses=NFE_STATUSES,
    in_lots=True,
    zips_documents=False,
    status_names_state=True,
    distribution_names_state=True,
    cancellations=frozenset({CANCELLATION, CANCELLATION_BY_SUBSTITUTION}),
    retryable_rejections=_SECURITY_CODE_REJECTIONS | _LATE_EMISSIONS,
    # Issuer and recipient in the federal registry (NT 2026.007).
    low_rejections=frozenset(str(code) for code in range(178, 187)),
)
