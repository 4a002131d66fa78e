"""The authority of MDF-e (MOC MDF-e 3.00): the SVRS for every state, with a header in most requests."""

from carimbo.authorities import pacing
from carimbo.authorities.endpoints import Endpoints, authorizer_of
from carimbo.authorities.pacing import Pacing
from carimbo.authorities.sefaz import Distribution, Sefaz, SefazFamily, SefazRequest, SoapService
from carimbo.authorities.transport import SendSoap
from carimbo.fiscal.identity.certificate import AuthorityCredentials
from carimbo.fiscal.layouts.mdfe_v3.dialect import MDFE_DIALECT
from carimbo.fiscal.layouts.mdfe_v3.open_manifests import open_manifests_query, read_open_manifests
from carimbo.fiscal.open_documents import OpenDocument
from carimbo.fiscal.outcome import NotJudged, Throttled, Unavailable
from carimbo.fiscal.tables.geography import STATES

_THROTTLED = "678"
_VERSION, _DISTRIBUTION_VERSION = "3.00", "1.00"
_MODEL = "58"
_OPEN = SoapService(
    "MDFeConsNaoEnc",
    "mdfeConsNaoEnc",
    pacing.MAX_SAME_LIST,
    throttled_code=_THROTTLED,
    header_version=_VERSION,
)

MDFE_FAMILY = SefazFamily(
    dialect=MDFE_DIALECT,
    reception=SoapService(
        "MDFeRecepcaoSinc", "mdfeRecepcao", pacing.MAX_SAME_DOCUMENT, throttled_code=_THROTTLED
    ),
    consult=SoapService(
        "MDFeConsulta",
        "mdfeConsultaMDF",
        pacing.MAX_SAME_KEY,
        throttled_code=_THROTTLED,
        header_version=_VERSION,
    ),
    # A person waits for the status, and an authority that takes longer counts as unhealthy.
    status=SoapService(
        "MDFeStatusServico",
        "mdfeStatusServicoMDF",
        max_seconds=5,
        throttled_code=_THROTTLED,
        header_version=_VERSION,
    ),
    event=SoapService(
        "MDFeRecepcaoEvento",
        "mdfeRecepcaoEvento",
        pacing.MAX_SAME_EVENT,
        throttled_code=_THROTTLED,
        header_version=_VERSION,
    ),
    distribution=Distribution(
        model=_MODEL,
        pages=SoapService(
            "MDFeDistribuicaoDFe", "mdfeDistDFeInteresse", header_version=_DISTRIBUTION_VERSION
        ),
        single=SoapService(
            "MDFeDistribuicaoDFe",
            "mdfeDistDFeInteresse",
            pacing.MAX_SINGLE_DISTRIBUTION,
            header_version=_DISTRIBUTION_VERSION,
        ),
        authorizer="SVRS",
    ),
    document_missing_code="217",
)


class MdfeSefaz(Sefaz):
    """Asks the authority of MDF-e."""

    def __init__(self, send_soap: SendSoap, endpoints: Endpoints, pacing: Pacing) -> None:
        super().__init__(MDFE_FAMILY, send_soap, endpoints, pacing)

    async def open_documents(
        self, sender: AuthorityCredentials, state: str
    ) -> tuple[OpenDocument, ...] | Unavailable | Throttled | NotJudged:
        """Asks for the manifests of the sender that are open, whichever program issued them."""
        message = open_manifests_query(sender.environment.code, sender.tax_id)
        authorizer = authorizer_of(_MODEL, state)
        request = SefazRequest(_OPEN, _MODEL, authorizer, sender.tax_id, STATES[state].ibge, message)
        return await self._ask(sender, request, read_open_manifests)
