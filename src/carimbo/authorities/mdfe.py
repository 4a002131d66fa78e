"""The authority of MDF-e (MOC MDF-e 3.00): the SVRS for every state, with a header in most requests."""

from carimbo.authorities import pacing
from carimbo.authorities.sefaz import Distribution, SefazFamily, SoapService
from carimbo.fiscal.layouts.mdfe_v3.dialect import MDFE_DIALECT

_THROTTLED = "678"
_VERSION, _DISTRIBUTION_VERSION = "3.00", "1.00"

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
        model="58",
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
