"""The adapter of each document type; the only list of adapters."""

from collections.abc import Callable, Mapping

from carimbo.authorities.cte import CTE_FAMILY, CTE_OS_FAMILY
from carimbo.authorities.endpoints import Endpoints
from carimbo.authorities.mdfe import MdfeSefaz
from carimbo.authorities.national_nfse import NationalNfse
from carimbo.authorities.nfe import NfeSefaz
from carimbo.authorities.pacing import Pacing
from carimbo.authorities.sefaz import Sefaz
from carimbo.authorities.transport import HttpsTransport
from carimbo.fiscal.authority import Authority


def _nfe(transport: HttpsTransport, endpoints: Endpoints, pacing: Pacing) -> NfeSefaz:
    return NfeSefaz(transport.exchange, endpoints, pacing)


def _cte(transport: HttpsTransport, endpoints: Endpoints, pacing: Pacing) -> Sefaz:
    return Sefaz(CTE_FAMILY, transport.exchange, endpoints, pacing)


def _cte_os(transport: HttpsTransport, endpoints: Endpoints, pacing: Pacing) -> Sefaz:
    return Sefaz(CTE_OS_FAMILY, transport.exchange, endpoints, pacing)


def _mdfe(transport: HttpsTransport, endpoints: Endpoints, pacing: Pacing) -> MdfeSefaz:
    return MdfeSefaz(transport.exchange, endpoints, pacing)


def _national_nfse(transport: HttpsTransport, endpoints: Endpoints, pacing: Pacing) -> NationalNfse:
    return NationalNfse(transport.fetch, endpoints, pacing)


AUTHORITIES: Mapping[str, Callable[[HttpsTransport, Endpoints, Pacing], Authority]] = {
    "nfe": _nfe,
    "nfce": _nfe,
    "nfse": _national_nfse,
    "cte": _cte,
    "cteOs": _cte_os,
    "mdfe": _mdfe,
}
"""Factories of the adapters, by type name."""
