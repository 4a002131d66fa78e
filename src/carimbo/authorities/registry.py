"""Who is asked about each type of document; the only list of adapters."""

from collections.abc import Callable, Mapping

from carimbo.authorities.endpoints import Endpoints
from carimbo.authorities.pacing import Pacing
from carimbo.authorities.port import Authority
from carimbo.authorities.sefaz import Sefaz
from carimbo.authorities.transport import Exchange

AUTHORITIES: Mapping[str, Callable[[Exchange, Endpoints, Pacing], Authority]] = {"nfe": Sefaz, "nfce": Sefaz}
"""By type name, what makes the adapter."""
