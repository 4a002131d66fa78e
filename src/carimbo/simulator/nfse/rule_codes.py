"""The codes of every rule of NFS-e."""

from carimbo.simulator.nfse.judge import NOTE_RULES
from carimbo.simulator.nfse.rules.events import EVENT_RULES
from carimbo.simulator.nfse.rules.message import MESSAGE_RULES
from carimbo.simulator.nfse.rules.sender import SENDER_RULES
from carimbo.simulator.nfse.rules.signature import EVENT_SIGNATURE_RULES, NOTE_SIGNATURE_RULES
from carimbo.simulator.rule import codes_of

RULE_CODES = codes_of(
    SENDER_RULES, MESSAGE_RULES, NOTE_SIGNATURE_RULES, NOTE_RULES, EVENT_SIGNATURE_RULES, EVENT_RULES
)
