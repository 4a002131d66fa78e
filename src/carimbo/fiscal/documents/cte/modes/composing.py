"""The mode of transport as a group of the layout."""

from carimbo.fiscal.documents.cte.modes.air import AirBody, air_group
from carimbo.fiscal.documents.cte.modes.multimodal import MultimodalBody, multimodal_group
from carimbo.fiscal.documents.cte.modes.pipeline import PipelineBody, pipeline_group
from carimbo.fiscal.documents.cte.modes.rail import RailBody, rail_group
from carimbo.fiscal.documents.cte.modes.road import RoadBody, road_group
from carimbo.fiscal.documents.cte.modes.water import WaterBody, water_group
from carimbo.fiscal.documents.cte.request import CteRequest
from carimbo.fiscal.documents.cte.settings import CteSettings
from carimbo.fiscal.issuance import Issuance
from carimbo.fiscal.layouts.cte_v4.road import Road
from carimbo.fiscal.layouts.cte_v4.service import WaybillMode
from carimbo.fiscal.problems import MISSING_FIELD, Incomplete, Problem


def mode_group(request: CteRequest, issuance: Issuance) -> WaybillMode:
    """Returns the data of the mode; raises `Incomplete` if the request lacks required ones."""
    match request.modal:
        case RoadBody() as body:
            return WaybillMode(content=_road(body, request, issuance))
        case AirBody() as body:
            return WaybillMode(content=air_group(body))
        case WaterBody() as body:
            return WaybillMode(content=water_group(body))
        case RailBody() as body:
            return WaybillMode(content=rail_group(body))
        case PipelineBody() as body:
            return WaybillMode(content=pipeline_group(body))
        case MultimodalBody() as body:
            return WaybillMode(content=multimodal_group(body))


def _road(body: RoadBody, request: CteRequest, issuance: Issuance) -> Road:
    settings = issuance.settings
    rntrc = request.rntrc or (settings.rntrc if isinstance(settings, CteSettings) else None)
    if rntrc is None:
        message = "Campo obrigatório: informe o RNTRC no pedido, ou na configuração cte.rntrc da empresa."
        raise Incomplete(Problem(MISSING_FIELD, "rntrc", message))
    return road_group(body, rntrc)
