"""The header of every sheet: the issuer, title and number of the document, and its access key."""

from dataclasses import dataclass

from carimbo.fiscal.layouts.nfe_v4.archived import ArchivedInvoice
from carimbo.printing import formats
from carimbo.printing.engine.canvas import Align, Canvas
from carimbo.printing.engine.images import PlainPng, code_128
from carimbo.printing.engine.wrapping import fit_text, largest_fit
from carimbo.printing.issuer_box import IssuerBox, address_lines, issuer_box
from carimbo.printing.sheet import CONTENT, LEFT, TITLE_SIZE, PrintedField, Row, draw_rows, row, rows_height

ISSUER_WIDTH = 78.0
_MIN_HEIGHT = 34.0
_MIN_SIZE = 4.5
_KIND, _KEY = 32.0, 90.0
_CONSULT = (
    "Consulta de autenticidade no portal nacional da NF-e www.nfe.fazenda.gov.br/portal"
    " ou no site da Sefaz Autorizadora"
)
_REGIMES = {
    "1": "Simples Nacional",
    "2": "Simples Nacional, excesso de sublimite de receita bruta",
    "3": "Regime Normal",
    "4": "Simples Nacional, Microempreendedor Individual (MEI)",
}


@dataclass(frozen=True, slots=True)
class DanfeHeader:
    """The header, measured once; only the sheet number differs between sheets."""

    archived: ArchivedInvoice
    is_canceled: bool
    issuer: IssuerBox
    rows: tuple[Row, ...]

    @property
    def height(self) -> float:
        return self._upper + rows_height(self.rows)

    @property
    def _upper(self) -> float:
        return max(_MIN_HEIGHT, self.issuer.height)

    def draw(self, canvas: Canvas, y: float, sheet: int, sheets: int) -> None:
        """Draws it with its upper edge at y."""
        self.issuer.draw(canvas, y, self._upper)
        self._draw_title(canvas, y, f"FOLHA {sheet}/{sheets}")
        self._draw_key(canvas, y)
        draw_rows(canvas, self.rows, LEFT, y + self._upper)

    def _draw_title(self, canvas: Canvas, y: float, sheet: str) -> None:
        about, x = self.archived.invoice.identification, LEFT + ISSUER_WIDTH
        canvas.box(x, y, _KIND, self._upper)
        lines = (
            (5.4, "DANFE", 14.0, True),
            (8.4, "DOCUMENTO AUXILIAR DA", 6.5, False),
            (11.0, "NOTA FISCAL ELETRÔNICA", 6.5, False),
            (24.4, f"Nº {formats.invoice_number(about.number)}", 10.0, True),
            (28.4, f"SÉRIE {about.series:03}", 10.0, True),
            (32.4, sheet, 10.0, True),
        )
        for baseline, text, max_size, bold in lines:
            size = fit_text(canvas.face(bold=bold), text, _KIND - 2, max_size, _MIN_SIZE).size
            canvas.text(x, y + baseline, text, size, width=_KIND, align=Align.CENTER, bold=bold)
        canvas.text(x + 4, y + 15.4, "0 - ENTRADA", 7.5)
        canvas.text(x + 4, y + 18.6, "1 - SAÍDA", 7.5)
        canvas.box(x + 23, y + 13, 6, 6.4)
        canvas.text(x + 23, y + 17.6, about.direction, 11, width=6, align=Align.CENTER, bold=True)

    def _draw_key(self, canvas: Canvas, y: float) -> None:
        x = LEFT + ISSUER_WIDTH + _KIND
        canvas.box(x, y, _KEY, self._upper)
        canvas.bitmap(code_128(self.archived.access_key), x + 3, y + 1.8, _KEY - 6, 11)
        canvas.rule(x, y + 14.4, x + _KEY, y + 14.4)
        canvas.text(x + 0.8, y + 16.5, "CHAVE DE ACESSO", TITLE_SIZE)
        key = formats.key(self.archived.access_key)
        size = fit_text(canvas.face(bold=True), key, _KEY - 2, 8.6, _MIN_SIZE).size
        canvas.text(x, y + 20.2, key, size, width=_KEY, align=Align.CENTER, bold=True)
        canvas.rule(x, y + 21.8, x + _KEY, y + 21.8)
        baseline = y + 26
        if self.is_canceled:
            canvas.text(x, baseline, "NF-e CANCELADA", 11, width=_KEY, align=Align.CENTER, bold=True)
            baseline += 3.6
        consult = largest_fit(canvas.face(), _CONSULT, _KEY - 8, (7.5, 6.5, 5.5, 4.5))
        for line in consult.lines:
            canvas.text(x, baseline, line, consult.size, width=_KEY, align=Align.CENTER)
            baseline += 3.1


def danfe_header(
    canvas: Canvas, archived: ArchivedInvoice, *, is_canceled: bool, logo: PlainPng | None, is_reform: bool
) -> DanfeHeader:
    """Measures the header; it shows the tax regime since NT 2026.010 (4.2)."""
    invoice, issuer = archived.invoice, archived.invoice.issuer
    rows = [
        row(
            canvas,
            PrintedField("NATUREZA DA OPERAÇÃO", invoice.identification.nature, ISSUER_WIDTH + _KIND),
            PrintedField(
                "PROTOCOLO DE AUTORIZAÇÃO DE USO",
                formats.protocol(archived.protocol),
                _KEY,
                Align.CENTER,
                bold=True,
            ),
        ),
        row(
            canvas,
            PrintedField("INSCRIÇÃO ESTADUAL", issuer.state_registration or "", 66),
            PrintedField("INSCRIÇÃO ESTADUAL DO SUBST. TRIBUTÁRIO", issuer.st_state_registration or "", 66),
            PrintedField("CNPJ / CPF", formats.tax_id(issuer.cnpj, issuer.cpf), CONTENT - 132),
        ),
    ]
    if is_reform:
        regime = f"{issuer.tax_regime} - {_REGIMES.get(issuer.tax_regime, '')}"
        rows.append(
            row(
                canvas,
                PrintedField("CÓDIGO DE REGIME TRIBUTÁRIO", regime, 100),
                # A later technical note will define its XML element (NT 2026.010, 4.2).
                PrintedField("TIPO DE REGIME DE APURAÇÃO DO IBS E DA CBS", "", CONTENT - 100),
            )
        )
    box = issuer_box(canvas, ISSUER_WIDTH, issuer.name, address_lines(issuer.address), logo)
    return DanfeHeader(archived, is_canceled, box, tuple(rows))
