"""The header of every sheet, with the access key and its QR code, and the stub at the foot of the first."""

from dataclasses import dataclass

from carimbo.fiscal.environment import Environment
from carimbo.fiscal.layouts.dps_v1.archived import ArchivedServiceNote
from carimbo.fiscal.printout import DocumentPrint
from carimbo.fiscal.tables.statuses import NFSE_STATUSES
from carimbo.printing import formats
from carimbo.printing.danfse.grid import (
    COLUMN,
    CONTENT,
    EDGE,
    LEADING,
    LEFT,
    MARGIN,
    TITLE_SIZE,
    Cell,
    GridRow,
    divide,
    draw_lines,
    grid_row,
    shade,
)
from carimbo.printing.danfse.values import ISSUERS, PURPOSES, consult_address, in_words, joined
from carimbo.printing.engine.canvas import POINT, Align, Canvas, Ink
from carimbo.printing.engine.images import qr_code
from carimbo.printing.engine.wrapping import FittedText, fit_text, wrap_text

_BAND = 12.0
_KIND_SIZE, _PLACE_SIZE, _SMALL = 9.0, 8.0, 6.0
_MIN_SIZE = 4.0
# At least 15.2 (NT 008, 2.4.5).
_CODE = 16.0
_CODE_GAP = 1.8
_RIGHT = LEFT + 3 * COLUMN
# Services without an item of the list have no municipality to name (NT 008, 2.4.5).
_UNLISTED = "99"
_AUTHENTIC = (
    "A autenticidade desta NFS-e pode ser verificada pela leitura deste código QR ou pela consulta da chave"
    " de acesso no portal nacional da NFS-e"
)


@dataclass(frozen=True, slots=True)
class DanfseHeader:
    """The header, measured once; only the sheet number differs between sheets."""

    archived: ArchivedServiceNote
    place: FittedText
    rows: tuple[GridRow, ...]
    authentic: FittedText

    @property
    def height(self) -> float:
        code = _CODE + 2 * _CODE_GAP + _height(self.authentic)
        return self._band + max(sum(row.height for row in self.rows), code)

    @property
    def _band(self) -> float:
        return max(_BAND, 2 + _height(self.place) + 2 * _SMALL * LEADING * POINT)

    def draw(self, canvas: Canvas, y: float, sheet: int, sheets: int) -> None:
        """Draws it with its upper edge at y."""
        shade(canvas, LEFT, EDGE, CONTENT, y + self._band - EDGE)
        self._draw_title(canvas, y)
        self._draw_origin(canvas, y, f"Folha {sheet}/{sheets}" if sheets > 1 else "")
        top = y + self._band
        divide(canvas, top)
        self._draw_code(canvas, top)
        for row in self.rows:
            row.draw(canvas, LEFT, top)
            top += row.height

    def _draw_title(self, canvas: Canvas, y: float) -> None:
        canvas.text(LEFT + MARGIN, y + 8, "NFS-e", 20, bold=True)
        mark = canvas.face(bold=True).width("NFS-e") * 20 * POINT + LEFT + 2.5
        for number, text in enumerate(("Nota Fiscal de", "Serviço eletrônica")):
            size = fit_text(canvas.face(), text, LEFT + COLUMN - mark, 7.5, _MIN_SIZE).size
            canvas.text(mark, y + 5 + number * 3, text, size)
        is_test = self.archived.note.environment == Environment.HOMOLOGATION.code
        lines = [("DANFSe v2.0", Ink.BLACK), ("Documento Auxiliar da NFS-e", Ink.BLACK)]
        if is_test:
            lines.append(("NFS-e SEM VALIDADE JURÍDICA", Ink.RED))
        for number, (text, ink) in enumerate(lines):
            canvas.text(
                LEFT + COLUMN, y + 3.3 + number * 3.8, text, _KIND_SIZE,
                width=2 * COLUMN, align=Align.CENTER, bold=True, ink=ink,
            )  # fmt: skip

    def _draw_origin(self, canvas: Canvas, y: float, sheet: str) -> None:
        """Writes the issuing municipality and system, and the sheet number if there are several."""
        draw_lines(canvas, self.place, _RIGHT, y + 3)
        baseline = y + self._band - 1 - _SMALL * LEADING * POINT
        canvas.text(_RIGHT + MARGIN, baseline, f"Ambiente Gerador: {self.archived.issued.generator}", _SMALL)
        baseline += _SMALL * LEADING * POINT
        canvas.text(_RIGHT + MARGIN, baseline, f"Tipo de Ambiente: {self.archived.note.environment}", _SMALL)
        if sheet:
            width = COLUMN - 2 * MARGIN
            canvas.text(_RIGHT + MARGIN, baseline, sheet, _SMALL, width=width, align=Align.RIGHT, bold=True)

    def _draw_code(self, canvas: Canvas, y: float) -> None:
        address = consult_address(self.archived.access_key, self.archived.note.environment)
        left = _RIGHT + (COLUMN - _CODE) / 2
        canvas.bitmap(qr_code(address), left, y + _CODE_GAP, _CODE, _CODE)
        baseline = y + _CODE + 2 * _CODE_GAP + _SMALL * 0.4 * POINT
        for line in self.authentic.lines:
            canvas.text(_RIGHT, baseline, line, _SMALL, width=COLUMN, align=Align.CENTER)
            baseline += _SMALL * LEADING * POINT


