"""The content of a PDF as other programs see it: poppler reads its text, zxing-cpp its codes."""

import html
import re
import subprocess
import zlib
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import zxingcpp

from support import TIMEOUT_SECONDS

_LISTED = re.compile(
    r'<page width="([\d.]+)" height="([\d.]+)">'
    r'|<word xMin="([-\d.]+)" yMin="([-\d.]+)" xMax="([-\d.]+)" yMax="([-\d.]+)">(.*?)</word>'
)
_GRAY_PAGE = re.compile(rb"P5\s(\d+)\s(\d+)\s255\s")
_STROKE = re.compile(r'style="fill:none;stroke-width:[^"]*" d="([^"]*)" transform="matrix\(1,0,0,-1,0,0\)"')
_STEP = re.compile(r"([MLZ])(?: (-?[\d.]+) (-?[\d.]+))?")
_NUMBER = r"(-?[\d.]+)"
# A line that is drawn, or a rectangle that is not filled.
_DRAWN_RULE = re.compile(
    rf"^(?:q [^\n]*? )?{_NUMBER} {_NUMBER} (?:m {_NUMBER} {_NUMBER} l|{_NUMBER} {_NUMBER} re)(?: S Q)?$",
    re.MULTILINE,
)
_PAGE_START = re.compile(rb"1 0 0 1 0 [\d.]+ cm ")
_STREAM = re.compile(rb"/FlateDecode /Length (\d+) +>>\nstream\n")
_BITMAP = re.compile(rb" cm BI /W (\d+) /H (\d+) /IM true /BPC 1 /D \[1 0\] /F /AHx ID ([0-9a-f]+)> EI")
# Pixels of a module, modules around a code, and rows of a bar code.
_MODULE, _QUIET, _TALL = 4, 10, 40
_LAST_PAGE = 9999


class Word(NamedTuple):
    """A word and its box, in points from the upper left corner of its page; pages count from zero."""

    text: str
    x0: float
    y0: float
    x1: float
    y1: float
    page: int


class Rule(NamedTuple):
    """A straight line from its upper or left end, in points from the upper left corner of its page."""

    x0: float
    y0: float
    x1: float
    y1: float
    page: int


class Size(NamedTuple):
    """How large a page is, in points."""

    width: float
    height: float


class Font(NamedTuple):
    """A font of a file."""

    name: str
    is_embedded: bool
    is_subset: bool
    is_searchable: bool
    """Whether it maps its glyphs to text."""


class DrawnCode(NamedTuple):
    """A bar code or a QR code: how many modules it has, and the text that a scanner reads in them."""

    width: int
    height: int
    text: str


def text_of(pdf: bytes) -> str:
    """The text in the order in which it was drawn: the lines of a cell follow each other."""
    return _run("pdftotext", "-raw", "-", "-", file=pdf).decode()


def text_without_breaks(pdf: bytes) -> str:
    """The same in one line, so that a sentence is found wherever it is broken."""
    return " ".join(text_of(pdf).split())


def lines_of(pdf: bytes) -> str:
    """Returns the words line by line, in the order in which they were drawn; a form feed ends each page.

    It is made of what `words_of` and `sizes_of` read, so that all of them need one run of another program.
    """
    pages: list[list[str]] = [[] for _ in sizes_of(pdf)]
    bottom, right = 0.0, 0.0
    for text, x0, _, x1, y1, page in words_of(pdf):
        pages[page].append(f" {text}" if y1 == bottom and x0 >= right else f"\n{text}")
        bottom, right = y1, x1
    return "".join(f"{''.join(page).lstrip()}\n\f" for page in pages)


def columns_of(pdf: bytes) -> str:
    """The lines that begin at the same distance from the left edge together, then those that end so.

    In a table that is drawn line by line this is where the words of a cell follow each other.
    """
    left: dict[float, list[str]] = {}
    right: dict[float, list[str]] = {}
    for line in _connected(words_of(pdf)):
        text = " ".join(word.text for word in line)
        left.setdefault(round(line[0].x0, 1), []).append(text)
        right.setdefault(round(line[-1].x1, 1), []).append(text)
    return "\n\n".join("\n".join(column) for column in (*left.values(), *right.values()))


