"""Checks a CT-e against all rules and reports every broken one."""

from typing import Any

from carimbo.fiscal.documents.cte.request import CteRequest
from carimbo.fiscal.documents.cte.rules import (
    cfop,
    documents,
    globalized,
    modes,
    parties,
    references,
    service,
)
from carimbo.fiscal.documents.cte.rules.rule import WaybillInput
from carimbo.fiscal.issuance import Issuance
from carimbo.fiscal.layouts.cte_v4.waybill import Waybill
from carimbo.fiscal.rules import Judgement, RuleBook, judge
from carimbo.fiscal.transport.hints import hint_of
from carimbo.fiscal.transport.rules import (
    corrected,
    icms,
    identity,
    places,
    price,
    purpose,
    reform,
    reform_groups,
    taker,
)

# In the order in which their problems are reported.
BOOKS: tuple[RuleBook[Any], ...] = (
    identity.RULES,
    purpose.RULES,
    service.RULES,
    modes.RULES,
    places.RULES,
    cfop.RULES,
    parties.RULES,
    taker.RULES,
    taker.READER_RULES,
    documents.RULES,
    references.RULES,
    corrected.RULES,
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
