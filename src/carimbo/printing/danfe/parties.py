"""The blocks of the recipient, of other places of pickup and delivery, and of the carrier."""

from collections.abc import Iterator
from decimal import Decimal

from carimbo.fiscal.layouts.nfe_v4.invoice import Invoice
from carimbo.fiscal.layouts.nfe_v4.parties import PickupOrDelivery
from carimbo.fiscal.layouts.nfe_v4.transport import Carrier, GoodsTransport, Volume
from carimbo.printing import formats
from carimbo.printing.engine.canvas import Align, Canvas
from carimbo.printing.formats import city_of, street_of
from carimbo.printing.sheet import CONTENT, Block, FormField, Row, row

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
            FormField("NOME / RAZÃO SOCIAL", name, CONTENT - 45 - _DATE),
            FormField("CNPJ / CPF / ID. ESTRANGEIRO", tax_id, 45),
            FormField("DATA DA EMISSÃO", formats.day(about.issued_at), _DATE, Align.CENTER),
        ),
        row(
            canvas,
            FormField("ENDEREÇO", street_of(address) if address else "", CONTENT - 72 - _DATE),
            FormField("BAIRRO / DISTRITO", address.district if address else "", 48),
            FormField("CEP", formats.zipcode(address.zipcode) if address else "", 24),
            FormField("DATA DA SAÍDA / ENTRADA", formats.day(moved_at), _DATE, Align.CENTER),
        ),
        row(
            canvas,
            FormField("MUNICÍPIO", city_of(address) if address else "", CONTENT - 90 - _DATE),
            FormField("UF", address.state if address else "", 10),
            FormField("FONE / FAX", formats.phone(address.phone) if address else "", 38),
            FormField("INSCRIÇÃO ESTADUAL", (recipient.state_registration if recipient else "") or "", 42),
            FormField("HORA DA SAÍDA / ENTRADA", formats.hour(moved_at), _DATE, Align.CENTER),
        ),
    )
    return Block("DESTINATÁRIO / REMETENTE", rows)


def _place(canvas: Canvas, caption: str, place: PickupOrDelivery) -> Block:
    rows = (
        row(
            canvas,
            FormField("NOME / RAZÃO SOCIAL", place.name or "", CONTENT - 87),
            FormField("CNPJ / CPF", formats.tax_id(place.cnpj, place.cpf), 45),
            FormField("INSCRIÇÃO ESTADUAL", place.state_registration or "", 42),
        ),
        row(
            canvas,
            FormField("ENDEREÇO", street_of(place), CONTENT - 72),
            FormField("BAIRRO / DISTRITO", place.district, 48),
            FormField("CEP", formats.zipcode(place.zipcode), 24),
        ),
        row(
            canvas,
            FormField("MUNICÍPIO", city_of(place), CONTENT - 48),
            FormField("UF", place.state, 10),
            FormField("FONE / FAX", formats.phone(place.phone), 38),
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
        FormField("NOME / RAZÃO SOCIAL", carrier.name or "", CONTENT - 132),
        FormField("FRETE POR CONTA", mode, 36),
        FormField("CÓDIGO ANTT", (vehicle and vehicle.rntc) or "", 24),
        FormField("PLACA DO VEÍCULO", (vehicle and vehicle.plate) or "", 20),
        FormField("UF", (vehicle and vehicle.state) or "", 10),
        FormField("CNPJ / CPF", formats.tax_id(carrier.cnpj, carrier.cpf), 42),
    )


def _address_row(canvas: Canvas, carrier: Carrier) -> Row:
    return row(
        canvas,
        FormField("ENDEREÇO", carrier.address or "", CONTENT - 112),
        FormField("MUNICÍPIO", carrier.city or "", 60),
        FormField("UF", carrier.state or "", 10),
        FormField("INSCRIÇÃO ESTADUAL", carrier.state_registration or "", 42),
    )


def _volume_row(canvas: Canvas, volume: Volume) -> Row:
    return row(
        canvas,
        FormField("QUANTIDADE", quantity_of(volume), 22, Align.RIGHT),
        FormField("ESPÉCIE", volume.kind or "", 38),
        FormField("MARCA", volume.brand or "", 38),
        FormField("NUMERAÇÃO", volume.numbering or "", CONTENT - 158),
        FormField("PESO BRUTO", formats.optional(volume.gross_weight, 3), 30, Align.RIGHT),
        FormField("PESO LÍQUIDO", formats.optional(volume.net_weight, 3), 30, Align.RIGHT),
    )
