"""Questions about documents of interest (MOC 7.0, table 5-29)."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property

from carimbo.simulator.group import Group, group_of
from carimbo.simulator.ledger import Ledger, StoredDocument
from carimbo.simulator.nfe.interests import Interests, Parties, parties_of
from carimbo.simulator.nfe.rules.asked_key import ASKED_KEY_RULES, invoice_among_receipts
from carimbo.simulator.rule import Finding, Rule
from carimbo.simulator.sefaz.call import Question
from carimbo.simulator.sefaz.limits import is_spent
from carimbo.simulator.tax_ids import base, is_cnpj, is_cpf

SERVICE = "NFeDistribuicaoDFe"
DISTRIBUTIONS_OF_KEYS = 20
"""Within an hour."""
AFTER, AT, OF_KEY = "distNSU", "consNSU", "consChNFe"
"""The three questions."""
_KEPT = timedelta(days=90)
_NSU = re.compile(r"[0-9]{1,15}")


@dataclass(frozen=True)
class DistributionQuestion(Question):
    """One `distDFeInt`, which has passed its XSD."""

    @cached_property
    def asked(self) -> Group:
        """The question."""
        return group_of(self.call.root)

    @cached_property
    def interests(self) -> Interests:
        """The sequences of this environment."""
        return Interests(self.world.store, self.place.environment)

    @property
    def taxpayer(self) -> str:
        """Whose sequence it is about."""
        return self.asked.text("CNPJ") or self.asked.text("CPF")

    @property
    def kind(self) -> str:
        """Which of the three questions."""
        return next(iter(self.asked.groups), "")

    @property
    def nsu(self) -> int:
        """The last one that the taxpayer has, or the one that it lacks; zero if it is none."""
        told = self.asked.text(f"{AFTER}/ultNSU") or self.asked.text(f"{AT}/NSU")
        return int(told) if _NSU.fullmatch(told) else 0

    @property
    def access_key(self) -> str:
        """The document that is asked for."""
        return self.asked.text(f"{OF_KEY}/chNFe")

    @property
    def since(self) -> datetime:
        """What is older is not kept."""
        return self.world.now - _KEPT

    @cached_property
    def document(self) -> StoredDocument | None:
        """The document that is asked for."""
        return Ledger(self.world.store).document(self.place.environment, self.access_key)

    @cached_property
    def parties(self) -> Parties | None:
        """Who has to do with it."""
        return parties_of(self.document) if self.document else None


def wrong_company(case: DistributionQuestion) -> bool:
    """MOC 7.0, H02."""
    return not case.asked.text("CPF") and not is_cnpj(case.taxpayer)


def wrong_person(case: DistributionQuestion) -> bool:
    """MOC 7.0, H03."""
    return bool(case.asked.text("CPF")) and not is_cpf(case.taxpayer)


def certificate_of_another_company(case: DistributionQuestion) -> bool:
    """MOC 7.0, H04."""
    return not case.asked.text("CPF") and base(case.call.taxpayer) != base(case.taxpayer)


def certificate_of_another_person(case: DistributionQuestion) -> bool:
    """MOC 7.0, H05."""
    return bool(case.asked.text("CPF")) and case.call.taxpayer != case.taxpayer


def asked_too_soon(case: DistributionQuestion) -> bool:
    """MOC 7.0, 5.7.4.4: who was told that there is nothing new asks the same again within an hour."""
    return case.kind == AFTER and is_spent(case.world, case.taxpayer, SERVICE, nothing_after(case.nsu), 1)


def nothing_after(nsu: int) -> str:
    """What is remembered of an answer without documents."""
    return f"nada após {nsu}"


def too_many_keys(case: DistributionQuestion) -> bool:
    """NT 2014.002: 20 questions by key in an hour."""
    return case.kind == OF_KEY and is_spent(case.world, case.taxpayer, SERVICE, OF_KEY, DISTRIBUTIONS_OF_KEYS)


def beyond_the_last(case: DistributionQuestion) -> bool:
    """MOC 7.0, H06."""
    return case.kind != OF_KEY and case.nsu > case.interests.highest(case.taxpayer)


def unknown(case: DistributionQuestion) -> bool:
    """MOC 7.0, H14."""
    return case.document is None


def too_old(case: DistributionQuestion) -> bool:
    """MOC 7.0, H15."""
    return case.document is not None and case.document.received_at < case.since


def asked_by_the_issuer(case: DistributionQuestion) -> bool:
    """MOC 7.0, H17."""
    return case.parties is not None and _is_same(case.parties.issuer, case.taxpayer)


def asked_by_a_stranger(case: DistributionQuestion) -> bool:
    """MOC 7.0, H16; the issuer is told otherwise."""
    if case.parties is None:
        return False
    known = (case.parties.issuer, case.parties.recipient, *case.parties.others)
    return not any(_is_same(party, case.taxpayer) for party in known)


def canceled(case: DistributionQuestion) -> bool:
    """MOC 7.0, H18."""
    return case.document is not None and case.document.is_canceled


def _is_same(party: str, taxpayer: str) -> bool:
    """Tell whether two are the same person, or of the same company."""
    return base(party) == base(taxpayer)


def _by_key(code: str, broken: Callable[[DistributionQuestion], Finding]) -> Rule[DistributionQuestion]:
    """A rule about questions by key."""
    return Rule(code, lambda case: case.kind == OF_KEY and broken(case))


DISTRIBUTION_RULES: tuple[Rule[DistributionQuestion], ...] = (
    Rule("489", wrong_company),
    Rule("490", wrong_person),
    Rule("593", certificate_of_another_company),
    Rule("472", certificate_of_another_person),
    Rule("656", asked_too_soon),
    Rule("656", too_many_keys),
    Rule("589", beyond_the_last),
    # The national environment has no services of NFC-e, among which an NF-e could be asked for.
    *(_by_key(one.code, one.broken) for one in ASKED_KEY_RULES if one.broken is not invoice_among_receipts),
    _by_key("217", unknown),
    _by_key("632", too_old),
    _by_key("641", asked_by_the_issuer),
    _by_key("640", asked_by_a_stranger),
    _by_key("653", canceled),
)
