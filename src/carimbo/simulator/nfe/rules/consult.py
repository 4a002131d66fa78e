"""Questions about a key (MOC 7.0, table 5-16)."""

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from carimbo.simulator.ledger import Ledger, StoredDocument
from carimbo.simulator.nfe.call import Question
from carimbo.simulator.nfe.custody import answers_for
from carimbo.simulator.nfe.key_parts import MONTH, NUMERIC_CODE, YEAR, number_id
from carimbo.simulator.nfe.limits import CONSULTS_OF_A_KEY, is_spent, sender_of
from carimbo.simulator.nfe.rules.asked_key import (
    ASKED_KEY_RULES,
    state_of_another_authorizer,
    unknown_state,
)
from carimbo.simulator.rule import Finding, Rule
from carimbo.simulator.tax_ids import base

SERVICE = "NFeConsultaProtocolo4"
_MONTHS_KEPT = 6


@dataclass(frozen=True)
class Consult(Question):
    """A key that somebody asks about."""

    access_key: str

    @cached_property
    def holder(self) -> StoredDocument | None:
        """The document of the number that the key has, if this authority answers for it."""
        found = Ledger(self.world.store).holder_of_number(self.place.environment, number_id(self.access_key))
        return found if found and answers_for(self.place, found, self.world) else None


def asked_too_often(case: Consult) -> bool:
    """NT 2018.002: 10 consults of one key in an hour."""
    return is_spent(case.world, sender_of(case.call), SERVICE, case.access_key, CONSULTS_OF_A_KEY)


def issued_long_ago(case: Consult) -> bool:
    """MOC 7.0, J02k: more than six months before this one."""
    return _months(case.world.now) - _months_of_key(case.access_key) > _MONTHS_KEPT


def other_numeric_code(case: Consult) -> Finding:
    """MOC 7.0, J04: the right key is told to the issuer alone."""
    holder = case.holder
    if holder is None or holder.access_key[NUMERIC_CODE] == case.access_key[NUMERIC_CODE]:
        return None
    is_issuers = base(sender_of(case.call)) == base(holder.issuer)
    return f"[chNFe:{holder.access_key}]" if is_issuers else True


def other_month(case: Consult) -> bool:
    """MOC 7.0, J05."""
    return case.holder is not None and case.holder.access_key[MONTH] != case.access_key[MONTH]


def other_key(case: Consult) -> bool:
    """MOC 7.0, J06: year, emission or check digit."""
    return case.holder is not None and case.holder.access_key != case.access_key


def _months(moment: datetime) -> int:
    return moment.year % 100 * 12 + moment.month


def _months_of_key(access_key: str) -> int:
    return int(access_key[YEAR]) * 12 + int(access_key[MONTH])


CONSULT_RULES: tuple[Rule[Consult], ...] = (
    Rule("656", asked_too_often),
    Rule("226", state_of_another_authorizer),
    # 226 comes first (MOC 7.0, J02), and a state that does not exist is never the authority's own.
    *(rule for rule in ASKED_KEY_RULES if rule.broken is not unknown_state),
    Rule("526", issued_long_ago),
    Rule("562", other_numeric_code),
    Rule("561", other_month),
    Rule("613", other_key),
)
