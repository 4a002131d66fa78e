"""The certificate of the connection (Anexo I, rules of the transmission)."""

from collections.abc import Mapping

from carimbo.simulator.family import World
from carimbo.simulator.nfse.call import Call
from carimbo.simulator.rule import Rule
from carimbo.simulator.trust import Credential, Flaw

_CODES: Mapping[Flaw, str] = {
    Flaw.INVALID: "E1200",
    Flaw.OUT_OF_DATE: "E1203",
    Flaw.BROKEN_CHAIN: "E1205",
    Flaw.NO_REVOCATION_LIST: "E1206",
    Flaw.REVOKED: "E1207",
    Flaw.NOT_ICP_BRASIL: "E1208",
    Flaw.WITHOUT_TAX_ID: "E1209",
}
_UNREADABLE = frozenset({Flaw.INVALID})


def flaws_of(shown: Credential | None, world: World) -> frozenset[Flaw]:
    """What is wrong with a certificate now; one that is not there, or can't be read, is invalid."""
    if shown is None:
        return _UNREADABLE
    return world.trust.flaws_of(shown, world.now, revocation_list=world.controls.revocation_list)


def _is_flawed(call: Call) -> bool:
    return bool(flaws_of(call.sender, call.world))


def _rule_about(flaw: Flaw) -> Rule[Call]:
    return Rule(_CODES[flaw], lambda call: flaw in flaws_of(call.sender, call.world), _is_flawed)


SENDER_RULES: tuple[Rule[Call], ...] = tuple(map(_rule_about, _CODES))
