"""Checks a CT-e against all rules and reports every broken one."""

from carimbo.fiscal.documents.cte.request import CteRequest
from carimbo.fiscal.documents.cte.rules import service
from carimbo.fiscal.documents.cte.rules.rule import WaybillCheck, WaybillInput
from carimbo.fiscal.issuance import Issuance
from carimbo.fiscal.layouts.cte_v4.waybill import Waybill
from carimbo.fiscal.rules import Judgement, RuleBook, judge
from carimbo.fiscal.transport.hints import hint_of

# In the order in which their problems are reported.
BOOKS: tuple[RuleBook[WaybillCheck], ...] = (service.RULES,)


def judge_waybill(waybill: Waybill, request: CteRequest, issuance: Issuance) -> Judgement:
    """Checks a document against the rules."""
    return judge(BOOKS, WaybillInput(waybill, request, issuance.company, issuance.now), hint_of)
