"""The box of the issuer: logo, name and address; it grows with what it holds."""

from dataclasses import dataclass

from carimbo.fiscal.layouts.nfe_v4.parties import Issuer
from carimbo.printing import form, formats
from carimbo.printing.addresses import street_of
from carimbo.printing.canvas import POINT, Align, Canvas
from carimbo.printing.png import PlainPng
from carimbo.printing.sheet import LEFT
from carimbo.printing.wrapping import Fitted, wrapped

WIDTH = 78.0
_LOGO = 26.0
_MARGIN = 1.5
_TITLE = 3.0
_NAME_SIZES = (12.0, 10.0)
_ADDRESS_SIZE = 8.0
_LEADING = 1.15
_GAP = 1.2


@dataclass(frozen=True, slots=True)
class IssuerBox:
    """Name and address, measured."""

    logo: PlainPng | None
    name: Fitted
    address: Fitted

    @property
    def height(self) -> float:
        return _TITLE + self._texts + 2 * _MARGIN

    @property
    def _texts(self) -> float:
        return _height(self.name) + _GAP + _height(self.address)

    def draw(self, canvas: Canvas, y: float, height: float) -> None:
        """Draw it with its upper edge at y, its texts in the middle of the height."""
        canvas.box(LEFT, y, WIDTH, height)
        canvas.text(LEFT + 0.8, y + 2.1, "IDENTIFICAÇÃO DO EMITENTE", form.TITLE_SIZE)
        x, width = LEFT + _MARGIN, WIDTH - 2 * _MARGIN
        if self.logo:
            canvas.image(self.logo, x, y + _TITLE + 0.5, _LOGO, height - _TITLE - 1.5)
            x, width = x + _LOGO + _MARGIN, width - _LOGO - _MARGIN
        top = y + _TITLE + (height - _TITLE - self._texts) / 2
        _draw(canvas, x, top, width, self.name, bold=True)
        _draw(canvas, x, top + _height(self.name) + _GAP, width, self.address)


def issuer_box(canvas: Canvas, issuer: Issuer, logo: PlainPng | None) -> IssuerBox:
    """Measure name and address; a long name takes smaller letters."""
    width = WIDTH - 2 * _MARGIN - (_LOGO + _MARGIN if logo else 0)
    names = [Fitted(wrapped(canvas.face(bold=True), issuer.name, width, size), size) for size in _NAME_SIZES]
    name = next((one for one in names if len(one.lines) <= 2), names[-1])  # noqa: PLR2004
    lines = [line for text in _address(issuer) for line in wrapped(canvas.face(), text, width, _ADDRESS_SIZE)]
    return IssuerBox(logo, name, Fitted(tuple(lines), _ADDRESS_SIZE))


def _address(issuer: Issuer) -> list[str]:
    place = issuer.address
    zipcode = f" - CEP {formats.zipcode(place.zipcode)}" if place.zipcode else ""
    phone = f"Fone {formats.phone(place.phone)}" if place.phone else ""
    lines = street_of(place), place.district, f"{place.city} - {place.state}{zipcode}", phone
    return list(filter(None, lines))


def _height(text: Fitted) -> float:
    return len(text.lines) * text.size * _LEADING * POINT


def _draw(canvas: Canvas, x: float, top: float, width: float, text: Fitted, *, bold: bool = False) -> None:
    baseline = top + text.size * 0.85 * POINT
    for line in text.lines:
        canvas.text(x, baseline, line, text.size, width=width, align=Align.CENTER, bold=bold)
        baseline += text.size * _LEADING * POINT
