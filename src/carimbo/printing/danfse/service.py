"""The block of the service, its description and the additional information, which may span sheets."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from carimbo.fiscal.layouts.dps_v1.amounts import TotalTaxes
from carimbo.fiscal.layouts.dps_v1.archived import ArchivedServiceNote
from carimbo.fiscal.layouts.dps_v1.service import ComplementaryInformation
from carimbo.fiscal.layouts.dps_v1.service_note import ServiceNote
from carimbo.fiscal.tables.geography import municipality_of_ibge
from carimbo.printing.danfse.grid import (
    COLUMNS,
    CONTENT,
    LABEL_SIZE,
    LEADING,
    LEFT,
    MARGIN,
    Cell,
    GridBlock,
    divide,
    draw_lines,
    draw_title,
    grid_block,
    shade,
)
from carimbo.printing.danfse.values import ABSENT, joined, money, nbs, percent, service_code
from carimbo.printing.engine.canvas import POINT, Canvas
from carimbo.printing.engine.wrapping import FittedText, wrap_text

_LABEL, _TITLE = 3.1, 4.2
_FOOT = 1.2
_CONTINUED = " (CONTINUAÇÃO)"
BRAZIL = "BR"
_APPROXIMATE = "Totais Aproximados dos Tributos cfe. Lei nº 12.741/2012: "
_LEVELS = "Federais: {}; Estaduais: {}; Municipais: {}"


@dataclass(frozen=True, slots=True)
class LongText:
    """Lines over the whole width, below a label or a title."""

    title: str
    text: FittedText
    is_labelled: bool = False
    """Whether it belongs to the block above and has a label instead of a title."""
    least: float = 0
    """The minimum height."""

    @property
    def height(self) -> float:
        return max(self.least, self._head + len(self.text.lines) * self._line + _FOOT)

    @property
    def _head(self) -> float:
        return _LABEL if self.is_labelled else _TITLE

    @property
    def _line(self) -> float:
        return self.text.size * LEADING * POINT

    def stretch(self, height: float) -> "LongText":
        """Returns the same text with this minimum height."""
        return replace(self, least=height)

    def split(self, room: float) -> tuple["LongText | None", "LongText | None"]:
        """Returns the part that fits into a height, and the rest for another sheet."""
        fitting = max(0, int((room - self._head - _FOOT) / self._line))
        lines, rest = self.text.lines[:fitting], self.text.lines[fitting:]
        first = replace(self, text=self.text._replace(lines=lines)) if lines else None
        title = self.title.upper().removesuffix(_CONTINUED) + _CONTINUED
        return first, LongText(title, self.text._replace(lines=rest)) if rest else None

    def draw(self, canvas: Canvas, y: float) -> None:
        """Draws it with its upper edge at y."""
        if self.is_labelled:
            canvas.text(LEFT + MARGIN, y + 2.3, self.title, LABEL_SIZE, bold=True)
        else:
            divide(canvas, y)
            shade(canvas, LEFT, y, CONTENT, _TITLE)
            draw_title(canvas, self.title, y + _TITLE / 2 + 0.9, CONTENT)
        draw_lines(canvas, self.text, LEFT, y + self._head + 0.9 * self.text.size * POINT)


def long_text(
    canvas: Canvas, title: str, content: str, size: float, *, is_labelled: bool = False
) -> LongText:
    """Wraps a text into lines."""
    lines = wrap_text(canvas.face(), content, CONTENT - 2 * MARGIN, size)
    return LongText(title, FittedText(lines, size), is_labelled)


def service_block(canvas: Canvas, archived: ArchivedServiceNote) -> GridBlock:
    """Returns the block with codes, place and official name of the service."""
    issued, service = archived.issued, archived.note.service
    codes = joined(service_code(service.code.national_code), service.code.city_code)
    country = service.place.country_code or BRAZIL
    place = joined(issued.service_place, state_of(service.place.city_code), country)
    return grid_block(
        canvas,
        "SERVIÇO PRESTADO",
        (
            Cell("Código de Tributação Nacional / Municipal", codes),
            Cell("Código da NBS", nbs(service.code.nbs)),
            Cell("Local da Prestação / Sigla UF / País", place),
        ),
        (Cell("", issued.city_service or issued.national_service, COLUMNS),),
    )


def service_text(canvas: Canvas, archived: ArchivedServiceNote, size: float) -> LongText:
    """Returns the issuer's description of the service."""
    description = archived.note.service.code.description
    return long_text(canvas, "Descrição do Serviço", description, size, is_labelled=True)


def state_of(city_code: str | None) -> str | None:
    """Returns the state of a municipality, or None if it is unknown."""
    city = municipality_of_ibge(city_code) if city_code else None
    return city.state if city else None


def notes_text(canvas: Canvas, archived: ArchivedServiceNote, size: float) -> LongText:
    """Returns the additional information: the named values that exist, and always the approximate taxes."""
    values = " | ".join(f"{name}: {value}" for name, value in _named(archived) if value)
    lines = filter(None, (values, _APPROXIMATE + _taxes(archived.note.amounts.taxes.total)))
    return long_text(canvas, "INFORMAÇÕES COMPLEMENTARES", "\n".join(lines), size)


def _named(archived: ArchivedServiceNote) -> Iterator[tuple[str, str | None]]:
    note, service = archived.note, archived.note.service
    additional = service.additional or ComplementaryInformation()
    yield "Inf. Cont.", additional.notes
    yield "NFS-e Subst.", note.substitution.access_key if note.substitution else None
    yield "Doc. Ref.", additional.referenced_document
    yield "Cod. Obra", service.construction.work_code if service.construction else None
    yield "Insc. Imob.", _properties(note)
    yield "Cod. Evt.", service.event.identifier if service.event else None
    yield "Doc. Tec.", additional.technical_document
    yield "Núm. Ped.", additional.purchase_order
    yield "Item Ped.", ", ".join(additional.order_items.items) if additional.order_items else None
    yield "Inf. A. T. Mun.", archived.issued.city_notes


def _properties(note: ServiceNote) -> str:
    places = note.service.construction, note.ibs_cbs.property if note.ibs_cbs else None
    return ", ".join(place.property_registration for place in places if place and place.property_registration)


def _taxes(total: TotalTaxes) -> str:
    if total.simples_rate is not None:
        return f"Simples Nacional: {percent(total.simples_rate)}"
    if amounts := total.amounts:
        return _LEVELS.format(money(amounts.federal), money(amounts.state), money(amounts.city))
    if rates := total.rates:
        return _LEVELS.format(percent(rates.federal), percent(rates.state), percent(rates.city))
    return _LEVELS.format(ABSENT, ABSENT, ABSENT)
