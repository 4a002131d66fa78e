"""The check of a state registration, as a place of a broken rule."""

from carimbo.fiscal.identity.state_registration import registration_problem
from carimbo.fiscal.parties.recipient import EXEMPT
from carimbo.fiscal.rules import At


def registration_mismatch(registration: str | None, state: str, path: str) -> At | None:
    """Returns the place of a registration that is not valid in a state, with the reason."""
    problem = None if registration in (None, EXEMPT) else registration_problem(registration, state)
    return At(path, f"{problem[0].upper()}{problem[1:]}.") if problem else None
