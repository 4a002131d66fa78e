"""Fonts for tests: those that come along, and two of Debian's."""

from pathlib import Path
from shutil import copy

from carimbo.printing.typeface import typeface_of

OWN = typeface_of(None)
DEBIAN = Path("/usr/share/fonts/truetype/liberation")
SERIF = DEBIAN / "LiberationSerif-Regular.ttf"


def serif_folder(folder: Path) -> Path:
    """A folder as somebody makes it who wants another font."""
    return _folder(folder, "Serif")


def mono_folder(folder: Path) -> Path:
    """A folder with letters that are wider than any that a form is printed with."""
    return _folder(folder, "Mono")


def _folder(folder: Path, family: str) -> Path:
    for weight in ("Regular", "Bold"):
        copy(DEBIAN / f"Liberation{family}-{weight}.ttf", folder / f"{weight.lower()}.ttf")
    return folder
