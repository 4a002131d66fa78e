"""The contingency authorities (SVC): for whom they work, and when."""

from carimbo.fiscal.tables.authorizers import AUTHORIZERS
from carimbo.simulator.controls import Contingency
from carimbo.simulator.family import World
from carimbo.simulator.nfe.case import NFCE, NFE
from carimbo.simulator.place import Place

_MODELS = {"nfe": NFE, "nfce": NFCE}


def model_of(place: Place) -> str:
    """The model of the documents that a path is for."""
    return _MODELS[place.family]


def contingency_is_open(place: Place, state: str, world: World) -> bool:
    """Tell whether the SVC of a place works for a state (`SP`) now."""
    serving = AUTHORIZERS.rows.get((model_of(place), state))
    if serving is None or serving.contingency != place.authorizer:
        return False
    switch = world.controls.contingency_of(place.authorizer)
    if switch is Contingency.AUTO:
        return serving.authorizer in world.controls.outages
    return switch is not Contingency.OFF
