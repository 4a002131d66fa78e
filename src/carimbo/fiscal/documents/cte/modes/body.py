"""The mode of transport in requests for a CT-e: the body depends on `kind`."""

from typing import Annotated, Any

from pydantic import Discriminator, Tag

from carimbo.fiscal.body.reading import drop_blanks_of
from carimbo.fiscal.documents.cte.modes.air import AirBody
from carimbo.fiscal.documents.cte.modes.mode import TransportMode
from carimbo.fiscal.documents.cte.modes.multimodal import MultimodalBody
from carimbo.fiscal.documents.cte.modes.pipeline import PipelineBody
from carimbo.fiscal.documents.cte.modes.rail import RailBody
from carimbo.fiscal.documents.cte.modes.road import RoadBody
from carimbo.fiscal.documents.cte.modes.water import WaterBody

_BODIES = (RoadBody, AirBody, WaterBody, RailBody, PipelineBody, MultimodalBody)
_BY_ROAD = "by road"
# No tag may be the name of a field: paths of errors leave tags out.
_TAGS = {
    TransportMode.ROAD: _BY_ROAD,
    TransportMode.AIR: "by air",
    TransportMode.WATER: "by water",
    TransportMode.RAIL: "by rail",
    TransportMode.PIPELINE: "by pipeline",
    TransportMode.MULTIMODAL: "by several modes",
}


def _tag(modal: Any) -> str:
    """Returns the union tag of a mode; a body without a known mode is that of a transport by road."""
    if isinstance(modal, _BODIES):
        return _TAGS[modal.kind]
    kind = modal.get("kind") if isinstance(modal, dict) else None
    return next((tag for mode, tag in _TAGS.items() if mode == kind), _BY_ROAD)


ModeBody = Annotated[
    Annotated[RoadBody, Tag(_BY_ROAD)]
    | Annotated[AirBody, Tag("by air")]
    | Annotated[WaterBody, Tag("by water")]
    | Annotated[RailBody, Tag("by rail")]
    | Annotated[PipelineBody, Tag("by pipeline")]
    | Annotated[MultimodalBody, Tag("by several modes")],
    Discriminator(_tag),
    drop_blanks_of(*_BODIES),
]
