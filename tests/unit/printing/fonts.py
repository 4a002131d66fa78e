"""Fonts for tests: those that come along, and one of Debian's."""

from pathlib import Path
from shutil import copy

from carimbo.printing.typeface import typeface_of

OWN = typeface_of(None)
DEBIAN = Path("/usr/share/fonts/truetype/liberation")
SERIF = DEBIAN / "LiberationSerif-Regular.ttf"


def serif_folder(folder: Path) -> Path:
    """A folder as somebody makes it who wants another font."""
    copy(SERIF, folder / "regular.ttf")
    copy(DEBIAN / "LiberationSerif-Bold.ttf", folder / "bold.ttf")
    return folder
