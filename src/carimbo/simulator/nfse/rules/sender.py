"""The certificate of the connection (Anexo I, rules of the transmission)."""

from carimbo.simulator.certificate_rules import certificate_rules, flaws_of
from carimbo.simulator.nfse.call import Call
from carimbo.simulator.rule import Rule
from carimbo.simulator.trust import Flaw

_CODES = {
    Flaw.INVALID: "E1200",
    Flaw.OUT_OF_DATE: "E1203",
    Flaw.BROKEN_CHAIN: "E1205",
    Flaw.NO_REVOCATION_LIST: "E1206",
    Flaw.REVOKED: "E1207",
    Flaw.NOT_ICP_BRASIL: "E1208",
    Flaw.WITHOUT_TAX_ID: "E1209",
}


SENDER_RULES: tuple[Rule[Call], ...] = certificate_rules(
    _CODES, lambda call: flaws_of(call.sender, call.world)
)
