"""The DACTE: the parts of a CT-e (MOC CT-e 4.00, Anexo II)."""

from carimbo.fiscal.layouts.cte_v4.archived import read_archived_waybill
from carimbo.fiscal.layouts.cte_v4.identification import WaybillIdentification
from carimbo.fiscal.printout import DocumentPrint
from carimbo.printing.dacte.cargo import cargo_block
from carimbo.printing.dacte.documents import document_tables
from carimbo.printing.dacte.header import DacteTitle, dacte_header
from carimbo.printing.dacte.modes import mode_block
from carimbo.printing.dacte.notes import flow_block, observations
from carimbo.printing.dacte.parties import party_boxes
from carimbo.printing.dacte.price import price_block
from carimbo.printing.dacte.shared_notes import reserved_boxes
from carimbo.printing.dacte.sheets import DacteParts, draw_sheets, ending_of
from carimbo.printing.dacte.stub import dacte_stub
from carimbo.printing.dacte.taxes import tax_block
from carimbo.printing.engine.canvas import Canvas
from carimbo.printing.engine.images import PlainPng
from carimbo.printing.engine.typeface import Typeface
from carimbo.printing.sheet import CONTENT, Block, PrintedField, row

_TITLE = DacteTitle("DACTE", "Documento Auxiliar do Conhecimento de Transporte Eletrônico", "CT-e")
_DECLARATION = (
    "DECLARO QUE RECEBI OS VOLUMES DESTE CONHECIMENTO EM PERFEITO ESTADO, PELO QUE DOU POR CUMPRIDO O"
    " PRESENTE CONTRATO DE TRANSPORTE"
)


def draw_dacte(typeface: Typeface, order: DocumentPrint) -> bytes:
    """Draws the DACTE of a CT-e."""
    archived = read_archived_waybill(order.xml)
    waybill, name = archived.waybill, _TITLE.document
    canvas = Canvas(typeface, f"DACTE {archived.access_key}")
    logo, ending = PlainPng.read(order.logo) if order.logo else None, ending_of(order)
    parts = DacteParts(
        stub=dacte_stub(canvas, name, waybill.identification, _DECLARATION),
        header=dacte_header(canvas, _TITLE, archived, ending=ending, logo=logo),
        blocks=(
            _route_block(canvas, waybill.identification),
            *party_boxes(canvas, waybill),
            *((cargo_block(canvas, waybill.service.cargo),) if waybill.service else ()),
            price_block(canvas, waybill.price),
            tax_block(canvas, waybill.taxes),
        ),
        tables=tuple(document_tables(canvas, waybill)),
        flow=flow_block(canvas, waybill.complement),
        observations=observations(canvas, waybill),
        mode=mode_block(canvas, waybill),
        reserved=reserved_boxes(canvas, name, archived),
    )
    return draw_sheets(canvas, parts, ending)


def _route_block(canvas: Canvas, about: WaybillIdentification) -> Block:
    half = CONTENT / 2
    fields = (
        PrintedField("INÍCIO DA PRESTAÇÃO", f"{about.start_state} - {about.start_city}", half),
        PrintedField("TÉRMINO DA PRESTAÇÃO", f"{about.end_state} - {about.end_city}", half),
    )
    return Block("", (row(canvas, *fields),))
