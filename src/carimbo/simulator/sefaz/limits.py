"""How often something may be asked or refused within an hour (NT 2018.002)."""

from carimbo.simulator.family import World
from carimbo.simulator.uses import Uses

CONSULT, REJECTED_DOCUMENT, REFUSED_EVENT = "consult", "rejected document", "refused event"
"""What is counted."""
CONSULTS_OF_A_KEY = 10
REFUSALS_OF_AN_EVENT = 20
REJECTIONS_OF_A_DOCUMENT = 30


def is_spent(world: World, taxpayer: str, service: str, subject: str, most: int) -> bool:
    """Returns whether a limit is reached, if the limits are on."""
    if not world.controls.limits:
        return False
    return Uses(world.store).count(taxpayer, service, subject, world.now) >= most


def spend(world: World, taxpayer: str, service: str, subject: str) -> None:
    """Counts one more use."""
    Uses(world.store).add(taxpayer, service, subject, world.now)
