"""Rules about certificates: the same seven of whoever sends (280 to 286) and signs (290 to 296)."""

from collections.abc import Callable
from typing import TypeVar

from cryptography import x509

from carimbo.simulator.family import World
from carimbo.simulator.nfe.rules.rule import Rule
from carimbo.simulator.trust import Flaw

CaseT = TypeVar("CaseT")


def certificate_rules(first_code: int, has: Callable[[CaseT, Flaw], bool]) -> tuple[Rule[CaseT], ...]:
    """One rule for each flaw (MOC 7.0, A01 to A07 and E01 to E07)."""

    def rule_about(flaw: Flaw) -> Rule[CaseT]:
        return Rule(str(first_code + flaw), lambda case: has(case, flaw))

    return tuple(map(rule_about, Flaw))


def is_flawed(certificate: x509.Certificate | None, flaw: Flaw, world: World) -> bool:
    """Tell whether a certificate has a flaw now; one that is not there, or cannot be read, is invalid."""
    if certificate is None:
        return flaw is Flaw.INVALID
    return world.trust.sees(flaw, certificate, world.now, world.controls.revocation_list)
