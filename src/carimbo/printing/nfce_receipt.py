"""The receipt of an NFC-e (Manual de Padrões Técnicos do DANFE NFC-e e QR Code 6.0), division by division."""

from collections.abc import Iterator, Sequence

from carimbo.fiscal.emission import EmissionType
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.layouts.nfe_v4.additional import AdditionalInformation
from carimbo.fiscal.layouts.nfe_v4.archived import ArchivedInvoice, read_archived_invoice
from carimbo.fiscal.layouts.nfe_v4.identification import Identification
from carimbo.fiscal.layouts.nfe_v4.invoice import Invoice, Item
from carimbo.fiscal.layouts.nfe_v4.parties import InvoiceAddress, Issuer, PickupOrDelivery, Recipient
from carimbo.fiscal.layouts.nfe_v4.payment import Payments
from carimbo.fiscal.layouts.nfe_v4.totals import InvoiceTotals
from carimbo.fiscal.printout import DocumentPrint, PaperSize
from carimbo.fiscal.tables.payment_methods import PAYMENT_METHODS
from carimbo.printing.engine.canvas import Align, Canvas
from carimbo.printing.engine.images import PlainPng, qr_code
from carimbo.printing.engine.typeface import Typeface
from carimbo.printing.formats import (
    day_and_hour,
    invoice_number,
    key,
    number,
    phone,
    street_of,
    tax_id,
    zipcode,
)
from carimbo.printing.nfce_roll import Roll, TextColumn

_HOMOLOGATION = Environment.HOMOLOGATION.code
_HOME_DELIVERY = "4"
# Paper width and printable width of common thermal printers, with 8 dots per millimetre.
_WIDTHS = {PaperSize.ROLL_80: (80.0, 72.0), PaperSize.ROLL_58: (58.0, 48.0)}
_SMALL, _LARGE, _LARGEST = 7.0, 9.0, 14.0
_LOGO_HEIGHT = 18.0
_MIN_CODE_SIZE = 25.0
# Three dots of a thermal printer: a code with smaller modules smears.
_MIN_MODULE_SIZE = 0.375
# Four (ISO/IEC 18004), and one more because printers are imprecise.
_QUIET_MODULES = 5
_MIN_WIDTH_BESIDE_CODE = 32.0
_BETWEEN = 1.5
_TITLE = "Documento Auxiliar da Nota Fiscal de Consumidor Eletrônica"
_NO_FISCAL_VALUE = "EMITIDA EM AMBIENTE DE HOMOLOGAÇÃO - SEM VALOR FISCAL"
_CONSUMER_COPY, _STORE_COPY = "Via Consumidor", "Via do Estabelecimento"


def draw_receipt(typeface: Typeface, order: DocumentPrint) -> bytes:
    """Draws the receipt on a roll of 80 or 58 mm, each copy on a page of its own."""
    document = read_archived_invoice(order.xml)
    invoice, ide = document.invoice, document.invoice.identification
    canvas = Canvas(typeface, f"NFC-e nº {ide.number} série {ide.series} - {invoice.issuer.name}")
    logo = PlainPng.read(order.logo) if order.logo else None
    for copy in _copies(document):
        roll = Roll(canvas, *_WIDTHS[order.paper])
        _draw_issuer(roll, invoice.issuer, logo)
        _draw_title(roll, document, is_canceled=order.is_canceled)
        _draw_items(roll, invoice.items)
        _draw_totals(roll, len(invoice.items), invoice.totals.invoice)
        _draw_payments(roll, invoice.payment)
        _draw_consultation(roll, document)
        _draw_consumer_and_code(roll, document, copy)
        _draw_messages(roll, document, is_canceled=order.is_canceled)
        _draw_notes(roll, tuple(_notes(invoice)))
        roll.cut()
    return canvas.finished()


def _copies(document: ArchivedInvoice) -> tuple[str, ...]:
    """Returns the label of each copy; a single copy has none.

    Manual 6.0, 3.1.8: of an NFC-e that was issued offline a second copy stays in the store, for the tax
    authority, until the NFC-e is authorized.
    """
    is_offline = document.invoice.identification.emission_type == EmissionType.OFFLINE
    return (_CONSUMER_COPY, _STORE_COPY) if is_offline and document.protocol is None else ("",)


