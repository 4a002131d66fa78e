"""The dialect of CT-e: names, versions and codes of its messages (MOC CT-e 4.00)."""

from carimbo.fiscal.layouts.cte_v4.root import NAMESPACE
from carimbo.fiscal.layouts.sefaz.dialect import Dialect
from carimbo.fiscal.tables.statuses import CTE_STATUSES

CANCELLATION = "110111"
CORRECTION = "110110"
GTV = "110170"
DELIVERY = "110180"
DELIVERY_CANCELLATION = "110181"
FAILED_DELIVERY = "110190"
FAILED_DELIVERY_CANCELLATION = "110191"
DISAGREEMENT = "610110"
DISAGREEMENT_CANCELLATION = "610111"

# A document that is built again has a new moment of emission.
_LATE_EMISSIONS = frozenset({"228"})

CTE_DIALECT = Dialect(
    namespace=NAMESPACE,
    stem="CTe",
    document_tag="CTe",
    archive_tag="cteProc",
    status_tag="consStatServCTe",
    version="4.00",
    event_version="4.00",
    distribution_version="1.00",
    sequence_digits=3,
    statuses=CTE_STATUSES,
    in_lots=False,
    zips_documents=True,
    status_names_state=True,
    distribution_names_state=True,
    cancellations=frozenset({CANCELLATION}),
    retryable_rejections=_LATE_EMISSIONS,
)
