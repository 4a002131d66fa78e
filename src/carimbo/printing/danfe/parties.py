"""To whom the goods go, and from where to where if not between the parties' own addresses."""

from collections.abc import Iterator

from carimbo.fiscal.layouts.nfe_v4.invoice import Invoice
from carimbo.fiscal.layouts.nfe_v4.parties import Place
from carimbo.printing import formats
from carimbo.printing.addresses import city_of, street_of
from carimbo.printing.canvas import Align, Canvas
from carimbo.printing.form import Field, row
from carimbo.printing.sheet import CONTENT, Block

_DATE = 26.0


def party_blocks(canvas: Canvas, invoice: Invoice) -> Iterator[Block]:
    """The recipient, and the places of pickup and delivery where they differ."""
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
            Field("NOME / RAZÃO SOCIAL", name, CONTENT - 45 - _DATE),
            Field("CNPJ / CPF / ID. ESTRANGEIRO", tax_id, 45),
            Field("DATA DA EMISSÃO", formats.day(about.issued_at), _DATE, Align.CENTER),
        ),
        row(
            canvas,
            Field("ENDEREÇO", street_of(address) if address else "", CONTENT - 72 - _DATE),
            Field("BAIRRO / DISTRITO", address.district if address else "", 48),
            Field("CEP", formats.zipcode(address.zipcode) if address else "", 24),
            Field("DATA DA SAÍDA / ENTRADA", formats.day(moved_at), _DATE, Align.CENTER),
        ),
        row(
            canvas,
            Field("MUNICÍPIO", city_of(address) if address else "", CONTENT - 90 - _DATE),
            Field("UF", address.state if address else "", 10),
            Field("FONE / FAX", formats.phone(address.phone) if address else "", 38),
            Field("INSCRIÇÃO ESTADUAL", (recipient.state_registration if recipient else "") or "", 42),
            Field("HORA DA SAÍDA / ENTRADA", formats.hour(moved_at), _DATE, Align.CENTER),
        ),
    )
    return Block("DESTINATÁRIO / REMETENTE", rows)


def _place(canvas: Canvas, caption: str, place: Place) -> Block:
    rows = (
        row(
            canvas,
            Field("NOME / RAZÃO SOCIAL", place.name or "", CONTENT - 87),
            Field("CNPJ / CPF", formats.tax_id(place.cnpj, place.cpf), 45),
            Field("INSCRIÇÃO ESTADUAL", place.state_registration or "", 42),
        ),
        row(
            canvas,
            Field("ENDEREÇO", street_of(place), CONTENT - 72),
            Field("BAIRRO / DISTRITO", place.district, 48),
            Field("CEP", formats.zipcode(place.zipcode), 24),
        ),
        row(
            canvas,
            Field("MUNICÍPIO", city_of(place), CONTENT - 48),
            Field("UF", place.state, 10),
            Field("FONE / FAX", formats.phone(place.phone), 38),
        ),
    )
    return Block(caption, rows)
