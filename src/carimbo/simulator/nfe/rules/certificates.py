"""Rules about certificates: the same seven of whoever sends (280 to 286) and signs (290 to 296)."""

from collections.abc import Callable
from typing import TypeVar

from carimbo.simulator.family import World
from carimbo.simulator.rule import Rule
from carimbo.simulator.trust import Credential, Flaw

CaseT = TypeVar("CaseT")
_UNREADABLE = frozenset({Flaw.INVALID})


def certificate_rules(first_code: int, flaws: Callable[[CaseT], frozenset[Flaw]]) -> tuple[Rule[CaseT], ...]:
    """One rule for each flaw (MOC 7.0, A01 to A07 and E01 to E07)."""

    def is_flawed(case: CaseT) -> bool:
        return bool(flaws(case))

    def rule_about(flaw: Flaw) -> Rule[CaseT]:
        return Rule(str(first_code + flaw), lambda case: flaw in flaws(case), is_flawed)

    return tuple(map(rule_about, Flaw))


def flaws_of(shown: Credential | None, world: World) -> frozenset[Flaw]:
    """What is wrong with a certificate now; one that is not there, or cannot be read, is invalid."""
    if shown is None:
        return _UNREADABLE
    return world.trust.flaws_of(shown, world.now, revocation_list=world.controls.revocation_list)
