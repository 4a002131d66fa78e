"""A ZIP file that is sent while it is written: only one entry at a time is in memory."""

from datetime import datetime
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

# The first moment that a ZIP file can hold.
_FIRST_YEAR = 1980
_FIRST_MOMENT = (_FIRST_YEAR, 1, 1, 0, 0, 0)
_READABLE_BY_ALL = 0o644 << 16


class _Outlet:
    """A file that can't be read or sought: what is written waits here to be taken."""

    def __init__(self) -> None:
        self._written = bytearray()

    def write(self, data: bytes) -> int:
        self._written += data
        return len(data)

    def flush(self) -> None:
        """Does nothing: written bytes can be taken at once."""

    def close(self) -> None:
        """Does nothing: written bytes can still be taken."""

    def take(self) -> bytes:
        taken = bytes(self._written)
        self._written.clear()
        return taken


class ZipStream:
    """Writes a ZIP file piece by piece; beyond 4 GiB or 65,535 entries it is a ZIP64 file."""

    def __init__(self) -> None:
        self._outlet = _Outlet()
        self._zip = ZipFile(self._outlet, "w")

    def add(self, name: str, content: bytes, at: datetime, *, is_compressed: bool = True) -> bytes:
        """Adds an entry, and returns the next piece of the file."""
        moment = at.timetuple()[:6] if at.year >= _FIRST_YEAR else _FIRST_MOMENT
        entry = ZipInfo(name, moment)
        entry.compress_type = ZIP_DEFLATED if is_compressed else ZIP_STORED
        entry.external_attr = _READABLE_BY_ALL
        self._zip.writestr(entry, content)
        return self._outlet.take()

    def close(self) -> bytes:
        """Ends the file, and returns its last piece."""
        self._zip.close()
        return self._outlet.take()