def danfse_header(canvas: Canvas, archived: ArchivedServiceNote, order: DocumentPrint) -> DanfseHeader:
    """Measures the header."""
    city = f"Município: {archived.issued.issue_city} / {archived.issued.issuer.address.state}"
    is_listed = not archived.note.service.code.national_code.startswith(_UNLISTED)
    place = fit_text(canvas.face(), city if is_listed else "", COLUMN - 2 * MARGIN, _PLACE_SIZE, _SMALL)
    authentic = wrap_text(canvas.face(), _AUTHENTIC, COLUMN - 2 * MARGIN, _SMALL)
    rows = _rows(canvas, archived, _situation(archived, order))
    return DanfseHeader(archived, place, tuple(rows), FittedText(authentic, _SMALL))


def _rows(canvas: Canvas, archived: ArchivedServiceNote, situation: str) -> list[GridRow]:
    issued, note = archived.issued, archived.note
    purpose = note.ibs_cbs.purpose if note.ibs_cbs else None
    rows = (
        (Cell("CHAVE DE ACESSO DA NFS-e", archived.access_key, 3),),
        (
            Cell("NÚMERO DA NFS-e", str(issued.number)),
            Cell("COMPETÊNCIA DA NFS-e", formats.day(note.competence)),
            Cell("DATA E HORA DA EMISSÃO DA NFS-e", formats.day_and_hour(issued.processed_at)),
        ),
        (
            Cell("NÚMERO DA DPS", str(note.number)),
            Cell("SÉRIE DA DPS", str(note.series)),
            Cell("DATA E HORA DA EMISSÃO DA DPS", formats.day_and_hour(note.issued_at)),
        ),
        (
            Cell("EMITENTE DA NFS-e", in_words(ISSUERS, note.issuer), is_shaded=True),
            Cell("SITUAÇÃO DA NFS-e", situation),
            Cell("FINALIDADE", in_words(PURPOSES, purpose)),
        ),
    )
    return [grid_row(canvas, *(cell._replace(label_size=TITLE_SIZE) for cell in cells)) for cells in rows]


def _situation(archived: ArchivedServiceNote, order: DocumentPrint) -> str:
    """Returns the current status of the note: cStat of its XML says only how it was generated.

    A code of a later layout is printed as it is.
    """
    if order.is_replaced:
        return "Substituída"
    if order.is_canceled:
        return "Cancelada"
    status = NFSE_STATUSES.get(archived.issued.status)
    return status.text if status else archived.issued.status


def _height(text: FittedText) -> float:
    return len(text.lines) * text.size * LEADING * POINT


@dataclass(frozen=True, slots=True)
class DanfseStub:
    """The stub that the taker signs: date, signature, and the note's number (NT 008, nota 11)."""

    row: GridRow

    @property
    def height(self) -> float:
        return self.row.height

    def draw(self, canvas: Canvas, y: float) -> None:
        """Draws it with its upper edge at y."""
        divide(canvas, y)
        self.row.draw(canvas, LEFT, y)


def danfse_stub(canvas: Canvas, archived: ArchivedServiceNote) -> DanfseStub:
    """Measures the stub."""
    number = joined(str(archived.issued.number), archived.access_key)
    cells = (
        Cell("Data Cientificação", ""),
        Cell("Identificação e Assinatura", ""),
        Cell("Nº NFS-e / Chave NFS-e", number, 2),
    )
    return DanfseStub(grid_row(canvas, *cells))
