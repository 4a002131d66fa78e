"""The services of the authorities of wagon bills."""

from carimbo.authorities.endpoints import Endpoints
from carimbo.authorities.pacing import Pacing
from carimbo.authorities.sefaz import Sefaz
from carimbo.authorities.services import Distribution, Family, Service
from carimbo.authorities.transport import Transport
from toy.wagon.layout import DIALECT, MODEL

_PAGES = Service("MDFeDistribuicaoDFe", "toyDistribuicao", header_version="1.00")
FAMILY = Family(
    dialect=DIALECT,
    reception=Service("MDFeRecepcaoSinc", "toyRecepcao"),
    consult=Service("MDFeConsulta", "toyConsulta", header_version="1.00"),
    status=Service("MDFeStatusServico", "toyStatus", header_version="1.00"),
    event=Service("MDFeRecepcaoEvento", "toyEvento", header_version="1.00"),
    distribution=Distribution(model=MODEL, pages=_PAGES, single=_PAGES, authorizer="SVRS"),
    document_missing_code="217",
)


def wagon_authority(transport: Transport, endpoints: Endpoints, pacing: Pacing) -> Sefaz:
    """Returns the adapter that asks these authorities."""
    return Sefaz(FAMILY, transport.exchange, endpoints, pacing)
