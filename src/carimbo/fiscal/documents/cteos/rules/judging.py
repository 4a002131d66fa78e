"""Checks a CT-e OS against all rules and reports every broken one."""

from typing import Any

from carimbo.fiscal.documents.cteos.request import CteOsRequest
from carimbo.fiscal.documents.cteos.rules import references, road, service
from carimbo.fiscal.documents.cteos.rules.rule import OsInput
from carimbo.fiscal.issuance import Issuance
from carimbo.fiscal.layouts.cteos_v4.waybill import OsWaybill
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
    road.RULES,
    places.RULES,
    taker.RULES,
    taker.READER_RULES,
    references.CORRECTED_RULES,
    references.RULES,
    references.GUIDE_RULES,
    corrected.RULES,
    price.RULES,
    icms.RULES,
    icms.SHARE_RULES,
    reform.GROUP_RULES,
    reform.RULES,
    reform_groups.RULES,
)


def judge_os_waybill(waybill: OsWaybill, request: CteOsRequest, issuance: Issuance) -> Judgement:
    """Checks a document against the rules."""
    return judge(BOOKS, OsInput(waybill, request, issuance.now), hint_of)
