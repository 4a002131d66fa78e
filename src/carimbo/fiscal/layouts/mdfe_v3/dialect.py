"""The dialect of MDF-e: names, versions and codes of its messages (MOC MDF-e 3.00)."""

from carimbo.fiscal.layouts.sefaz.dialect import Dialect
from carimbo.fiscal.tables.statuses import MDFE_STATUSES

NAMESPACE = "http://www.portalfiscal.inf.br/mdfe"
"""Namespace of every message of MDF-e."""
CANCELLATION = "110111"
CLOSING = "110112"
DRIVER = "110114"
DOCUMENTS = "110115"
PAYMENT = "110116"
PAYMENT_CHANGE = "110118"
_CLOSING_BY_AUTHORITY = "310112"

# A document that is built again has a new moment of emission.
_LATE_EMISSIONS = frozenset({"228"})

MDFE_DIALECT = Dialect(
    namespace=NAMESPACE,
    stem="MDFe",
    document_tag="MDFe",
    archive_tag="mdfeProc",
    status_tag="consStatServMDFe",
    version="3.00",
    event_version="3.00",
    distribution_version="1.00",
    sequence_digits=3,
    statuses=MDFE_STATUSES,
    in_lots=False,
    zips_documents=True,
    status_names_state=False,
    distribution_names_state=False,
    cancellations=frozenset({CANCELLATION}),
    closings=frozenset({CLOSING, _CLOSING_BY_AUTHORITY}),
    retryable_rejections=_LATE_EMISSIONS,
)
