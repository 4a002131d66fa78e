"""How often something may be asked or refused within an hour (656, NT 2018.002)."""

from carimbo.simulator.family import World
from carimbo.simulator.nfe.call import Call
from carimbo.simulator.uses import Uses

CONSULTS_OF_A_KEY = 10
QUESTIONS_ABOUT_A_RECEIPT = 40
REFUSALS_OF_AN_EVENT = 20
REFUSALS_OF_A_RANGE = 20
DISTRIBUTIONS_OF_KEYS = 20


def is_spent(world: World, taxpayer: str, service: str, subject: str, most: int) -> bool:
    """Tell whether a limit is reached, if there are limits."""
    if not world.controls.limits:
        return False
    return Uses(world.store).count(taxpayer, service, subject, world.now) >= most


def spend(world: World, taxpayer: str, service: str, subject: str) -> None:
    """Count one more."""
    Uses(world.store).add(taxpayer, service, subject, world.now)


def sender_of(call: Call) -> str:
    """CNPJ or CPF of who sends; empty if its certificate does not tell."""
    return call.sender.owner if call.sender else ""
