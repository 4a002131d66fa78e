"""The tables of documents: those of the cargo, of earlier carriers, and CT-e that this one refers to."""

from collections.abc import Iterator
from itertools import chain

from carimbo.fiscal.layouts.cte_v4.cargo import (
    CargoDocuments,
    CarriedInvoice,
    CarriedPaperInvoice,
    OtherCargoDocument,
)
from carimbo.fiscal.layouts.cte_v4.service import PreviousIssuer, PreviousPaper, Service
from carimbo.fiscal.layouts.cte_v4.waybill import Waybill
from carimbo.printing import formats
from carimbo.printing.engine.canvas import Canvas
from carimbo.printing.entry_table import (
    HALF,
    EntryColumn,
    EntryTable,
    PrintedEntry,
    TableRows,
)
from carimbo.printing.key_table import KEYED, key_table, keyed_entry
from carimbo.printing.unit_texts import cargo_unit_text, transport_unit_texts

_NAME = "CT-e"
_UNKEYED = (
    EntryColumn("TIPO", 30),
    EntryColumn("CNPJ / CPF EMITENTE", 20.5),
    EntryColumn("SÉRIE / NÚMERO", 23),
    EntryColumn("EMISSÃO / VALOR", HALF - 73.5),
)
_ORIGINATING = "DOCUMENTOS ORIGINÁRIOS"
_TYPES = {"00": "DECLARAÇÃO", "10": "DUTOVIÁRIO", "59": "CF-e SAT", "65": "NFC-e", "99": "OUTROS"}
_PAPER_TYPES = {
    "07": "ATRE",
    "08": "DTA (Despacho de Trânsito Aduaneiro)",
    "09": "Conhecimento Aéreo Internacional",
    "10": "Conhecimento - Carta de Porte Internacional",
    "11": "Conhecimento Avulso",
    "12": "TIF (Transporte Internacional Ferroviário)",
    "13": "BL (Bill of Lading)",
}


def document_tables(canvas: Canvas, waybill: Waybill) -> Iterator[EntryTable]:
    """Yields at least one table, which may be empty."""
    service = waybill.service
    if service is None:
        keys = (item.access_key for item in waybill.complemented)
        yield key_table(canvas, "CT-e COMPLEMENTADO", _NAME, keys)
        return
    yield _originating(canvas, waybill, service.documents or CargoDocuments())
    yield from _previous(canvas, service)
    if service.substitution:
        yield key_table(canvas, "CT-e SUBSTITUÍDO", _NAME, (service.substitution.access_key,))
    if service.linked_service:
        keys = (item.access_key for item in service.linked_service.access_keys)
        yield key_table(canvas, "CT-e MULTIMODAL", _NAME, keys)


def _originating(canvas: Canvas, waybill: Waybill, documents: CargoDocuments) -> EntryTable:
    """Returns the documents of the cargo; those without a key were issued by the sender."""
    sender = waybill.sender
    issuer = formats.tax_id(sender.cnpj, sender.cpf) if sender else ""
    rows = TableRows(canvas, _UNKEYED if documents.papers or documents.others else KEYED)
    rows.add_entries(
        chain(
            (keyed_entry("NF-e", item.access_key, *_details(item)) for item in documents.nfes),
            (keyed_entry("DC-e", item.access_key) for item in documents.dces),
            (_of_paper(item, issuer) for item in documents.papers),
            (_of_other(item, issuer) for item in documents.others),
        )
    )
    return rows.table(_ORIGINATING)


def _previous(canvas: Canvas, service: Service) -> Iterator[EntryTable]:
    """Yields the documents of earlier carriers, each carrier with its own."""
    if service.previous_documents:
        rows = TableRows(canvas, KEYED)
        for issuer in service.previous_documents.issuers:
            rows.add_text(_issuer_text(issuer), bold=True)
            for documents in issuer.documents:
                for paper in documents.papers:
                    rows.add_text(_previous_paper(paper))
                rows.add_entries(keyed_entry(_NAME, item.access_key) for item in documents.access_keys)
        yield rows.table("DOCUMENTOS DE TRANSPORTE ANTERIORES")


def _of_paper(paper: CarriedPaperInvoice, issuer: str) -> PrintedEntry:
    values = (
        ("BC ICMS", paper.icms_base),
        ("ICMS", paper.icms_amount),
        ("BC ST", paper.st_base),
        ("ICMS ST", paper.st_amount),
        ("Produtos", paper.goods_amount),
    )
    parts = (
        paper.waybill_number and f"Romaneio {paper.waybill_number}",
        paper.order_number and f"Pedido {paper.order_number}",
        f"CFOP {paper.cfop}",
        *(f"{name} {formats.number(value)}" for name, value in values),
        f"Peso {formats.number(paper.weight_kg, 3)} kg" if paper.weight_kg else "",
    )
    cells = (
        f"NF MODELO {paper.model}",
        issuer,
        f"{paper.series}/{paper.number}",
        f"{formats.day(paper.issue_date)} R$ {formats.number(paper.amount)}",
    )
    return PrintedEntry(cells, ("; ".join(filter(None, parts)), *_details(paper)))


def _of_other(document: OtherCargoDocument, issuer: str) -> PrintedEntry:
    name = _TYPES.get(document.type, document.type)
    amount = f"R$ {formats.number(document.amount)}" if document.amount else ""
    cells = (
        " - ".join(filter(None, (name, document.description))),
        issuer,
        document.number or "",
        " ".join(filter(None, (formats.day(document.issue_date), amount))),
    )
    return PrintedEntry(cells, tuple(_details(document)))


def _details(document: CarriedInvoice | CarriedPaperInvoice | OtherCargoDocument) -> Iterator[str]:
    """Yields what a document has beyond its columns."""
    if not isinstance(document, OtherCargoDocument) and document.suframa_pin:
        yield f"PIN SUFRAMA {document.suframa_pin}"
    if document.expected_delivery_date:
        yield f"Entrega prevista em {formats.day(document.expected_delivery_date)}"
    yield from map(cargo_unit_text, document.cargo_units)
    yield from transport_unit_texts(document.transport_units)


def _issuer_text(issuer: PreviousIssuer) -> str:
    tax_id = formats.tax_id(issuer.cnpj, issuer.cpf)
    parts = (
        issuer.name,
        tax_id and f"CNPJ/CPF {tax_id}",
        issuer.state_registration and f"IE {issuer.state_registration}",
        issuer.state,
    )
    return " - ".join(filter(None, parts))


def _previous_paper(paper: PreviousPaper) -> str:
    name = _PAPER_TYPES.get(paper.type, paper.type)
    subseries = f" subsérie {paper.subseries}" if paper.subseries else ""
    day = formats.day(paper.issue_date)
    return f"{name}: série {paper.series}{subseries}, nº {paper.number}, emissão {day}"