def _connected(words: list[Word]) -> Iterator[list[Word]]:
    """Words with only a space between them; cells are farther apart."""
    line: list[Word] = []
    for word in words:
        if line and not _continues(line[-1], word):
            yield line
            line = []
        line.append(word)
    if line:
        yield line


def _continues(last: Word, word: Word) -> bool:
    is_same_line = (last.page, last.y1) == (word.page, word.y1)
    return is_same_line and 0 <= word.x0 - last.x1 < 0.3 * (word.y1 - word.y0)


def words_of(pdf: bytes) -> list[Word]:
    """Returns every word with its box, in the order in which they were drawn."""
    return _listed(pdf)[1]


def sizes_of(pdf: bytes) -> list[Size]:
    """Returns the size of every page."""
    return _listed(pdf)[0]


def pages_of(pdf: bytes) -> int:
    """How many pages there are."""
    return len(sizes_of(pdf))


def title_of(pdf: bytes) -> str:
    """Returns the title that a viewer shows."""
    title = re.search("^Title: +(.*)$", _run("pdfinfo", "-", file=pdf).decode(), re.MULTILINE)
    return title[1] if title else ""


def fonts_of(pdf: bytes) -> list[Font]:
    """The fonts that the pages name."""
    _, _, *rows = _run("pdffonts", "-", file=pdf).decode().splitlines()
    # The last columns are: emb, sub, uni, object and generation.
    return [Font(row.split()[0], *(answer == "yes" for answer in row.split()[-5:-2])) for row in rows]


def pixels_of(pdf: bytes, dpi: int) -> list[bytes]:
    """The first page as rows of gray."""
    image = next(_images(pdf, dpi, last_page=1))
    height, width = image.shape or ()
    pixels = image.tobytes()
    return [pixels[row * width : (row + 1) * width] for row in range(height)]


def rules_of(pdf: bytes, page: int) -> set[Rule]:
    """The lines that are drawn on a page, those of boxes too."""
    number = str(page + 1)
    place = ("-noshrink", "-nocenter", "-f", number, "-l", number)
    drawing = _run("pdftocairo", "-svg", *place, "-", "-", file=pdf).decode()
    return {rule for path in _STROKE.findall(drawing) for rule in _rules(path, page)}


def drawn_rules_of(pdf: bytes) -> list[Rule]:
    """Returns the lines of all pages as our own pages write them: no other program is started.

    That other programs draw them in these places is a question for `rules_of`.
    """
    pages = enumerate(_contents(pdf))
    return [rule for number, content in pages for rule in _drawn_rules(content.decode("latin-1"), number)]


def codes_of(pdf: bytes, dpi: int = 200, last_page: int = _LAST_PAGE) -> set[str]:
    """Returns what a scanner of Code 128 and QR codes reads on upright pages.

    Searching for other kinds of codes, and on turned pages, takes nine times as long.
    """
    kinds = _kinds_of_codes()
    images = _images(pdf, dpi, last_page)
    codes = (code for image in images for code in zxingcpp.read_barcodes(image, kinds, try_rotate=False))
    return {code.text for code in codes}


def _kinds_of_codes() -> zxingcpp.BarcodeFormats:
    """Returns the kinds that papers have; made when needed, as the library warns of one that is kept."""
    return zxingcpp.BarcodeFormats((zxingcpp.BarcodeFormat.Code128, zxingcpp.BarcodeFormat.QRCode))


def drawn_codes_of(pdf: bytes) -> list[DrawnCode]:
    """Returns the codes that our own pages draw, read from their modules: no page is turned into pixels.

    This proves what a code says, and not that it is legible on paper (see `codes_of`).
    """
    return [
        _drawn_code(int(width), int(height), bytes.fromhex(rows.decode()))
        for content in _contents(pdf)
        for width, height, rows in _BITMAP.findall(content)
    ]


