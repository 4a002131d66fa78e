"""The modes of transport of a manifest."""

from typing import Annotated, Any, Literal

from pydantic import WithJsonSchema

from carimbo.fiscal.body.fields import Coded


class ManifestMode(Coded):
    """The mode of transport (`modal`)."""

    ROAD = "road", "1"
    AIR = "air", "2"
    WATER = "water", "3"
    RAIL = "rail", "4"


def _published(mode: ManifestMode) -> WithJsonSchema:
    """Returns how the contract shows `kind`: the word of a mode, or its code as a number or a text."""
    return WithJsonSchema({"enum": [mode.value, int(mode.code), mode.code]})


RoadKind = Annotated[Literal[ManifestMode.ROAD], _published(ManifestMode.ROAD)]
AirKind = Annotated[Literal[ManifestMode.AIR], _published(ManifestMode.AIR)]
WaterKind = Annotated[Literal[ManifestMode.WATER], _published(ManifestMode.WATER)]
RailKind = Annotated[Literal[ManifestMode.RAIL], _published(ManifestMode.RAIL)]


def mode_word(kind: Any) -> Any:
    """Returns the word of a mode that is written as its code: 1 or "1" is road."""
    code = str(kind) if type(kind) is int else kind
    return next((mode.value for mode in ManifestMode if mode.code == code), kind)
