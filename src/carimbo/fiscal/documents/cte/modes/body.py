"""The mode of transport of a CT-e: a body and a group of the layout that depend on `kind`."""

from typing import Annotated, Any

from pydantic import Discriminator, Tag

from carimbo.fiscal.body.reading import drop_blanks_of
from carimbo.fiscal.documents.cte.modes.air import AirBody, air_group
from carimbo.fiscal.documents.cte.modes.multimodal import MultimodalBody, multimodal_group
from carimbo.fiscal.documents.cte.modes.pipeline import PipelineBody, pipeline_group
from carimbo.fiscal.documents.cte.modes.rail import RailBody, rail_group
from carimbo.fiscal.documents.cte.modes.road import RoadBody, road_group
from carimbo.fiscal.documents.cte.modes.water import WaterBody, water_group
from carimbo.fiscal.layouts.cte_v4.service import WaybillMode
from carimbo.fiscal.transport.request import TransportMode

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


def mode_group(body: ModeBody, rntrc: str | None) -> WaybillMode:
    """Returns the data of the mode; raises `Incomplete` if the request lacks required ones."""
    match body:
        case RoadBody():
            return WaybillMode(content=road_group(body, rntrc))
        case AirBody():
            return WaybillMode(content=air_group(body))
        case WaterBody():
            return WaybillMode(content=water_group(body))
        case RailBody():
            return WaybillMode(content=rail_group(body))
        case PipelineBody():
            return WaybillMode(content=pipeline_group(body))
        case MultimodalBody():
            return WaybillMode(content=multimodal_group(body))