def _draw_issuer(roll: Roll, issuer: Issuer, logo: PlainPng | None) -> None:
    if logo is not None:
        height = min(_LOGO_HEIGHT, roll.width * logo.height / logo.width)
        roll.canvas.image(logo, roll.x, roll.y, roll.width, height)
        roll.y += height + _BETWEEN
    if issuer.trade_name and issuer.trade_name != issuer.name:
        roll.write(issuer.trade_name, _LARGE, align=Align.CENTER, bold=True)
    roll.write(issuer.name, _LARGE, align=Align.CENTER, bold=True)
    registration = issuer.state_registration and f"IE {issuer.state_registration}"
    roll.write(_joined("  ", _labeled(issuer.cnpj, issuer.cpf), registration), align=Align.CENTER)
    roll.write(_joined("\n", *_address(issuer.address)), align=Align.CENTER)


def _draw_title(roll: Roll, document: ArchivedInvoice, *, is_canceled: bool) -> None:
    roll.rule()
    roll.write(_TITLE, align=Align.CENTER)
    _draw_no_fiscal_value(roll, document.invoice.identification, is_canceled=is_canceled)
    for warning in _contingency(document):
        roll.write(warning, _LARGE, align=Align.CENTER, bold=True)


def _draw_no_fiscal_value(roll: Roll, ide: Identification, *, is_canceled: bool) -> None:
    """Prints why the receipt has no fiscal value, if it has none."""
    if is_canceled:
        roll.write("NFC-e CANCELADA", _LARGEST, align=Align.CENTER, bold=True)
    if ide.environment == _HOMOLOGATION:
        roll.fit(_NO_FISCAL_VALUE, align=Align.CENTER, bold=True)


def _draw_items(roll: Roll, items: Sequence[Item]) -> None:
    roll.rule()
    amounts = [number(item.product.amount) for item in items]
    kept = max(map(roll.measure, (*amounts, "Vl Total")))
    roll.entry("Código Descrição", "Qtde UN x Vl Unit", "Vl Total", bold=True, kept=kept)
    for item, amount in zip(items, amounts, strict=True):
        product = item.product
        price = f"{number(product.quantity, 0, 4)} {product.unit} x {number(product.unit_value, 2, 10)}"
        roll.entry(f"{product.sku} {product.description}", price, amount, kept=kept)
        if product.discount:
            roll.entry("", "Desconto", f"-{number(product.discount)}", kept=kept)
        if product.other:
            roll.entry("", "Acréscimo", number(product.other), kept=kept)
        if item.notes:
            roll.write(item.notes, _SMALL)


def _draw_totals(roll: Roll, items: int, totals: InvoiceTotals) -> None:
    roll.rule()
    roll.entry("Qtde. total de itens", "", str(items))
    roll.entry("Valor total R$", "", number(totals.goods_amount))
    for name, amount in (
        ("Desconto R$", -totals.discount),
        ("Frete R$", totals.freight),
        ("Seguro R$", totals.insurance),
        ("Acréscimos R$", totals.other),
    ):
        if amount:
            roll.entry(name, "", number(amount))
    roll.entry("Valor a Pagar R$", "", number(totals.amount), _LARGE, bold=True)


def _draw_payments(roll: Roll, paid: Payments) -> None:
    roll.y += _BETWEEN
    roll.entry("FORMA DE PAGAMENTO", "", "VALOR PAGO R$", bold=True)
    for payment in paid.payments:
        method = PAYMENT_METHODS.get(payment.method)
        name = payment.description or (method.name if method else payment.method)
        roll.entry(name, "", number(payment.amount))
    if paid.change is not None:
        roll.entry("Troco R$", "", number(paid.change))


def _draw_consultation(roll: Roll, document: ArchivedInvoice) -> None:
    roll.rule()
    roll.write("Consulte pela Chave de Acesso em", align=Align.CENTER)
    roll.fit(document.consult_address or "", align=Align.CENTER)
    roll.write(key(document.access_key), align=Align.CENTER, bold=True)


def _draw_consumer_and_code(roll: Roll, document: ArchivedInvoice, copy: str) -> None:
    """Draws the QR code at the left of the consumer's lines if both fit, else below them."""
    roll.rule()
    if document.qr_code is None:
        _draw_consumer(roll, document, copy, Align.CENTER)
        return
    code = qr_code(document.qr_code)
    module = max(_MIN_CODE_SIZE / code.width, _MIN_MODULE_SIZE)
    side, quiet = code.width * module, _QUIET_MODULES * module
    room = roll.width - side - quiet
    if room >= _MIN_WIDTH_BESIDE_CODE:
        top = roll.y + quiet
        column = TextColumn(roll.canvas, roll.x + side + quiet, top, room)
        _draw_consumer(column, document, copy, Align.LEFT)
        roll.canvas.bitmap(code, roll.x, top, side, side)
        roll.y = max(column.y, top + side + quiet)
    else:
        _draw_consumer(roll, document, copy, Align.CENTER)
        roll.canvas.bitmap(code, roll.x + (roll.width - side) / 2, roll.y + quiet, side, side)
        roll.y += side + 2 * quiet


