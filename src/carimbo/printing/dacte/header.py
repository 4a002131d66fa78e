"""The header of every sheet: issuer, title, number, the key with its bar code and QR code, the protocol."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from carimbo.fiscal.emission import EmissionType
from carimbo.fiscal.layouts.cte_v4.archived import ArchivedWaybill
from carimbo.fiscal.layouts.cte_v4.identification import WaybillIdentification
from carimbo.fiscal.layouts.cte_v4.waybill import Waybill
from carimbo.fiscal.layouts.cteos_v4.identification import OsIdentification
from carimbo.fiscal.layouts.cteos_v4.waybill import OsWaybill
from carimbo.printing import formats
from carimbo.printing.engine.canvas import Align, Canvas
from carimbo.printing.engine.images import PlainPng
from carimbo.printing.issuer_box import IssuerBox, identity_lines, issuer_box
from carimbo.printing.key_panel import (
    ISSUER_WIDTH,
    NUMBER_FIELDS_WIDTH,
    NUMBER_ROW_HEIGHT,
    PANEL_LEFT,
    PANEL_WIDTH,
    TITLE_HEIGHT,
    KeyPanel,
    authorization_rows,
    key_panel,
    number_fields,
)
from carimbo.printing.sheet import LEFT, PrintedField, Row, draw_rows, row, rows_height

_CONSULT = (
    "Consulta de autenticidade no portal nacional do CT-e www.cte.fazenda.gov.br/portal"
    " ou no site da Sefaz Autorizadora"
)
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

    identification: _Identification
    issuer: IssuerBox
    panel: KeyPanel
    last_fields: tuple[PrintedField, ...]
    """The end of the row of the number."""
    left: tuple[Row, ...]
    """The rows below the issuer."""
    right: tuple[Row, ...]
    """The rows below the codes."""

    @property
    def height(self) -> float:
        left = self.issuer.height + rows_height(self.left)
        right = TITLE_HEIGHT + NUMBER_ROW_HEIGHT + self.panel.codes_height + rows_height(self.right)
        return max(left, right)

    def draw(self, canvas: Canvas, y: float, sheet: int, sheets: int) -> None:
        """Draws it with its upper edge at y."""
        left = y + self.height - rows_height(self.left)
        self.issuer.draw(canvas, y, left - y)
        draw_rows(canvas, self.left, LEFT, left)

        right = y + self.height - rows_height(self.right)
        self.panel.draw_title(canvas, y)
        top = self._number_row(canvas, f"{sheet}/{sheets}").draw(canvas, PANEL_LEFT, y + TITLE_HEIGHT)
        self.panel.draw_codes(canvas, top, right - top)
        draw_rows(canvas, self.right, PANEL_LEFT, right)

    def _number_row(self, canvas: Canvas, sheet: str) -> Row:
        about, rest = self.identification, PANEL_WIDTH - sum(field.width for field in self.last_fields)
        return row(
            canvas,
            *number_fields(about.model, about.series, about.number, sheet),
            PrintedField(
                "DATA E HORA DA EMISSÃO",
                formats.day_and_hour(about.issued_at),
                rest - NUMBER_FIELDS_WIDTH,
                Align.CENTER,
            ),
            *self.last_fields,
        )


def dacte_header(
    canvas: Canvas, title: DacteTitle, archived: Archived, *, ending: str | None, logo: PlainPng | None
) -> DacteHeader:
    """Measures the header."""
    waybill = archived.waybill
    about, issuer = waybill.identification, waybill.issuer
    half = ISSUER_WIDTH / 2
    left = (
        row(
            canvas,
            PrintedField("TIPO DO CT-e", _PURPOSES.get(about.purpose, about.purpose), half),
            PrintedField("TIPO DO SERVIÇO", _SERVICES.get(about.service_type, about.service_type), half),
        ),
        *_taker_row(canvas, about),
        row(
            canvas,
            PrintedField("CFOP - NATUREZA DA PRESTAÇÃO", f"{about.cfop} - {about.nature}", ISSUER_WIDTH),
        ),
    )
    numbers = ("IE", issuer.state_registration), ("IEST", issuer.st_state_registration)
    return DacteHeader(
        about,
        issuer_box(canvas, ISSUER_WIDTH, issuer.name, identity_lines(issuer, *numbers), logo),
        key_panel(
            title.title,
            title.description,
            _MODES.get(about.mode, about.mode),
            access_key=archived.access_key,
            qr_code_text=archived.qr_code,
            consult=_CONSULT,
        ),
        tuple(_suframa_field(waybill)),
        left,
        authorization_rows(
            canvas,
            formats.protocol(archived.protocol),
            about.environment,
            _notices(title.document, about, ending),
        ),
    )


def _taker_row(canvas: Canvas, about: _Identification) -> Iterator[Row]:
    """Yields the row of fields that a CT-e OS does not have."""
    if isinstance(about, WaybillIdentification):
        half = ISSUER_WIDTH / 2
        yield row(
            canvas,
            PrintedField("TOMADOR DO SERVIÇO", _TAKERS.get(about.taker.role, about.taker.role), half),
            PrintedField("CT-e GLOBALIZADO", "SIM" if about.is_globalized else "NÃO", half),
        )


def _suframa_field(waybill: Waybill | OsWaybill) -> Iterator[PrintedField]:
    """Yields the registration of the recipient, which a CT-e OS does not have."""
    if isinstance(waybill, Waybill):
        suframa = (waybill.recipient and waybill.recipient.suframa_registration) or ""
        yield PrintedField("INSCR. SUFRAMA DO DEST.", suframa, PANEL_WIDTH - 98, Align.CENTER)


def _notices(document: str, about: _Identification, ending: str | None) -> Iterator[str]:
    if about.emission_type != EmissionType.NORMAL:
        name = _CONTINGENCIES.get(about.emission_type, f"tipo {about.emission_type}")
        yield f"EMITIDO EM CONTINGÊNCIA {name}"
    if ending:
        yield f"{document} {ending}"
