"""The header of every sheet: issuer, title, number, the key with its bar code and QR code, the protocol."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from carimbo.fiscal.emission import EmissionType
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.layouts.cte_v4.archived import ArchivedWaybill
from carimbo.fiscal.layouts.cte_v4.identification import WaybillIdentification
from carimbo.fiscal.layouts.cte_v4.parties import WaybillIssuer
from carimbo.fiscal.layouts.cte_v4.waybill import Waybill
from carimbo.fiscal.layouts.cteos_v4.identification import OsIdentification
from carimbo.fiscal.layouts.cteos_v4.parties import OsIssuer
from carimbo.fiscal.layouts.cteos_v4.waybill import OsWaybill
from carimbo.printing import formats
from carimbo.printing.engine.canvas import Align, Canvas
from carimbo.printing.engine.images import Bitmap, PlainPng, code_128, qr_code
from carimbo.printing.engine.wrapping import fit_text, largest_fit
from carimbo.printing.issuer_box import IssuerBox, address_lines, issuer_box, issuer_tax_id
from carimbo.printing.sheet import CONTENT, LEFT, TITLE_SIZE, FormField, Row, draw_rows, row, rows_height

_ISSUER = 76.0
_RIGHT = CONTENT - _ISSUER
_X = LEFT + _ISSUER
# The QR code has at least 25 mm, and 3 mm of white around it (MOC CT-e 4.00, Anexo II).
_QR, _QUIET = 25.0, 3.0
_SQUARE = _QR + 2 * _QUIET
_KEY = _RIGHT - _SQUARE
_TITLE, _NUMBER = 11.0, 6.9
_BARS, _KEY_TEXT = 18.0, 6.9
_MIN_SIZE = 4.5
_NOTICE_SIZE = 8.0
_CONSULT = (
    "Consulta de autenticidade no portal nacional do CT-e www.cte.fazenda.gov.br/portal"
    " ou no site da Sefaz Autorizadora"
)
_HOMOLOGATION = "EMITIDO EM AMBIENTE DE HOMOLOGAÇÃO – SEM VALOR FISCAL"
_MODES = {
    "01": "RODOVIÁRIO",
    "02": "AÉREO",
    "03": "AQUAVIÁRIO",
    "04": "FERROVIÁRIO",
    "05": "DUTOVIÁRIO",
    "06": "MULTIMODAL",
}
_PURPOSES = {"0": "NORMAL", "1": "COMPLEMENTO DE VALORES", "2": "ANULAÇÃO DE VALORES", "3": "SUBSTITUIÇÃO"}
_SERVICES = {
    "0": "NORMAL",
    "1": "SUBCONTRATAÇÃO",
    "2": "REDESPACHO",
    "3": "REDESPACHO INTERMEDIÁRIO",
    "4": "SERVIÇO VINCULADO A MULTIMODAL",
    "6": "TRANSPORTE DE PESSOAS",
    "7": "TRANSPORTE DE VALORES",
    "8": "EXCESSO DE BAGAGEM",
}
_TAKERS = {"0": "REMETENTE", "1": "EXPEDIDOR", "2": "RECEBEDOR", "3": "DESTINATÁRIO", "4": "OUTROS"}
_CONTINGENCIES: dict[str, str] = {
    EmissionType.EPEC: "EPEC",
    EmissionType.FS_DA: "FS-DA",
    EmissionType.SVC_RS: "SVC-RS",
    EmissionType.SVC_SP: "SVC-SP",
}
Archived = ArchivedWaybill[Waybill] | ArchivedWaybill[OsWaybill]
_Identification = WaybillIdentification | OsIdentification


class DacteTitle(NamedTuple):
    """The names of the printed document and of the document it represents."""

    title: str
    description: str
    document: str


@dataclass(frozen=True, slots=True)
class DacteHeader:
    """The header, measured once; only the sheet number differs between sheets."""

    title: DacteTitle
    identification: _Identification
    access_key: str
    issuer: IssuerBox
    last_fields: tuple[FormField, ...]
    """The end of the row of the number."""
    left: tuple[Row, ...]
    """The rows below the issuer."""
    right: tuple[Row, ...]
    """The rows below the codes."""
    bars: Bitmap
    square: Bitmap | None

    @property
    def height(self) -> float:
        left = self.issuer.height + rows_height(self.left)
        return max(left, _TITLE + _NUMBER + _SQUARE + rows_height(self.right))

    def draw(self, canvas: Canvas, y: float, sheet: int, sheets: int) -> None:
        """Draws it with its upper edge at y."""
        left = y + self.height - rows_height(self.left)
        self.issuer.draw(canvas, y, left - y)
        draw_rows(canvas, self.left, LEFT, left)

        right = y + self.height - rows_height(self.right)
        self._draw_title(canvas, y)
        top = self._number_row(canvas, f"{sheet}/{sheets}").draw(canvas, _X, y + _TITLE)
        self._draw_codes(canvas, top, right - top)
        draw_rows(canvas, self.right, _X, right)

    def _number_row(self, canvas: Canvas, sheet: str) -> Row:
        about, rest = self.identification, _RIGHT - sum(field.width for field in self.last_fields)
        return row(
            canvas,
            FormField("MODELO", about.model, 12, Align.CENTER),
            FormField("SÉRIE", f"{about.series:03}", 12, Align.CENTER),
            FormField("NÚMERO", formats.invoice_number(about.number), 24, Align.CENTER),
            FormField("FOLHA", sheet, 14, Align.CENTER),
            FormField(
                "DATA E HORA DA EMISSÃO", formats.day_and_hour(about.issued_at), rest - 62, Align.CENTER
            ),
            *self.last_fields,
        )

    def _draw_title(self, canvas: Canvas, y: float) -> None:
        canvas.box(_X, y, _KEY, _TITLE)
        _draw_centered(canvas, _X, y + 5.6, _KEY, self.title.title, 14, bold=True)
        _draw_centered(canvas, _X, y + 9, _KEY, self.title.description, 7.5)

        x, mode = _X + _KEY, self.identification.mode
        canvas.box(x, y, _SQUARE, _TITLE)
        canvas.text(x + 0.8, y + 2.1, "MODAL", TITLE_SIZE)
        _draw_centered(canvas, x, y + 7.6, _SQUARE, _MODES.get(mode, mode), 11, bold=True)

    def _draw_codes(self, canvas: Canvas, y: float, height: float) -> None:
        canvas.box(_X, y, _KEY, height)
        canvas.box(_X + _KEY, y, _SQUARE, height)
        canvas.bitmap(self.bars, _X + 3, y + 1.5, _KEY - 6, _BARS - 3)
        if self.square:
            top = y + (height - _QR) / 2
            canvas.bitmap(self.square, _X + _KEY + _QUIET, top, _QR, _QR)

        canvas.rule(_X, y + _BARS, _X + _KEY, y + _BARS)
        canvas.text(_X + 0.8, y + _BARS + 2.1, "CHAVE DE ACESSO", TITLE_SIZE)
        key = formats.key(self.access_key)
        _draw_centered(canvas, _X, y + _BARS + 5.7, _KEY, key, 8.6, bold=True)

        bottom = y + _BARS + _KEY_TEXT
        canvas.rule(_X, bottom, _X + _KEY, bottom)
        consult = largest_fit(canvas.face(), _CONSULT, _KEY - 4, (7.0, 6.0, 5.0, 4.5))
        for number, line in enumerate(consult.lines):
            canvas.text(_X, bottom + 2.6 + number * 2.6, line, consult.size, width=_KEY, align=Align.CENTER)


def dacte_header(
    canvas: Canvas, title: DacteTitle, archived: Archived, *, ending: str | None, logo: PlainPng | None
) -> DacteHeader:
    """Measures the header."""
    waybill = archived.waybill
    about, issuer = waybill.identification, waybill.issuer
    half = _ISSUER / 2
    left = (
        row(
            canvas,
            FormField("TIPO DO CT-e", _PURPOSES.get(about.purpose, about.purpose), half),
            FormField("TIPO DO SERVIÇO", _SERVICES.get(about.service_type, about.service_type), half),
        ),
        *_taker_row(canvas, about),
        row(canvas, FormField("CFOP - NATUREZA DA PRESTAÇÃO", f"{about.cfop} - {about.nature}", _ISSUER)),
    )
    protocol = formats.protocol(archived.protocol)
    notices = (
        row(canvas, FormField("", notice, _RIGHT, Align.CENTER, bold=True), size=_NOTICE_SIZE)
        for notice in _notices(title.document, about, ending)
    )
    return DacteHeader(
        title,
        about,
        archived.access_key,
        issuer_box(canvas, _ISSUER, issuer.name, _issuer_lines(issuer), logo),
        tuple(_suframa_field(waybill)),
        left,
        (
            row(
                canvas,
                FormField("PROTOCOLO DE AUTORIZAÇÃO DE USO", protocol, _RIGHT, Align.CENTER, bold=True),
            ),
            *notices,
        ),
        code_128(archived.access_key),
        qr_code(archived.qr_code) if archived.qr_code else None,
    )


def _draw_centered(
    canvas: Canvas, x: float, baseline: float, width: float, text: str, max_size: float, *, bold: bool = False
) -> None:
    """Writes a text on one line, in a smaller size if it is wide."""
    size = fit_text(canvas.face(bold=bold), text, width - 2, max_size, _MIN_SIZE).size
    canvas.text(x, baseline, text, size, width=width, align=Align.CENTER, bold=bold)


def _taker_row(canvas: Canvas, about: _Identification) -> Iterator[Row]:
    """Yields the row of fields that a CT-e OS does not have."""
    if isinstance(about, WaybillIdentification):
        half = _ISSUER / 2
        yield row(
            canvas,
            FormField("TOMADOR DO SERVIÇO", _TAKERS.get(about.taker.role, about.taker.role), half),
            FormField("CT-e GLOBALIZADO", "SIM" if about.is_globalized else "NÃO", half),
        )


def _suframa_field(waybill: Waybill | OsWaybill) -> Iterator[FormField]:
    """Yields the registration of the recipient, which a CT-e OS does not have."""
    if isinstance(waybill, Waybill):
        suframa = (waybill.recipient and waybill.recipient.suframa_registration) or ""
        yield FormField("INSCR. SUFRAMA DO DEST.", suframa, _RIGHT - 98, Align.CENTER)


def _issuer_lines(issuer: WaybillIssuer | OsIssuer) -> Iterator[str]:
    yield from address_lines(issuer.address)
    yield f"CNPJ/CPF {issuer_tax_id(issuer)}"
    registrations = ("IE", issuer.state_registration), ("IEST", issuer.st_state_registration)
    yield " - ".join(f"{name} {number}" for name, number in registrations if number)


def _notices(document: str, about: _Identification, ending: str | None) -> Iterator[str]:
    if about.environment == Environment.HOMOLOGATION.code:
        yield _HOMOLOGATION
    if about.emission_type != EmissionType.NORMAL:
        name = _CONTINGENCIES.get(about.emission_type, f"tipo {about.emission_type}")
        yield f"EMITIDO EM CONTINGÊNCIA {name}"
    if ending:
        yield f"{document} {ending}"
