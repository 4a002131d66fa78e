"""Events that the issuer of a CT-e OS can register."""

from carimbo.fiscal.documents.cteos.gtv_event import CTE_OS_GTV
from carimbo.fiscal.layouts.cte_v4.taxes import FreightIbsCbs
from carimbo.fiscal.layouts.cteos_v4.waybill import OsWaybill
from carimbo.fiscal.transport.correction_rules import FORBIDDEN_FIELDS, TAX_IDS, CorrectableFields
from carimbo.fiscal.transport.events import cancellation_of, correction_of

_FEDERAL_TAXES = frozenset({"vPIS", "vCOFINS", "vIR", "vINSS", "vCSLL"})

CORRECTABLE_FIELDS = CorrectableFields(
    "CT-e OS",
    OsWaybill,
    FreightIbsCbs,
    {
        **FORBIDDEN_FIELDS,
        "toma": TAX_IDS,
        "infTribFed": _FEDERAL_TAXES,
        "infDocRef": frozenset({"chBPe"}),
        "infGTVe": frozenset({"chCTe"}),
        "infCTeNorm": frozenset({"refCTeCanc"}),
    },
)
CTE_OS_EVENTS = (
    cancellation_of("CT-e OS"),
    correction_of(
        CORRECTABLE_FIELDS,
        "Informe grupo, campo e novo valor, com os nomes do XML. Não se corrigem por carta: preço, tributos,"
        " CFOP, município de início, chaves e data de emissão, nem CNPJ, CPF, IE e UF de emitente e tomador."
        " Depois dela o CT-e OS não pode mais ser cancelado.",
    ),
    CTE_OS_GTV,
)
