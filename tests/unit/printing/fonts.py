"""Fonts for tests: the built-in ones, and two of Debian's."""

from pathlib import Path
from shutil import copy

from carimbo.printing.engine.typeface import typeface_of

OWN = typeface_of(None)
DEBIAN = Path("/usr/share/fonts/truetype/liberation")
SERIF = DEBIAN / "LiberationSerif-Regular.ttf"


def serif_folder(folder: Path) -> Path:
    """Puts a serif font into a folder, as an operator would to change the font."""
    return _folder(folder, "Serif")


def mono_folder(folder: Path) -> Path:
    """Puts a font with unusually wide letters into a folder."""
    return _folder(folder, "Mono")


def _folder(folder: Path, family: str) -> Path:
    for weight in ("Regular", "Bold"):
        copy(DEBIAN / f"Liberation{family}-{weight}.ttf", folder / f"{weight.lower()}.ttf")
    return folder
