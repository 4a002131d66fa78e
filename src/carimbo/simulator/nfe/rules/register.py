"""The rules about what the authorities hold already: the same document, its number, and a voided number."""

from carimbo.simulator.ledger import DocumentStatus
from carimbo.simulator.nfe.case import Case
from carimbo.simulator.rule import Rule
from carimbo.simulator.sefaz.rules.register import held_as, number_of_another_document, rejected_too_often

_VOIDED_NUMBERS_COUNT = frozenset("167")
_VOIDED_NUMBERS_COUNT_IN_SAO_PAULO = frozenset("245")
_SAO_PAULO = "35"


def voided_number(case: Case) -> bool:
    """NT 2020.005, 3B08-100: handed out in contingency, a document with a voided number is valid."""
    emission, in_sao_paulo = case.emission, case.text("ide/cUF") == _SAO_PAULO
    if emission in _VOIDED_NUMBERS_COUNT or (in_sao_paulo and emission in _VOIDED_NUMBERS_COUNT_IN_SAO_PAULO):
        return case.ledger.voided_number(case.place.environment, case.access_key) is not None
    return False


LIMIT_RULES: tuple[Rule[Case], ...] = (Rule("656", rejected_too_often),)
REGISTER_RULES: tuple[Rule[Case], ...] = (
    Rule("539", number_of_another_document),
    Rule("204", held_as(DocumentStatus.AUTHORIZED)),
    Rule("218", held_as(DocumentStatus.CANCELED)),
    Rule("206", voided_number),
)
