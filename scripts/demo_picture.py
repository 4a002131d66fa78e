"""Draws docs/images/demo.png: the terminal output of a running demo.

Needs a recording: `script -qfc 'make demo' demo.log`, then `demo_picture.py demo.log`.
"""

import re
import sys
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont
from rich.text import Text

PICTURE = Path(__file__).parent.parent / "docs" / "images" / "demo.png"
FONT = "/usr/share/fonts/truetype/liberation/LiberationMono-Regular.ttf"
LETTER, CELL = 20, (12, 25)
MARGIN = 26
BACKGROUND, PLAIN = (24, 28, 34), (222, 226, 230)
COLOURS = {"32": (110, 200, 120), "31": (240, 120, 110), "92": (110, 200, 120), "2": (140, 148, 158)}
COLOURS_KEPT = 256


def recorded(shown: str) -> list[str]:
    """Returns the lines of the last table and of the greeting below it, with neutral folder names."""
    last = shown[shown.rindex("Documentos de exemplo") :]
    lines = last[: last.index("Experimente")].replace("\r", "").rstrip().splitlines()
    return [re.sub(r" /\S+(?=/\.carimbo)", " /home/you/carimbo", line) for line in lines]


def draw(lines: list[str]) -> Image.Image:
    """Draws each line in its colours, one cell per letter."""
    width = max(len(Text.from_ansi(line).plain.rstrip()) for line in lines)
    size = (width * CELL[0] + 2 * MARGIN, len(lines) * CELL[1] + 2 * MARGIN)
    image = Image.new("RGB", size, BACKGROUND)
    pen = ImageDraw.Draw(image)
    font = ImageFont.truetype(FONT, LETTER)
    for row, line in enumerate(lines):
        column = 0
        for colour, text in pieces(line):
            at = (MARGIN + column * CELL[0], MARGIN + row * CELL[1])
            pen.text(at, text, font=font, fill=colour)
            column += len(text)
    return image.convert("P", palette=Image.Palette.ADAPTIVE, colors=COLOURS_KEPT)


def pieces(line: str) -> list[tuple[tuple[int, int, int], str]]:
    """Splits a line where its colour changes."""
    parts = re.split(r"\x1b\[([\d;?]*)[A-Za-z]", line)
    codes = ["", *parts[1::2]]
    return [(COLOURS.get(code, PLAIN), text) for code, text in zip(codes, parts[::2], strict=True) if text]


if __name__ == "__main__":
    draw(recorded(Path(sys.argv[1]).read_text(encoding="utf-8"))).save(PICTURE, optimize=True)
