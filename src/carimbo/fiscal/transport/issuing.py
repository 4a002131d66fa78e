"""Facts about the authorization of documents that CT-e and CT-e OS share."""

from collections.abc import Mapping
from datetime import timedelta

from carimbo.fiscal.emission import EmissionType
from carimbo.fiscal.transport.request import ServicePurpose, TransportRequest

STALE_AFTER = timedelta(hours=167)
"""A document is refused if it arrives more than 168 hours after its issue (228); an hour is left for clocks
that differ and for the transmission."""
CONTINGENCIES: Mapping[str, EmissionType] = {"SVRS": EmissionType.SVC_RS, "SVSP": EmissionType.SVC_SP}


def fits_contingency(request: TransportRequest) -> bool:
    """Returns whether contingency authorities take a document: no complements and substitutions (517)."""
    return request.purpose is ServicePurpose.NORMAL


def replaced_key(request: TransportRequest) -> str | None:
    """Returns the key of the document that a request replaces."""
    return request.substitution.access_key if request.substitution else None
