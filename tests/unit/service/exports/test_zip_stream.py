"""ZIP files that are sent while they are written."""

from datetime import UTC, datetime
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

from carimbo.service.exports.zip_stream import ZipStream

NOON = datetime(2026, 11, 10, 12, 0, 8, tzinfo=UTC)


def test_pieces_are_a_whole_zip_file() -> None:
    stream = ZipStream()
    pieces = [
        stream.add("NF-e/a.xml", b"<a/>" * 1000, NOON),
        stream.add("NF-e/ção.pdf", b"%PDF", NOON, is_compressed=False),
        stream.add("old.txt", b"", datetime(1970, 1, 1, tzinfo=UTC)),
        stream.close(),
    ]
    with ZipFile(BytesIO(b"".join(pieces))) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == ["NF-e/a.xml", "NF-e/ção.pdf", "old.txt"]
        assert archive.read("NF-e/a.xml") == b"<a/>" * 1000
        entries = archive.infolist()
        assert [entry.compress_type for entry in entries[:2]] == [ZIP_DEFLATED, ZIP_STORED]
        assert entries[0].date_time == (2026, 11, 10, 12, 0, 8)


def test_entry_leaves_memory_as_soon_as_it_is_written() -> None:
    stream = ZipStream()
    content = bytes(100_000)
    assert len(stream.add("a", content, NOON, is_compressed=False)) > len(content)
    assert len(stream.add("b", b"", NOON)) < 200
