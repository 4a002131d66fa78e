"""What the authorities hold already: the same document, its number, and how often it was refused."""

from zoneinfo import ZoneInfo

from carimbo.fiscal.tables.states import state_of_ibge
from carimbo.simulator.ledger import StoredDocument
from carimbo.simulator.nfe.case import Case
from carimbo.simulator.nfe.limits import is_spent, spend
from carimbo.simulator.rule import Finding, Rule

MOST_REJECTIONS = 30
"""Of one document within an hour."""
_REJECTED = "rejected document"
_VOIDED_NUMBERS_COUNT = frozenset("167")
_VOIDED_NUMBERS_COUNT_IN_SAO_PAULO = frozenset("245")
_SAO_PAULO = "35"


def rejected_too_often(case: Case) -> bool:
    """NT 2018.002: the same document, refused again and again, is not looked at any more."""
    return is_spent(case.world, case.author, _REJECTED, case.access_key, MOST_REJECTIONS)


def remember_rejection(case: Case) -> None:
    """Count that a document was refused."""
    spend(case.world, case.author, _REJECTED, case.access_key)


def number_of_another_document(case: Case) -> Finding:
    """MOC 7.0, 2B08-10."""
    holder = case.holder
    if holder is None or holder.access_key == case.access_key:
        return None
    return f"[chNFe:{holder.access_key}]{_protocol_of(holder)}"


def authorised_already(case: Case) -> Finding:
    """MOC 7.0, 2B08-20."""
    known = case.known
    return _protocol_of(known) if known and not known.is_canceled else None


def canceled_already(case: Case) -> Finding:
    """MOC 7.0, 2B08-30."""
    known = case.known
    return _protocol_of(known) if known and known.is_canceled else None


def voided_number(case: Case) -> bool:
    """NT 2020.005, 3B08-100: what was handed out in contingency stands, although its number was given up."""
    emission, in_sao_paulo = case.text("ide/tpEmis"), case.text("ide/cUF") == _SAO_PAULO
    if emission in _VOIDED_NUMBERS_COUNT or (in_sao_paulo and emission in _VOIDED_NUMBERS_COUNT_IN_SAO_PAULO):
        return case.ledger.voided_number(case.place.environment, case.access_key) is not None
    return False


def _protocol_of(document: StoredDocument) -> str:
    """Protocol and moment of the authorisation, by the clock of the document's state."""
    state = state_of_ibge(document.access_key[:2])
    moment = document.received_at.astimezone(ZoneInfo(state.zone) if state else None)
    return f"[nProt:{document.protocol}][dhAut:{moment.isoformat(timespec='seconds')}]"


LIMIT_RULES: tuple[Rule[Case], ...] = (Rule("656", rejected_too_often),)
REGISTER_RULES: tuple[Rule[Case], ...] = (
    Rule("539", number_of_another_document),
    Rule("204", authorised_already),
    Rule("218", canceled_already),
    Rule("206", voided_number),
)
