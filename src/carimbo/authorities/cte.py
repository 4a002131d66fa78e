"""The authorities of CT-e and CT-e OS (MOC CT-e 4.00): one document or event a call, and no lots."""

from dataclasses import replace

from carimbo.authorities import pacing
from carimbo.authorities.sefaz import Distribution, SefazFamily, SoapService
from carimbo.fiscal.layouts.cte_v4.dialect import CTE_DIALECT
from carimbo.fiscal.layouts.cteos_v4.dialect import CTE_OS_DIALECT

# Only the distribution blocks with the code that NF-e uses everywhere.
_THROTTLED = "678"

CTE_FAMILY = SefazFamily(
    dialect=CTE_DIALECT,
    reception=SoapService(
        "CTeRecepcaoSincV4", "cteRecepcao", pacing.MAX_SAME_DOCUMENT, throttled_code=_THROTTLED
    ),
    consult=SoapService("CTeConsultaV4", "cteConsultaCT", pacing.MAX_SAME_KEY, throttled_code=_THROTTLED),
    # A person waits for the status, and an authority that takes longer counts as unhealthy.
    status=SoapService("CTeStatusServicoV4", "cteStatusServicoCT", max_seconds=5, throttled_code=_THROTTLED),
    event=SoapService(
        "CTeRecepcaoEventoV4", "cteRecepcaoEvento", pacing.MAX_SAME_EVENT, throttled_code=_THROTTLED
    ),
    distribution=Distribution(
        model="57",
        pages=SoapService("CTeDistribuicaoDFe", "cteDistDFeInteresse", is_wrapped=True),
        single=SoapService(
            "CTeDistribuicaoDFe", "cteDistDFeInteresse", pacing.MAX_SINGLE_DISTRIBUTION, is_wrapped=True
        ),
    ),
    document_missing_code="217",
)
CTE_OS_FAMILY = replace(
    CTE_FAMILY,
    dialect=CTE_OS_DIALECT,
    reception=SoapService(
        "CTeRecepcaoOSV4", "cteRecepcaoOS", pacing.MAX_SAME_DOCUMENT, throttled_code=_THROTTLED
    ),
)
"""CT-e OS have their own reception; everything else, the distribution too, is that of CT-e."""
