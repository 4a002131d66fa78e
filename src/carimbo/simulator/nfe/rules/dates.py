"""When: the moments that a document tells, against each other and against the authority's clock."""

from datetime import datetime, timedelta

from carimbo.simulator.nfe.case import Case
from carimbo.simulator.nfe.rules.scope import document_rule, in_nfe, in_receipts
from carimbo.simulator.rule import Rule
from carimbo.simulator.sefaz.rules.dates import TOLERANCE, issued_before, issued_in_the_future

_LIMIT = timedelta(days=30)
_ONLINE = frozenset("167")
"""`tpEmis` of what is authorised before it is handed out."""
_JUSTIFIED = frozenset("2459")
_NORMAL = "1"
_OUTBOUND = "1"


def leaves_too_late(case: Case) -> bool:
    """MOC 7.0, B10-20."""
    moment = _moment(case, "dhSaiEnt")
    return moment is not None and moment > case.world.now + _LIMIT


def leaves_before_it_is_issued(case: Case) -> bool:
    """MOC 7.0, B10-40."""
    moment = _moment(case, "dhSaiEnt")
    return moment is not None and case.text("ide/tpNF") == _OUTBOUND and moment < case.issued_at


def normal_with_contingency(case: Case) -> bool:
    """MOC 7.0, B28-10."""
    return case.emission == _NORMAL and _moment(case, "dhCont") is not None


def contingency_without_reason(case: Case) -> bool:
    """MOC 7.0, B28-20."""
    return case.emission in _JUSTIFIED and _moment(case, "dhCont") is None


def contingency_in_the_future(case: Case) -> bool:
    """MOC 7.0, B28-30."""
    moment = _moment(case, "dhCont")
    return moment is not None and moment > case.world.now + TOLERANCE


def contingency_long_before(case: Case) -> bool:
    """MOC 7.0, B28-40."""
    moment = _moment(case, "dhCont")
    return moment is not None and moment < case.issued_at - _LIMIT


def _moment(case: Case, tag: str) -> datetime | None:
    text = case.text(f"ide/{tag}")
    return datetime.fromisoformat(text) if text else None


DATE_RULES: tuple[Rule[Case], ...] = (
    Rule("703", issued_in_the_future),
    # MOC 7.0, B09-20: a document that was issued in contingency is taken later, with 150.
    document_rule("228", issued_before(_LIMIT, _ONLINE), in_nfe),
    # MOC 7.0, B09-40. States may say the same of receipts issued offline; here they are taken however late,
    # with 150 (exception 2 of the rule), as most states do.
    document_rule("704", issued_before(TOLERANCE, _ONLINE), in_receipts),
    document_rule("504", leaves_too_late, in_nfe),
    document_rule("506", leaves_before_it_is_issued, in_nfe),
    Rule("556", normal_with_contingency),
    Rule("557", contingency_without_reason),
    Rule("558", contingency_in_the_future),
    Rule("569", contingency_long_before),
)
