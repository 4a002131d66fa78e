"""The modes of transport of a manifest."""

from typing import Any

from carimbo.fiscal.body.fields import Coded


class ManifestMode(Coded):
    """The mode of transport (`modal`)."""

    ROAD = "road", "1"
    AIR = "air", "2"
    WATER = "water", "3"
    RAIL = "rail", "4"


def mode_word(kind: Any) -> Any:
    """Returns the word of a mode that is written as its code: 1 or "1" is road."""
    code = str(kind) if type(kind) is int else kind
    return next((mode.value for mode in ManifestMode if mode.code == code), kind)
