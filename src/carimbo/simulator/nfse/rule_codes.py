"""The codes of every rule of NFS-e."""

from collections.abc import Iterable
from typing import Any

from carimbo.simulator.nfse.judge import NOTE_RULES
from carimbo.simulator.nfse.rules.events import EVENT_RULES
from carimbo.simulator.nfse.rules.message import MESSAGE_RULES
from carimbo.simulator.nfse.rules.sender import SENDER_RULES
from carimbo.simulator.nfse.rules.signature import EVENT_SIGNATURE_RULES, NOTE_SIGNATURE_RULES
from carimbo.simulator.rule import Rule


def _codes_of(*books: Iterable[Rule[Any]]) -> frozenset[str]:
    return frozenset(rule.code for book in books for rule in book)


RULE_CODES = _codes_of(
    SENDER_RULES, MESSAGE_RULES, NOTE_SIGNATURE_RULES, NOTE_RULES, EVENT_SIGNATURE_RULES, EVENT_RULES
)
