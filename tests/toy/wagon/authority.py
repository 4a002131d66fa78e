"""The services of the authorities of wagon bills."""

from carimbo.authorities.endpoints import Endpoints
from carimbo.authorities.pacing import Pacing
from carimbo.authorities.sefaz import Distribution, Sefaz, SefazFamily, SoapService
from carimbo.authorities.transport import HttpsTransport
from toy.wagon.layout import DIALECT, MODEL

_PAGES = SoapService("MDFeDistribuicaoDFe", "toyDistribuicao", header_version="1.00")
FAMILY = SefazFamily(
    dialect=DIALECT,
    reception=SoapService("MDFeRecepcaoSinc", "toyRecepcao"),
    consult=SoapService("MDFeConsulta", "toyConsulta", header_version="1.00"),
    status=SoapService("MDFeStatusServico", "toyStatus", header_version="1.00"),
    event=SoapService("MDFeRecepcaoEvento", "toyEvento", header_version="1.00"),
    distribution=Distribution(model=MODEL, pages=_PAGES, single=_PAGES, authorizer="SVRS"),
    document_missing_code="217",
)


def wagon_authority(transport: HttpsTransport, endpoints: Endpoints, pacing: Pacing) -> Sefaz:
    """Returns the adapter for these authorities."""
    return Sefaz(FAMILY, transport.exchange, endpoints, pacing)
