"""Events that the issuer of a CT-e can register."""

from carimbo.fiscal.documents.cte.delivery_events import (
    CTE_DELIVERY,
    CTE_DELIVERY_CANCELLATION,
    CTE_FAILED_DELIVERY,
    CTE_FAILED_DELIVERY_CANCELLATION,
    DELIVERED_AT,
)
from carimbo.fiscal.layouts.cte_v4.taxes import FreightIbsCbs
from carimbo.fiscal.layouts.cte_v4.waybill import Waybill
from carimbo.fiscal.transport.correction_rules import FORBIDDEN_FIELDS, TAX_IDS, CorrectableFields
from carimbo.fiscal.transport.events import cancellation_of, correction_of

CORRECTABLE_FIELDS = CorrectableFields(
    "CT-e",
    Waybill,
    FreightIbsCbs,
    {
        **FORBIDDEN_FIELDS,
        "toma3": frozenset({"toma"}),
        "toma4": TAX_IDS | {"toma"},
        "rem": TAX_IDS,
        "dest": TAX_IDS,
        "enderReme": frozenset({"UF"}),
        "enderDest": frozenset({"UF"}),
        "infNFe": frozenset({"chave"}),
    },
)
CTE_CANCELLATION = cancellation_of(
    "CT-e",
    {
        DELIVERED_AT: "O CT-e tem comprovante de entrega: cancele antes o comprovante (862).",
    },
)
CTE_CORRECTION = correction_of(
    CORRECTABLE_FIELDS,
    "Informe grupo, campo e novo valor, com os nomes do XML. Não se corrigem por carta: preço,"
    " tributos, CFOP, município de início, chaves das NF-e e data de emissão, nem CNPJ, CPF, IE e UF"
    " de emitente, tomador, remetente e destinatário. Depois dela o CT-e não pode mais ser cancelado.",
)
CTE_EVENTS = (
    CTE_CANCELLATION,
    CTE_CORRECTION,
    CTE_DELIVERY,
    CTE_DELIVERY_CANCELLATION,
    CTE_FAILED_DELIVERY,
    CTE_FAILED_DELIVERY_CANCELLATION,
)
