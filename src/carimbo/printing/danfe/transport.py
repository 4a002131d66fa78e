"""Who carries the goods, and in what."""

from decimal import Decimal

from carimbo.fiscal.layouts.nfe_v4.transport import Carrier, Transport, TransportVehicle, Volume
from carimbo.printing import formats
from carimbo.printing.canvas import Align, Canvas
from carimbo.printing.form import Field, Row, row
from carimbo.printing.sheet import CONTENT, Block

_MOST_VOLUMES = 3
_MODES = {
    "0": "0 - Remetente (CIF)",
    "1": "1 - Destinatário (FOB)",
    "2": "2 - Terceiros",
    "3": "3 - Próprio, remetente",
    "4": "4 - Próprio, destinatário",
    "9": "9 - Sem transporte",
}


def transport_block(canvas: Canvas, transport: Transport) -> Block:
    """Returns the rows of carrier, address and volumes, empty where the document has nothing to fill in.

    The block may not be left out, nor part of it (MOC 7.0, Anexo II, 3.3).
    """
    carrier = transport.carrier or Carrier()
    volumes = transport.volumes[:_MOST_VOLUMES] or (Volume(),)
    rows = (
        _carrier_row(canvas, transport, carrier),
        _address_row(canvas, carrier),
        *(_volume_row(canvas, volume) for volume in volumes),
    )
    return Block("TRANSPORTADOR / VOLUMES TRANSPORTADOS", rows)


def volumes_beyond(transport: Transport) -> tuple[Volume, ...]:
    """Returns the volumes without a row of their own, which the notes list.

    Further sheets continue items and notes, no other block (MOC 7.0, Anexo II, 3.5).
    """
    return transport.volumes[_MOST_VOLUMES:]


def quantity_of(volume: Volume) -> str:
    """How many there are."""
    return "" if volume.quantity is None else formats.number(Decimal(volume.quantity), 0)


def _carrier_row(canvas: Canvas, transport: Transport, carrier: Carrier) -> Row:
    vehicle = transport.vehicle
    mode = _MODES.get(transport.freight_mode, transport.freight_mode)
    return row(
        canvas,
        Field("NOME / RAZÃO SOCIAL", carrier.name or "", CONTENT - 132),
        Field("FRETE POR CONTA", mode, 36),
        Field("CÓDIGO ANTT", (vehicle and vehicle.rntc) or "", 24),
        Field("PLACA DO VEÍCULO", _plate(vehicle), 20),
        Field("UF", (vehicle and vehicle.state) or "", 10),
        Field("CNPJ / CPF", formats.tax_id(carrier.cnpj, carrier.cpf), 42),
    )


def _address_row(canvas: Canvas, carrier: Carrier) -> Row:
    return row(
        canvas,
        Field("ENDEREÇO", carrier.address or "", CONTENT - 112),
        Field("MUNICÍPIO", carrier.city or "", 60),
        Field("UF", carrier.state or "", 10),
        Field("INSCRIÇÃO ESTADUAL", carrier.state_registration or "", 42),
    )


def _volume_row(canvas: Canvas, volume: Volume) -> Row:
    return row(
        canvas,
        Field("QUANTIDADE", quantity_of(volume), 22, Align.RIGHT),
        Field("ESPÉCIE", volume.kind or "", 38),
        Field("MARCA", volume.brand or "", 38),
        Field("NUMERAÇÃO", volume.numbering or "", CONTENT - 158),
        Field("PESO BRUTO", formats.optional(volume.gross_weight, 3), 30, Align.RIGHT),
        Field("PESO LÍQUIDO", formats.optional(volume.net_weight, 3), 30, Align.RIGHT),
    )


def _plate(vehicle: TransportVehicle | None) -> str:
    return vehicle.plate if vehicle else ""
