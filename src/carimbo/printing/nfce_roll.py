"""Receipt paper: text written from top to bottom on a page as long as its content."""

from carimbo.printing.engine.canvas import POINT, Align, Canvas
from carimbo.printing.engine.wrapping import fit_text, wrap_text

SIZE = 7.5
_MIN_SIZE = 6.5
_LEADING, _ASCENT = 1.18, 0.82
_GAP = 1.5
_RULE_GAP = 1.2
_EDGE = 4.0
# A page has at most 14,400 points (ISO 32000-1, Annex C), 5,080 mm; the rest is for unsplittable blocks.
_MAX_HEIGHT = 4_800.0


class TextColumn:
    """A column of text written line by line; a text that is too wide continues on the next line."""

    def __init__(self, canvas: Canvas, x: float, y: float, width: float) -> None:
        self.canvas, self.x, self.y, self.width = canvas, x, y, width

    def write(self, text: str, size: float = SIZE, *, align: Align = Align.LEFT, bold: bool = False) -> None:
        """Writes a text on as many lines as it needs."""
        self._put_all(wrap_text(self.canvas.face(bold=bold), text, self.width, size), size, align, bold=bold)

    def fit(self, text: str, *, align: Align = Align.LEFT, bold: bool = False) -> None:
        """Writes a text on one line if a slightly smaller size allows it, else on several."""
        fit = fit_text(self.canvas.face(bold=bold), text, self.width, SIZE, _MIN_SIZE)
        self._put_all(fit.lines, fit.size, align, bold=bold)

    def fit_together(self, *parts: str, align: Align = Align.LEFT, bold: bool = False) -> None:
        """Writes parts on one line if a slightly smaller size allows it, else one below the other."""
        fit = fit_text(
            self.canvas.face(bold=bold), " ".join(filter(None, parts)), self.width, SIZE, _MIN_SIZE
        )
        if len(fit.lines) == 1:
            self._put_all(fit.lines, fit.size, align, bold=bold)
            return
        for part in filter(None, parts):
            self.write(part, align=align, bold=bold)

    def entry(
        self, name: str, details: str, amount: str, size: float = SIZE, *, kept: float = 0, bold: bool = False
    ) -> None:
        """Writes a name and, at the right, details and an amount: on one line if they fit, else on several.

        `kept` is the width reserved for the amount, so that the amounts of several entries form a column.
        """
        name, details = (self.canvas.face(bold=bold).legible(text) for text in (name, details))
        room = self.width - max(kept, self.measure(amount, size, bold=bold))
        if self._is_wider(room, name, details, size, bold=bold):
            self.write(name, size, bold=bold)
            name = ""
        if self._is_wider(room, name, details, size, bold=bold):
            self.write(details, size, align=Align.RIGHT, bold=bold)
            details = ""
        self._put(name, size, room, Align.LEFT, bold=bold)
        self._put(details, size, room - _GAP, Align.RIGHT, bold=bold)
        self._put(amount, size, self.width, Align.RIGHT, bold=bold)
        self._next_line(size)

    def measure(self, text: str, size: float = SIZE, *, bold: bool = False) -> float:
        """Returns the width of a legible text in millimetres."""
        return self.canvas.face(bold=bold).width(text) * size * POINT

    def _is_wider(self, room: float, name: str, details: str, size: float, *, bold: bool) -> bool:
        gaps = _GAP * (bool(name) + bool(details))
        return self.measure(name + details, size, bold=bold) + gaps > room

    def _put_all(self, lines: tuple[str, ...], size: float, align: Align, *, bold: bool) -> None:
        for line in lines:
            self._put(line, size, self.width, align, bold=bold)
            self._next_line(size)

    def _put(self, text: str, size: float, width: float, align: Align, *, bold: bool) -> None:
        if text:
            baseline = self.y + size * _ASCENT * POINT
            self.canvas.text(self.x, baseline, text, size, width=width, align=align, bold=bold)

    def _next_line(self, size: float) -> None:
        self.y += size * _LEADING * POINT


class Roll(TextColumn):
    """The printable column of a roll of paper; begins another page when one is full."""

    def __init__(self, canvas: Canvas, paper_width: float, printable_width: float) -> None:
        super().__init__(canvas, (paper_width - printable_width) / 2, _EDGE, printable_width)
        self._paper_width = paper_width
        canvas.add_page(paper_width, _MAX_HEIGHT)

    def rule(self) -> None:
        """Draws a line between two divisions."""
        self.y += _RULE_GAP
        self.canvas.rule(self.x, self.y, self.x + self.width, self.y)
        self.y += _RULE_GAP

    def cut(self) -> None:
        """Ends the page below the last line."""
        self.canvas.cut_page(self.y + _EDGE)

    def _next_line(self, size: float) -> None:
        super()._next_line(size)
        if self.y > _MAX_HEIGHT:
            self.cut()
            self.canvas.add_page(self._paper_width, _MAX_HEIGHT)
            self.y = _EDGE
