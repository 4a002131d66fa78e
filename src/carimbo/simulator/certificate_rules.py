"""Rules about certificates: one for each flaw, of whoever sends and of whoever signs."""

from collections.abc import Callable, Mapping
from typing import TypeVar

from carimbo.simulator.family import World
from carimbo.simulator.rule import Rule
from carimbo.simulator.signed import Signed
from carimbo.simulator.trust import Credential, Flaw

CaseT = TypeVar("CaseT")
_UNREADABLE = frozenset({Flaw.INVALID})


def certificate_rules(
    codes: Mapping[Flaw, str], flaws: Callable[[CaseT], frozenset[Flaw]]
) -> tuple[Rule[CaseT], ...]:
    """One rule for each flaw that has a code, in their order."""

    def is_flawed(case: CaseT) -> bool:
        return bool(flaws(case))

    def rule_about(flaw: Flaw) -> Rule[CaseT]:
        return Rule(codes[flaw], lambda case: flaw in flaws(case), is_flawed)

    return tuple(map(rule_about, codes))


def flaws_of(shown: Credential | None, world: World) -> frozenset[Flaw]:
    """What is wrong with a certificate now; one that is not there, or cannot be read, is invalid."""
    if shown is None:
        return _UNREADABLE
    return world.trust.flaws_of(shown, world.now, revocation_list=world.controls.revocation_list)


def flaws_of_signer(case: Signed) -> frozenset[Flaw]:
    """The same of who signed; that nobody did is another rule's matter."""
    return flaws_of(case.signature.credential, case.world) if case.signature else frozenset()
