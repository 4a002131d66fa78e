"""Questions about a key (MOC 7.0, table 5-16)."""

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from carimbo.simulator.ledger import Ledger, StoredDocument
from carimbo.simulator.rule import Finding
from carimbo.simulator.sefaz.call import Question
from carimbo.simulator.sefaz.contingency import answers_for
from carimbo.simulator.sefaz.key_parts import MONTH, NUMERIC_CODE, YEAR
from carimbo.simulator.sefaz.limits import CONSULT, CONSULTS_OF_A_KEY, is_spent
from carimbo.simulator.tax_ids import base

_MONTHS_KEPT = 6


@dataclass(frozen=True)
class Consult(Question):
    """A question about a key."""

    access_key: str

    @cached_property
    def holder(self) -> StoredDocument | None:
        """The document of the number that the key has, if this authority answers for it."""
        number_id = self.dialect.number_id(self.access_key)
        stored = Ledger(self.world.store).holder_of_number(self.place.environment, number_id)
        return stored if stored and answers_for(self, stored) else None


def asked_too_often(consult: Consult) -> bool:
    """NT 2018.002: 10 consults of one key in an hour."""
    return is_spent(consult.world, consult.call.taxpayer, CONSULT, consult.access_key, CONSULTS_OF_A_KEY)


def issued_long_ago(consult: Consult) -> bool:
    """MOC 7.0, J02k: more than six months before this one."""
    return _months(consult.world.now) - _months_of_key(consult.access_key) > _MONTHS_KEPT


def other_numeric_code(consult: Consult) -> Finding:
    """MOC 7.0, J04: the answer has the right key for the issuer alone."""
    holder = consult.holder
    if holder is None or holder.access_key[NUMERIC_CODE] == consult.access_key[NUMERIC_CODE]:
        return None
    is_issuers = base(consult.call.taxpayer) == base(holder.issuer)
    return f"[{consult.dialect.key_tag}:{holder.access_key}]" if is_issuers else True


def other_month(consult: Consult) -> bool:
    """MOC 7.0, J05."""
    return consult.holder is not None and consult.holder.access_key[MONTH] != consult.access_key[MONTH]


def other_key(consult: Consult) -> bool:
    """MOC 7.0, J06: year, emission or check digit."""
    return consult.holder is not None and consult.holder.access_key != consult.access_key


def _months(moment: datetime) -> int:
    return moment.year % 100 * 12 + moment.month


def _months_of_key(access_key: str) -> int:
    return int(access_key[YEAR]) * 12 + int(access_key[MONTH])
