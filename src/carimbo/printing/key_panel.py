"""The right part of the header of a transport document: title, mode, bar code, QR code and key."""

from collections.abc import Iterable
from dataclasses import dataclass

from carimbo.fiscal.environment import Environment
from carimbo.printing import formats
from carimbo.printing.engine.canvas import Align, Canvas
from carimbo.printing.engine.images import Bitmap, code_128, qr_code
from carimbo.printing.engine.wrapping import fit_text, largest_fit
from carimbo.printing.sheet import CONTENT, LEFT, TITLE_SIZE, PrintedField, Row, row

ISSUER_WIDTH = 76.0
"""The width of the box of the issuer, at the left of the panel."""
PANEL_WIDTH = CONTENT - ISSUER_WIDTH
PANEL_LEFT = LEFT + ISSUER_WIDTH
TITLE_HEIGHT = 11.0
NUMBER_FIELDS_WIDTH = 62.0
NUMBER_ROW_HEIGHT = 6.9
"""The height of the row of these fields."""
# The QR code has at least 25 mm, and 3 mm of white around it (MOC CT-e 4.00, Anexo II).
_QR, _QUIET = 25.0, 3.0
_SQUARE = _QR + 2 * _QUIET
_KEY = PANEL_WIDTH - _SQUARE
_BARS, _KEY_TEXT = 18.0, 6.9
_BARS_TITLE = 1.6
_MIN_SIZE = 4.5
_NOTICE_SIZE = 8.0
_HOMOLOGATION = "EMITIDO EM AMBIENTE DE HOMOLOGAÇÃO – SEM VALOR FISCAL"


@dataclass(frozen=True, slots=True)
class KeyPanel:
    """The texts and codes of the panel; a row may stand between the title and the codes."""

    title: str
    description: str
    mode: str
    access_key: str
    consult: str
    """Where anyone can check the document."""
    bars_title: str
    """The title above the bar code; may be empty."""
    bars: Bitmap
    square: Bitmap | None
    """None for a file without a QR code."""

    @property
    def codes_height(self) -> float:
        """The least height of the codes."""
        return _SQUARE + (_BARS_TITLE if self.bars_title else 0)

    def draw_title(self, canvas: Canvas, y: float) -> None:
        """Draws title and mode with their upper edge at y."""
        canvas.box(PANEL_LEFT, y, _KEY, TITLE_HEIGHT)
        _draw_centered(canvas, PANEL_LEFT, y + 5.6, _KEY, self.title, 14, bold=True)
        _draw_centered(canvas, PANEL_LEFT, y + 9, _KEY, self.description, 7.5)

        x = PANEL_LEFT + _KEY
        canvas.box(x, y, _SQUARE, TITLE_HEIGHT)
        canvas.text(x + 0.8, y + 2.1, "MODAL", TITLE_SIZE)
        _draw_centered(canvas, x, y + 7.6, _SQUARE, self.mode, 11, bold=True)

    def draw_codes(self, canvas: Canvas, y: float, height: float) -> None:
        """Draws the codes with their upper edge at y, in a box of at least their height."""
        x, below_title = PANEL_LEFT, y + (_BARS_TITLE if self.bars_title else 0)
        canvas.box(x, y, _KEY, height)
        canvas.box(x + _KEY, y, _SQUARE, height)
        if self.bars_title:
            canvas.text(x + 0.8, y + 2.1, self.bars_title, TITLE_SIZE)
        canvas.bitmap(self.bars, x + 3, below_title + 1.5, _KEY - 6, _BARS - 3)
        if self.square:
            canvas.bitmap(self.square, x + _KEY + _QUIET, y + (height - _QR) / 2, _QR, _QR)

        bottom = below_title + _BARS
        canvas.rule(x, bottom, x + _KEY, bottom)
        canvas.text(x + 0.8, bottom + 2.1, "CHAVE DE ACESSO", TITLE_SIZE)
        _draw_centered(canvas, x, bottom + 5.7, _KEY, formats.key(self.access_key), 8.6, bold=True)

        bottom += _KEY_TEXT
        canvas.rule(x, bottom, x + _KEY, bottom)
        consult = largest_fit(canvas.face(), self.consult, _KEY - 4, (7.0, 6.0, 5.0, 4.5))
        for number, line in enumerate(consult.lines):
            baseline = bottom + 2.6 + number * 2.6
            canvas.text(x, baseline, line, consult.size, width=_KEY, align=Align.CENTER)


def key_panel(
    title: str,
    description: str,
    mode: str,
    *,
    access_key: str,
    qr_code_text: str | None,
    consult: str,
    bars_title: str = "",
) -> KeyPanel:
    """Returns the panel with the codes of a key and of a QR code's text."""
    square = qr_code(qr_code_text) if qr_code_text else None
    bars = code_128(access_key)
    return KeyPanel(title, description, mode, access_key, consult, bars_title, bars, square)


def number_fields(model: str, series: int, number: int, sheet: str) -> tuple[PrintedField, ...]:
    """Returns the fields that identify a sheet of a document."""
    return (
        PrintedField("MODELO", model, 12, Align.CENTER),
        PrintedField("SÉRIE", f"{series:03}", 12, Align.CENTER),
        PrintedField("NÚMERO", formats.invoice_number(number), 24, Align.CENTER),
        PrintedField("FOLHA", sheet, 14, Align.CENTER),
    )


def authorization_rows(
    canvas: Canvas, protocol: str, environment: str, notices: Iterable[str]
) -> tuple[Row, ...]:
    """Returns the rows below the codes: the protocol, and notices; the first one is that of homologation."""
    is_test = environment == Environment.HOMOLOGATION.code
    title = "PROTOCOLO DE AUTORIZAÇÃO DE USO"
    return (
        row(canvas, PrintedField(title, protocol, PANEL_WIDTH, Align.CENTER, bold=True)),
        *(
            row(canvas, PrintedField("", notice, PANEL_WIDTH, Align.CENTER, bold=True), size=_NOTICE_SIZE)
            for notice in (*([_HOMOLOGATION] if is_test else []), *notices)
        ),
    )


def _draw_centered(
    canvas: Canvas, x: float, baseline: float, width: float, text: str, max_size: float, *, bold: bool = False
) -> None:
    """Writes a text on one line, in a smaller size if it is wide."""
    size = fit_text(canvas.face(bold=bold), text, width - 2, max_size, _MIN_SIZE).size
    canvas.text(x, baseline, text, size, width=width, align=Align.CENTER, bold=bold)
