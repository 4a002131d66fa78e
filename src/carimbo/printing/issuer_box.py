"""The box of the issuer in the header of a sheet: logo, name and address."""

from collections.abc import Iterable
from dataclasses import dataclass

from carimbo.fiscal.layouts.cte_v4.parties import CarrierAddress, WaybillIssuer
from carimbo.fiscal.layouts.cteos_v4.parties import OsIssuer
from carimbo.fiscal.layouts.mdfe_v3.manifest import ManifestIssuer, ManifestIssuerAddress
from carimbo.fiscal.layouts.nfe_v4.parties import InvoiceAddress, Issuer
from carimbo.printing import formats
from carimbo.printing.engine.canvas import POINT, Align, Canvas
from carimbo.printing.engine.images import PlainPng
from carimbo.printing.engine.wrapping import FittedText, wrap_text
from carimbo.printing.formats import street_of
from carimbo.printing.sheet import LEFT, TITLE_SIZE

TransportIssuer = WaybillIssuer | OsIssuer | ManifestIssuer
_LOGO = 26.0
_MARGIN = 1.5
_TITLE = 3.0
_NAME_SIZES = (12.0, 10.0)
_ADDRESS_SIZE = 8.0
_LEADING = 1.15
_GAP = 1.2


@dataclass(frozen=True, slots=True)
class IssuerBox:
    """The box, measured; it grows with its content."""

    width: float
    logo: PlainPng | None
    name: FittedText
    address: FittedText

    @property
    def height(self) -> float:
        return _TITLE + self._texts + 2 * _MARGIN

    @property
    def _texts(self) -> float:
        return _height(self.name) + _GAP + _height(self.address)

    def draw(self, canvas: Canvas, y: float, height: float) -> None:
        """Draws the box with its upper edge at y and its texts in the middle of the height."""
        canvas.box(LEFT, y, self.width, height)
        canvas.text(LEFT + 0.8, y + 2.1, "IDENTIFICAÇÃO DO EMITENTE", TITLE_SIZE)
        x, width = LEFT + _MARGIN, self.width - 2 * _MARGIN
        if self.logo:
            canvas.image(self.logo, x, y + _TITLE + 0.5, _LOGO, height - _TITLE - 1.5)
            x, width = x + _LOGO + _MARGIN, width - _LOGO - _MARGIN
        top = y + _TITLE + (height - _TITLE - self._texts) / 2
        _draw(canvas, x, top, width, self.name, bold=True)
        _draw(canvas, x, top + _height(self.name) + _GAP, width, self.address)


def issuer_box(
    canvas: Canvas, width: float, name: str, lines: Iterable[str], logo: PlainPng | None
) -> IssuerBox:
    """Measures the name and the lines below it; a long name gets a smaller size."""
    inner = width - 2 * _MARGIN - (_LOGO + _MARGIN if logo else 0)
    names = [FittedText(wrap_text(canvas.face(bold=True), name, inner, size), size) for size in _NAME_SIZES]
    fitted = next((text for text in names if len(text.lines) <= 2), names[-1])  # noqa: PLR2004
    wrapped = [part for line in lines for part in wrap_text(canvas.face(), line, inner, _ADDRESS_SIZE)]
    return IssuerBox(width, logo, fitted, FittedText(tuple(wrapped), _ADDRESS_SIZE))


def address_lines(place: InvoiceAddress | CarrierAddress | ManifestIssuerAddress) -> list[str]:
    """Returns the address of the issuer, with its telephone."""
    zipcode = f" - CEP {formats.zipcode(place.zipcode)}" if place.zipcode else ""
    phone = f"Fone {formats.phone(place.phone)}" if place.phone else ""
    lines = street_of(place), place.district, f"{place.city} - {place.state}{zipcode}", phone
    return list(filter(None, lines))


def identity_lines(issuer: TransportIssuer, *numbers: tuple[str, str | None]) -> list[str]:
    """Returns address and tax id of the issuer, and its other numbers, each with its name."""
    others = " - ".join(f"{name} {number}" for name, number in numbers if number)
    lines = *address_lines(issuer.address), f"CNPJ/CPF {issuer_tax_id(issuer)}", others
    return list(filter(None, lines))


def issuer_tax_id(issuer: Issuer | TransportIssuer) -> str:
    """Returns CNPJ or CPF; the issuer of a CT-e OS is always a company."""
    return formats.tax_id(issuer.cnpj, None if isinstance(issuer, OsIssuer) else issuer.cpf)


def _height(text: FittedText) -> float:
    return len(text.lines) * text.size * _LEADING * POINT


def _draw(
    canvas: Canvas, x: float, top: float, width: float, text: FittedText, *, bold: bool = False
) -> None:
    baseline = top + text.size * 0.85 * POINT
    for line in text.lines:
        canvas.text(x, baseline, line, text.size, width=width, align=Align.CENTER, bold=bold)
        baseline += text.size * _LEADING * POINT
