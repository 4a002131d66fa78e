"""Long texts in boxes side by side, which may continue on further sheets."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from carimbo.printing import sheet
from carimbo.printing.engine.canvas import POINT, Canvas
from carimbo.printing.engine.wrapping import wrap_text
from carimbo.printing.sheet import CAPTION_HEIGHT, LEFT, SheetLayout, draw_caption

_SIZE = 6.5
_LEADING = _SIZE * 1.2 * POINT
_FIRST_LINE, _FIRST_UNTITLED_LINE = 4.9, 2.8
_MARGIN = 0.8
_CONTINUED = " (CONTINUAÇÃO)"


class NoteBox(NamedTuple):
    """One of the boxes: its title and its lines."""

    title: str
    width: float
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Notes:
    """Boxes of the same height under a caption."""

    caption: str
    boxes: tuple[NoteBox, ...]
    least: float = 0
    """The minimum height of the boxes."""
    is_continued: bool = False

    @property
    def height(self) -> float:
        lines = max(len(box.lines) for box in self.boxes)
        return CAPTION_HEIGHT + max(self.least, self._first_line + lines * _LEADING)

    @property
    def _first_line(self) -> float:
        """The first baseline: below the titles, if there are any."""
        return _FIRST_LINE if any(box.title for box in self.boxes) else _FIRST_UNTITLED_LINE

    def split(self, room: float, least: float) -> tuple["Notes", "Notes | None"]:
        """Returns the part that fits into a height, and the rest for another sheet, if any."""
        count = max(0, int((room - CAPTION_HEIGHT - self._first_line) / _LEADING))
        first = tuple(box._replace(lines=box.lines[:count]) for box in self.boxes)
        rest = tuple(box._replace(lines=box.lines[count:]) for box in self.boxes)
        return (
            Notes(self.caption, first, least, self.is_continued),
            Notes(self.caption, rest, is_continued=True) if any(box.lines for box in rest) else None,
        )

    def draw(self, canvas: Canvas, y: float) -> None:
        """Draws the boxes with their caption at y."""
        top = draw_caption(canvas, self.caption + (_CONTINUED if self.is_continued else ""), y)
        x, height = LEFT, self.height - CAPTION_HEIGHT
        for title, width, lines in self.boxes:
            canvas.box(x, top, width, height)
            canvas.text(x + _MARGIN, top + 2.1, title, sheet.TITLE_SIZE)
            for number, line in enumerate(lines):
                canvas.text(x + _MARGIN, top + self._first_line + number * _LEADING, line, _SIZE)
            x += width


def note_box(canvas: Canvas, title: str, width: float, texts: Iterable[str]) -> NoteBox:
    """Measures texts one below the other."""
    text = "\n".join(texts)
    return NoteBox(title, width, wrap_text(canvas.face(), text, width - 2 * _MARGIN, _SIZE) if text else ())


def place_rest(sheets: SheetLayout, rest: Notes | None, least: float) -> None:
    """Places the rest of the notes of the first sheet on further sheets with at least this room."""
    while rest:
        if sheets.is_first or sheets.room < least:
            sheets.begin_sheet()
        part, rest = rest.split(sheets.room, 0)
        sheets.place(part)
