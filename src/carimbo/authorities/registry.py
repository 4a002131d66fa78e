"""Who is asked about each type of document; the only list of adapters."""

from collections.abc import Callable, Mapping

from carimbo.authorities.endpoints import Endpoints
from carimbo.authorities.national_nfse import NationalNfse
from carimbo.authorities.nfe import NfeSefaz
from carimbo.authorities.pacing import Pacing
from carimbo.authorities.port import Authority
from carimbo.authorities.transport import Transport


def _nfe(transport: Transport, endpoints: Endpoints, pacing: Pacing) -> NfeSefaz:
    return NfeSefaz(transport.exchange, endpoints, pacing)


def _national_nfse(transport: Transport, endpoints: Endpoints, pacing: Pacing) -> NationalNfse:
    return NationalNfse(transport.fetch, endpoints, pacing)


AUTHORITIES: Mapping[str, Callable[[Transport, Endpoints, Pacing], Authority]] = {
    "nfe": _nfe,
    "nfce": _nfe,
    "nfse": _national_nfse,
}
"""By type name, what makes the adapter."""
