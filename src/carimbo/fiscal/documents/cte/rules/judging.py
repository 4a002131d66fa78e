"""Checks a CT-e against all rules and reports every broken one."""

from carimbo.fiscal.documents.cte.request import CteRequest
from carimbo.fiscal.documents.cte.rules import (
    documents,
    globalized,
    icms,
    identity,
    parties,
    places,
    price,
    references,
    reform,
    reform_groups,
    service,
)
from carimbo.fiscal.documents.cte.rules.rule import WaybillCheck, WaybillInput
from carimbo.fiscal.issuance import Issuance
from carimbo.fiscal.layouts.cte_v4.waybill import Waybill
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.rules import NOTHING_BROKEN, Judgement, RuleBook, judge
from carimbo.fiscal.transport.hints import hint_of

# In the order in which their problems are reported.
BOOKS: tuple[RuleBook[WaybillCheck], ...] = (
    identity.RULES,
    service.RULES,
    places.RULES,
    parties.RULES,
    parties.READER_RULES,
    documents.RULES,
    references.RULES,
    globalized.RULES,
    globalized.OTHER_RULES,
    price.RULES,
    icms.RULES,
    icms.SHARE_RULES,
    reform.GROUP_RULES,
    reform.RULES,
    reform_groups.RULES,
)


def judge_waybill(waybill: Waybill, request: CteRequest, issuance: Issuance) -> Judgement:
    """Checks a document against the rules."""
    return judge(BOOKS, WaybillInput(waybill, request, issuance.now), hint_of)


TOO_LONG = "214"
_MAX_BYTES = 512 * 1024
_SOURCE = "MOC CT-e 4.00, tamanho da mensagem"


def judge_size(document: bytes) -> Judgement:
    """Refuses XML that is too long for the authorities, which measure it uncompressed."""
    if len(document) <= _MAX_BYTES:
        return NOTHING_BROKEN
    message = f"O CT-e tem {len(document) // 1024} KB em XML, e a SEFAZ recebe até 512 KB."
    return Judgement((Problem(TOO_LONG, "documents", message, hint_of(TOO_LONG), _SOURCE),))