@lru_cache(1)
def _contents(pdf: bytes) -> list[bytes]:
    """Returns what each page draws, of our own files."""
    streams = (pdf[match.end() : match.end() + int(match[1])] for match in _STREAM.finditer(pdf))
    return [content for content in map(zlib.decompress, streams) if _PAGE_START.match(content)]


@lru_cache(8)
def _drawn_code(width: int, height: int, rows: bytes) -> DrawnCode:
    length = len(rows) // height
    lines = [_pixels(rows[place : place + length], width) for place in range(0, len(rows), length)]
    tall = lines * _TALL if height == 1 else lines
    blank = [b"\xff" * len(lines[0])] * (_QUIET * _MODULE)
    image = [*blank, *(line for line in tall for _ in range(_MODULE)), *blank]
    picture = memoryview(b"".join(image)).cast("B", (len(image), len(lines[0])))
    read = zxingcpp.read_barcode(picture, _kinds_of_codes())
    return DrawnCode(width, height, read.text if read else "")


def _pixels(row: bytes, width: int) -> bytes:
    """Returns a row of modules in gray; a set bit is dark."""
    modules = f"{int.from_bytes(row):0{len(row) * 8}b}"[:width]
    quiet = b"\xff" * (_QUIET * _MODULE)
    return quiet + b"".join((b"\0" if module == "1" else b"\xff") * _MODULE for module in modules) + quiet


def _images(pdf: bytes, dpi: int, last_page: int = _LAST_PAGE) -> Iterator[memoryview]:
    """The pages as rows of gray; pdftoppm writes one file after the other."""
    pages, place = _run("pdftoppm", "-gray", "-r", str(dpi), "-l", str(last_page), "-", file=pdf), 0
    while header := _GRAY_PAGE.match(pages, place):
        width, height = int(header[1]), int(header[2])
        place = header.end() + width * height
        yield memoryview(pages)[header.end() : place].cast("B", (height, width))


@lru_cache(1)
def _listed(pdf: bytes) -> tuple[list[Size], list[Word]]:
    """Returns the sizes of all pages, and all words."""
    sizes: list[Size] = []
    words: list[Word] = []
    # The title before the pages is not always UTF-8.
    listed = _run("pdftotext", "-raw", "-bbox", "-", "-", file=pdf).partition(b"<doc>")[2].decode()
    for width, height, left, top, right, bottom, text in _LISTED.findall(listed):
        if width:
            sizes.append(Size(float(width), float(height)))
        else:
            box = float(left), float(top), float(right), float(bottom)
            words.append(Word(html.unescape(text) if "&" in text else text, *box, len(sizes) - 1))
    return sizes, words


def _drawn_rules(content: str, page: int) -> Iterator[Rule]:
    """Yields the lines of a page, whose content measures from its upper edge upwards."""
    for x, y, x_to, y_to, width, height in _DRAWN_RULE.findall(content):
        left, top = float(x), -float(y)
        if width:
            right, upper = left + float(width), top - float(height)
            yield from (Rule(left, level, right, level, page) for level in (upper, top))
            yield from (Rule(side, upper, side, top, page) for side in (left, right))
        else:
            (x0, y0), (x1, y1) = sorted(((left, top), (float(x_to), -float(y_to))))
            yield Rule(x0, y0, x1, y1, page)


def _rules(path: str, page: int) -> Iterator[Rule]:
    """The lines of a path; the page is drawn upside down, from its upper edge."""
    first = last = (0.0, 0.0)
    for command, x, y in _STEP.findall(path):
        point = first if command == "Z" else (float(x), -float(y))
        if command == "M":
            first = point
        else:
            (x0, y0), (x1, y1) = sorted((last, point))
            yield Rule(x0, y0, x1, y1, page)
        last = point


def _run(*command: str, file: bytes) -> bytes:
    done = subprocess.run(command, input=file, capture_output=True, check=True, timeout=TIMEOUT_SECONDS)
    # Poppler reports errors in a file and continues.
    assert done.stderr == b"", done.stderr.decode()
    return done.stdout
