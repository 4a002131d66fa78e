"""The DACTE OS: the parts of a CT-e OS (MOC CT-e 4.00, Anexo II)."""

from collections.abc import Iterator

from carimbo.fiscal.layouts.cteos_v4.archived import read_archived_os_waybill
from carimbo.fiscal.layouts.cteos_v4.identification import OsIdentification
from carimbo.fiscal.layouts.cteos_v4.service import ServiceDescription
from carimbo.fiscal.layouts.cteos_v4.waybill import OsWaybill
from carimbo.fiscal.printout import DocumentPrint
from carimbo.printing import formats
from carimbo.printing.dacte.header import DacteTitle, dacte_header
from carimbo.printing.dacte.parties import taker_box
from carimbo.printing.dacte.price import price_block
from carimbo.printing.dacte.shared_notes import (
    billing_notes,
    characteristics_note,
    contingency_note,
    observation_box,
    reserved_boxes,
)
from carimbo.printing.dacte.sheets import DacteParts, draw_sheets, ending_of
from carimbo.printing.dacte.stub import dacte_stub
from carimbo.printing.dacte.taxes import tax_block
from carimbo.printing.dacte_os.documents import insurance_table, referenced_tables
from carimbo.printing.dacte_os.road import road_block
from carimbo.printing.engine.canvas import Align, Canvas
from carimbo.printing.engine.images import PlainPng
from carimbo.printing.engine.typeface import Typeface
from carimbo.printing.sheet import CONTENT, Block, PrintedField, row

_TITLE = DacteTitle(
    "DACTE OS",
    "Documento Auxiliar do Conhecimento de Transporte Eletrônico para Outros Serviços",
    "CT-e OS",
)
_DECLARATION = (
    "DECLARO QUE O SERVIÇO DESTE CONHECIMENTO FOI PRESTADO, PELO QUE DOU POR CUMPRIDO O PRESENTE CONTRATO"
    " DE TRANSPORTE"
)


def draw_dacte_os(typeface: Typeface, order: DocumentPrint) -> bytes:
    """Draws the DACTE OS of a CT-e OS."""
    archived = read_archived_os_waybill(order.xml)
    waybill, name = archived.waybill, _TITLE.document
    service = waybill.service
    canvas = Canvas(typeface, f"{_TITLE.title} {archived.access_key}")
    logo, ending = PlainPng.read(order.logo) if order.logo else None, ending_of(order)
    parts = DacteParts(
        stub=dacte_stub(canvas, name, waybill.identification, _DECLARATION),
        header=dacte_header(canvas, _TITLE, archived, ending=ending, logo=logo),
        blocks=(
            _route_block(canvas, waybill.identification),
            taker_box(canvas, waybill.taker),
            *((_service_block(canvas, service.service),) if service else ()),
            price_block(canvas, waybill.price),
            tax_block(canvas, waybill.taxes),
        ),
        tables=(*insurance_table(canvas, service), *referenced_tables(canvas, waybill)),
        flow=None,
        observations=observation_box(canvas, _observations(waybill)),
        mode=road_block(canvas, service.mode.mode) if service and service.mode else None,
        reserved=reserved_boxes(canvas, name, archived),
    )
    return draw_sheets(canvas, parts, ending)


def _route_block(canvas: Canvas, about: OsIdentification) -> Block:
    width = CONTENT / 3
    route = " / ".join(passed.state for passed in about.route)
    fields = (
        PrintedField("INÍCIO DA PRESTAÇÃO", _place(about.start_state, about.start_city), width),
        PrintedField("PERCURSO DO VEÍCULO (UF)", route, width),
        PrintedField("TÉRMINO DA PRESTAÇÃO", _place(about.end_state, about.end_city), width),
    )
    return Block("", (row(canvas, *fields),))


def _place(state: str | None, city: str | None) -> str:
    return " - ".join(filter(None, (state, city)))


def _service_block(canvas: Canvas, service: ServiceDescription) -> Block:
    quantity = formats.number(service.quantity.quantity, 0, 4) if service.quantity else ""
    fields = (
        PrintedField("DESCRIÇÃO DO SERVIÇO PRESTADO", service.description, CONTENT - 40),
        PrintedField("QUANTIDADE", quantity, 40, Align.RIGHT),
    )
    return Block("INFORMAÇÕES DA PRESTAÇÃO DO SERVIÇO", (row(canvas, *fields),))


def _observations(waybill: OsWaybill) -> Iterator[str]:
    """Yields the observations, and data of the document that has no field."""
    complement, service = waybill.complement, waybill.service
    yield from contingency_note(waybill.identification)
    if complement and complement.notes:
        yield complement.notes
    if service and service.billing:
        yield from billing_notes(service.billing)
    if complement:
        yield from characteristics_note(complement)