def _draw_consumer(column: TextColumn, document: ArchivedInvoice, copy: str, align: Align) -> None:
    ide, protocol = document.invoice.identification, document.protocol
    identity, *address = _consumer(document.invoice.recipient)
    column.fit(identity, align=align)
    for line in address:
        column.write(line, align=align)
    column.y += _BETWEEN
    column.fit(f"NFC-e nº {invoice_number(ide.number)} Série {ide.series:03}", align=align, bold=True)
    column.fit_together(day_and_hour(ide.issued_at), copy, align=align, bold=True)
    for warning in _contingency(document):
        column.write(warning, align=align, bold=True)
    if protocol:
        column.fit(f"Protocolo de autorização: {protocol.number or ''}", align=align)
        column.fit(f"Data de autorização {day_and_hour(protocol.at)}", align=align)


def _consumer(recipient: Recipient | None) -> Iterator[str]:
    tax_id_text = recipient and _labeled(recipient.cnpj, recipient.cpf, recipient.foreign_id)
    yield f"CONSUMIDOR - {tax_id_text}" if tax_id_text else "CONSUMIDOR NÃO IDENTIFICADO"
    if recipient and recipient.name:
        yield recipient.name
    if recipient and recipient.address:
        yield from _address(recipient.address)


def _draw_messages(roll: Roll, document: ArchivedInvoice, *, is_canceled: bool) -> None:
    ide, messages = document.invoice.identification, _authority_messages(document)
    if is_canceled or ide.environment == _HOMOLOGATION or messages:
        roll.rule()
    _draw_no_fiscal_value(roll, ide, is_canceled=is_canceled)
    for message in messages:
        roll.write(message, _SMALL)


def _draw_notes(roll: Roll, notes: Sequence[str]) -> None:
    if notes:
        roll.rule()
    for note in notes:
        roll.write(note, _SMALL)


def _contingency(document: ArchivedInvoice) -> Iterator[str]:
    if document.invoice.identification.emission_type == EmissionType.OFFLINE:
        yield "EMITIDA EM CONTINGÊNCIA"
    if document.protocol is None:
        yield "Pendente de autorização"


def _authority_messages(document: ArchivedInvoice) -> tuple[str, ...]:
    additional = document.invoice.additional or AdditionalInformation()
    notice = document.protocol.notice if document.protocol else None
    observations = (f"{note.name}: {note.value}" for note in additional.authority_observations)
    return tuple(filter(None, (additional.authority_notes, *observations, notice)))


def _notes(invoice: Invoice) -> Iterator[str]:
    taxes = invoice.totals.invoice.approximate_taxes
    if taxes is not None:
        amount = f"(Lei Federal 12.741/2012): R$ {number(taxes)}"
        # The notes may already show the same amount, split into federal, state and municipal taxes.
        if not (invoice.additional and amount in (invoice.additional.notes or "")):
            yield f"Tributos totais incidentes {amount}"
    if invoice.delivery:
        yield f"LOCAL DE ENTREGA: {_place(invoice.delivery)}"
    elif invoice.identification.presence == _HOME_DELIVERY:
        yield "ENTREGA EM DOMICÍLIO"
    if invoice.additional:
        yield from filter(None, (invoice.additional.notes,))
        yield from (f"{note.name}: {note.value}" for note in invoice.additional.observations)


def _place(place: PickupOrDelivery) -> str:
    registration = place.state_registration and f"IE {place.state_registration}"
    return _joined(", ", place.name, _labeled(place.cnpj, place.cpf), registration, *_address(place))


def _address(place: InvoiceAddress | PickupOrDelivery) -> tuple[str, str]:
    """Returns the street line and the city line."""
    town = f"{place.city}/{place.state}"
    telephone = place.phone and f"Fone {phone(place.phone)}"
    return (
        _joined(" - ", street_of(place), place.district),
        _joined(" - ", town, zipcode(place.zipcode), telephone),
    )


def _labeled(cnpj: str | None, cpf: str | None, foreign_id: str | None = None) -> str:
    if foreign_id:
        return f"Id. Estrangeiro {foreign_id}"
    return _joined(" ", "CNPJ" if cnpj else cpf and "CPF", tax_id(cnpj, cpf))


def _joined(separator: str, *parts: str | None) -> str:
    return separator.join(filter(None, parts))
