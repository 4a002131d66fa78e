"""CSV files as spreadsheets of Brazil write them."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as some

from carimbo.service.exports.csv_lines import BYTE_ORDER_MARK, cell_text, csv_lines
from carimbo.service.imports import reading
from carimbo.service.imports.reading import MAX_BYTES, CsvRecord, UnreadableFile, read_table

TITLES = "Nome;E-mail"
LINE = "João;joao@example.com"
TEXT = f"{TITLES}\r\n{LINE}\r\n"


def refusal_of(content: bytes | str) -> str:
    with pytest.raises(UnreadableFile) as refusal:
        read_table(content.encode() if isinstance(content, str) else content)
    return str(refusal.value)


class TestEncoding:
    @pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252"])
    def test_accents_are_read_in_the_encodings_of_spreadsheets(self, encoding: str) -> None:
        table = read_table(TEXT.encode(encoding))
        assert table.titles == ("Nome", "E-mail")
        assert table.records == (CsvRecord(2, ("João", "joao@example.com")),)

    def test_file_in_utf_16_is_refused_with_advice(self) -> None:
        assert "CSV UTF-8" in refusal_of(TEXT.encode("utf-16"))

    def test_bytes_of_no_known_encoding_are_refused(self) -> None:
        assert "não puderam ser lidas" in refusal_of(b"Nome;E-mail\nJo\x81o;a@example.com\n")

    @pytest.mark.parametrize("start", [b"PK\x03\x04", b"\xd0\xcf\x11\xe0"])
    def test_file_of_a_spreadsheet_program_is_refused_with_advice(self, start: bytes) -> None:
        assert "planilha" in refusal_of(start + b"\0" * 100)


class TestSeparator:
    @pytest.mark.parametrize("separator", [";", ",", "\t"])
    def test_separator_is_that_of_the_titles(self, separator: str) -> None:
        table = read_table(f"Nome{separator}E-mail\nMaria{separator}m@example.com\n".encode())
        assert table.titles == ("Nome", "E-mail")
        assert table.records[0].cells == ("Maria", "m@example.com")

    def test_separator_within_quotation_marks_divides_nothing(self) -> None:
        table = read_table(b'"Nome","E-mail"\n"Silva; Maria","m@example.com"\n')
        assert table.records[0].cells == ("Silva; Maria", "m@example.com")

    def test_other_separators_in_cells_do_not_mislead(self) -> None:
        table = read_table(b"Nome;Pre\xc3\xa7o\nCaneca, azul, grande;29,90\n")
        assert table.records[0].cells == ("Caneca, azul, grande", "29,90")


class TestRecords:
    def test_blank_lines_are_skipped_and_counted(self) -> None:
        table = read_table(f"\n;\n{TITLES}\n\n{LINE}\n ; \n{LINE}\n".encode())
        assert [record.line for record in table.records] == [5, 7]

    def test_record_with_line_breaks_has_the_line_on_which_it_begins(self) -> None:
        table = read_table(b'Nome;Nota\r\n"Maria\r\nda\r\nSilva";x\r\nJo;y\r\n')
        assert [(record.line, record.cells[0]) for record in table.records] == [
            (2, "Maria\r\nda\r\nSilva"),
            (5, "Jo"),
        ]

    def test_quotation_marks_within_a_cell_are_read(self) -> None:
        table = read_table(b'Nome;Nota\n"Caneca ""grande""";Tubo 3"\n')
        assert table.records[0].cells == ('Caneca "grande"', 'Tubo 3"')

    def test_missing_quotation_mark_is_refused_with_its_line(self) -> None:
        assert refusal_of(f'{TITLES}\n{LINE}\n"Maria;m@example.com\n{LINE}\n').startswith("A linha 3 ")

    def test_line_may_have_fewer_cells_than_titles(self) -> None:
        assert read_table(f"{TITLES}\nMaria\n".encode()).records[0].cells == ("Maria",)


class TestLimits:
    @pytest.mark.parametrize("content", ["", " \r\n ", TITLES, f"{TITLES}\n;\n"])
    def test_file_without_lines_is_refused(self, content: str) -> None:
        assert refusal_of(content)

    def test_file_with_too_many_lines_is_refused(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(reading, "MAX_LINES", 3)
        assert len(read_table((TITLES + 3 * f"\n{LINE}").encode()).records) == 3
        assert "mais de 3 linhas" in refusal_of(TITLES + 4 * f"\n{LINE}")

    def test_file_that_is_too_large_is_refused(self) -> None:
        assert "5 MB" in refusal_of(TITLES.encode() + b"\n" * MAX_BYTES)

    def test_cell_that_is_too_long_is_refused_with_its_line(self) -> None:
        assert refusal_of(f"{TITLES}\n{'x' * 200_000};y\n").startswith("A linha 2 ")


# Not a character of a surrogate pair, which no file in UTF-8 has, and not NUL.
CELLS = some.text(some.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=8)


@given(some.lists(CELLS | some.from_regex(r"'{0,3}[=+\-@01]{1,2}", fullmatch=True), min_size=2, max_size=2))
def test_cells_that_an_export_protects_are_read_as_they_were(cells: list[str]) -> None:
    assume(any(cell_text(cell).strip() for cell in cells))
    [record] = read_table(BYTE_ORDER_MARK + csv_lines([["Nome", "Nota"], cells], None)).records
    assert record.cells == tuple(cells)
