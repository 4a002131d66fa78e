"""The foot of the DACTE of a CT-e: flow of the cargo and observations."""

from collections.abc import Iterator

from carimbo.fiscal.layouts.cte_v4.complement import Flow, WaybillComplement
from carimbo.fiscal.layouts.cte_v4.identification import WaybillIdentification
from carimbo.fiscal.layouts.cte_v4.service import CarriedVehicle, Service
from carimbo.fiscal.layouts.cte_v4.waybill import Waybill
from carimbo.printing import formats
from carimbo.printing.dacte.modes import mode_notes
from carimbo.printing.dacte.shared_notes import (
    billing_notes,
    characteristics_note,
    contingency_note,
    observation_box,
)
from carimbo.printing.engine.canvas import Canvas
from carimbo.printing.notes import Notes
from carimbo.printing.sheet import CONTENT, Block, PrintedField, row

_PICKED_UP = "0"


def flow_block(canvas: Canvas, complement: WaybillComplement | None) -> Block | None:
    """Returns the forecast of the flow; None if the document has none."""
    flow = complement.flow if complement else None
    if flow is None:
        return None
    fields = (
        PrintedField("ORIGEM", flow.origin or "", 50),
        PrintedField("PASSAGEM", _stops(flow), CONTENT - 125),
        PrintedField("DESTINO", flow.destination or "", 50),
        PrintedField("ROTA", flow.route or "", 25),
    )
    return Block("PREVISÃO DO FLUXO DA CARGA", (row(canvas, *fields),))


def _stops(flow: Flow) -> str:
    return " / ".join(stop.name for stop in flow.stops if stop.name)


def observations(canvas: Canvas, waybill: Waybill) -> Notes:
    """Collects and measures the observations, and all data of the document that has no field."""
    return observation_box(canvas, _observations(waybill))


def _observations(waybill: Waybill) -> Iterator[str]:
    complement, service = waybill.complement, waybill.service
    yield from contingency_note(waybill.identification)
    if complement and complement.notes:
        yield complement.notes
    if service:
        yield from _of_service(service)
    if complement:
        yield from characteristics_note(complement, *_places_of_freight(complement))
    yield from _pickup(waybill.identification)


def _of_service(service: Service) -> Iterator[str]:
    if service.globalized:
        yield f"CT-e globalizado: {service.globalized.notes}"
    if service.cargo.insured_amount:
        yield f"Valor da carga para averbação: R$ {formats.number(service.cargo.insured_amount)}"
    yield from mode_notes(service.mode.content)
    yield from map(_vehicle, service.new_vehicles)
    if service.billing:
        yield from billing_notes(service.billing)


def _places_of_freight(complement: WaybillComplement) -> Iterator[tuple[str, str | None]]:
    yield "Origem para cálculo do frete", complement.freight_origin
    yield "Destino para cálculo do frete", complement.freight_destination


def _pickup(about: WaybillIdentification) -> Iterator[str]:
    if about.receiver_picks_up == _PICKED_UP or about.pickup_details:
        yield f"Recebedor retira a carga no destino. {about.pickup_details or ''}"


def _vehicle(vehicle: CarriedVehicle) -> str:
    return (
        f"Veículo novo: chassi {vehicle.chassis}, cor {vehicle.color_code} {vehicle.color}, modelo"
        f" {vehicle.model_code}, valor R$ {formats.number(vehicle.unit_value)},"
        f" frete R$ {formats.number(vehicle.freight_amount)}"
    )
