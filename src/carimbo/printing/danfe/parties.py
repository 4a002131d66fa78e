"""The blocks of the recipient, of other places of pickup and delivery, and of the carrier."""

from collections.abc import Iterator
from decimal import Decimal

from carimbo.fiscal.layouts.nfe_v4.invoice import Invoice
from carimbo.fiscal.layouts.nfe_v4.parties import PickupOrDelivery
from carimbo.fiscal.layouts.nfe_v4.transport import Carrier, GoodsTransport, Volume
from carimbo.printing import formats
from carimbo.printing.engine.canvas import Align, Canvas
from carimbo.printing.formats import city_of, street_of
from carimbo.printing.sheet import CONTENT, Block, PrintedField, Row, row

_DATE = 26.0
_MAX_VOLUMES = 3
_MODES = {
    "0": "0 - Remetente (CIF)",
    "1": "1 - Destinatário (FOB)",
    "2": "2 - Terceiros",
    "3": "3 - Próprio, remetente",
    "4": "4 - Próprio, destinatário",
    "9": "9 - Sem transporte",
}


def party_blocks(canvas: Canvas, invoice: Invoice) -> Iterator[Block]:
    """Yields the recipient, and the places of pickup and delivery if the invoice names them."""
    yield _recipient(canvas, invoice)
    if invoice.pickup:
        yield _place(canvas, "INFORMAÇÕES DO LOCAL DE RETIRADA", invoice.pickup)
    if invoice.delivery:
        yield _place(canvas, "INFORMAÇÕES DO LOCAL DE ENTREGA", invoice.delivery)


def _recipient(canvas: Canvas, invoice: Invoice) -> Block:
    about, recipient = invoice.identification, invoice.recipient
    address = recipient.address if recipient else None
    moved_at = about.departed_at
    name = (recipient.name if recipient else None) or ""
    tax_id = formats.tax_id(recipient.cnpj, recipient.cpf, recipient.foreign_id) if recipient else ""
    rows = (
        row(
            canvas,
            PrintedField("NOME / RAZÃO SOCIAL", name, CONTENT - 45 - _DATE),
            PrintedField("CNPJ / CPF / ID. ESTRANGEIRO", tax_id, 45),
            PrintedField("DATA DA EMISSÃO", formats.day(about.issued_at), _DATE, Align.CENTER),
        ),
        row(
            canvas,
            PrintedField("ENDEREÇO", street_of(address) if address else "", CONTENT - 72 - _DATE),
            PrintedField("BAIRRO / DISTRITO", address.district if address else "", 48),
            PrintedField("CEP", formats.zipcode(address.zipcode) if address else "", 24),
            PrintedField("DATA DA SAÍDA / ENTRADA", formats.day(moved_at), _DATE, Align.CENTER),
        ),
        row(
            canvas,
            PrintedField("MUNICÍPIO", city_of(address) if address else "", CONTENT - 90 - _DATE),
            PrintedField("UF", address.state if address else "", 10),
            PrintedField("FONE / FAX", formats.phone(address.phone) if address else "", 38),
            PrintedField("INSCRIÇÃO ESTADUAL", (recipient.state_registration if recipient else "") or "", 42),
            PrintedField("HORA DA SAÍDA / ENTRADA", formats.hour(moved_at), _DATE, Align.CENTER),
        ),
    )
    return Block("DESTINATÁRIO / REMETENTE", rows)


def _place(canvas: Canvas, caption: str, place: PickupOrDelivery) -> Block:
    rows = (
        row(
            canvas,
            PrintedField("NOME / RAZÃO SOCIAL", place.name or "", CONTENT - 87),
            PrintedField("CNPJ / CPF", formats.tax_id(place.cnpj, place.cpf), 45),
            PrintedField("INSCRIÇÃO ESTADUAL", place.state_registration or "", 42),
        ),
        row(
            canvas,
            PrintedField("ENDEREÇO", street_of(place), CONTENT - 72),
            PrintedField("BAIRRO / DISTRITO", place.district, 48),
            PrintedField("CEP", formats.zipcode(place.zipcode), 24),
        ),
        row(
            canvas,
            PrintedField("MUNICÍPIO", city_of(place), CONTENT - 48),
            PrintedField("UF", place.state, 10),
            PrintedField("FONE / FAX", formats.phone(place.phone), 38),
        ),
    )
    return Block(caption, rows)


def transport_block(canvas: Canvas, transport: GoodsTransport) -> Block:
    """Returns the rows of carrier, address and volumes, empty where the document has nothing to fill in.

    The block may not be left out, nor part of it (MOC 7.0, Anexo II, 3.3).
    """
    carrier = transport.carrier or Carrier()
    volumes = transport.volumes[:_MAX_VOLUMES] or (Volume(),)
    rows = (
        _carrier_row(canvas, transport, carrier),
        _address_row(canvas, carrier),
        *(_volume_row(canvas, volume) for volume in volumes),
    )
    return Block("TRANSPORTADOR / VOLUMES TRANSPORTADOS", rows)


def volumes_beyond(transport: GoodsTransport) -> tuple[Volume, ...]:
    """Returns the volumes without a row of their own, which the notes list.

    Further sheets continue items and notes, no other block (MOC 7.0, Anexo II, 3.5).
    """
    return transport.volumes[_MAX_VOLUMES:]


def quantity_of(volume: Volume) -> str:
    """Returns the quantity of a volume, or an empty text."""
    return "" if volume.quantity is None else formats.number(Decimal(volume.quantity), 0)


def _carrier_row(canvas: Canvas, transport: GoodsTransport, carrier: Carrier) -> Row:
    vehicle = transport.vehicle
    mode = _MODES.get(transport.freight_mode, transport.freight_mode)
    return row(
        canvas,
        PrintedField("NOME / RAZÃO SOCIAL", carrier.name or "", CONTENT - 132),
        PrintedField("FRETE POR CONTA", mode, 36),
        PrintedField("CÓDIGO ANTT", (vehicle and vehicle.rntc) or "", 24),
        PrintedField("PLACA DO VEÍCULO", (vehicle and vehicle.plate) or "", 20),
        PrintedField("UF", (vehicle and vehicle.state) or "", 10),
        PrintedField("CNPJ / CPF", formats.tax_id(carrier.cnpj, carrier.cpf), 42),
    )


def _address_row(canvas: Canvas, carrier: Carrier) -> Row:
    return row(
        canvas,
        PrintedField("ENDEREÇO", carrier.address or "", CONTENT - 112),
        PrintedField("MUNICÍPIO", carrier.city or "", 60),
        PrintedField("UF", carrier.state or "", 10),
        PrintedField("INSCRIÇÃO ESTADUAL", carrier.state_registration or "", 42),
    )


def _volume_row(canvas: Canvas, volume: Volume) -> Row:
    return row(
        canvas,
        PrintedField("QUANTIDADE", quantity_of(volume), 22, Align.RIGHT),
        PrintedField("ESPÉCIE", volume.kind or "", 38),
        PrintedField("MARCA", volume.brand or "", 38),
        PrintedField("NUMERAÇÃO", volume.numbering or "", CONTENT - 158),
        PrintedField("PESO BRUTO", formats.optional(volume.gross_weight, 3), 30, Align.RIGHT),
        PrintedField("PESO LÍQUIDO", formats.optional(volume.net_weight, 3), 30, Align.RIGHT),
    )
