"""Titles, columns and templates of the files."""

from collections.abc import Sequence
from typing import Any

import pytest

from carimbo.service.catalog.customers import CustomerUpsert
from carimbo.service.catalog.product_bodies import ProductBody
from carimbo.service.errors import Refusal
from carimbo.service.exports import columns as exported
from carimbo.service.exports.csv_lines import csv_lines
from carimbo.service.imports.columns import COLUMNS, ImportColumn, template_of
from carimbo.service.imports.entries import ImportEntry
from carimbo.service.imports.files import open_file
from carimbo.service.imports.reading import UnreadableFile
from carimbo.service.imports.storing import validated
from carimbo.service.imports.titles import find_columns
from carimbo.service.sales.body import SaleBody
from carimbo.storage.imports import ImportKind

BODIES: dict[ImportKind, Any] = {
    ImportKind.CUSTOMERS: CustomerUpsert,
    ImportKind.PRODUCTS: ProductBody,
    ImportKind.SALES: SaleBody,
}


def paths_of(kind: ImportKind, *titles: str) -> dict[int, str]:
    found_columns = find_columns(COLUMNS[kind], titles).columns
    return {position: column.path for position, column in found_columns.items()}


def refusal_of(kind: ImportKind, *titles: str) -> str:
    with pytest.raises(UnreadableFile) as refusal:
        find_columns(COLUMNS[kind], titles)
    return str(refusal.value)


def only_entry(kind: ImportKind, content: bytes) -> ImportEntry:
    [entry] = open_file(kind, content).entries()
    return entry


class TestTitles:
    def test_case_accents_spaces_and_marks_do_not_matter(self) -> None:
        titles = (" NOME ", "e mail", "cpf / cnpj", "Inscricao Estadual")
        assert paths_of(ImportKind.CUSTOMERS, *titles) == {
            0: "name",
            1: "email",
            2: "document",
            3: "stateRegistration",
        }

    def test_names_of_the_json_are_titles_too(self) -> None:
        titles = ("name", "email", "address.zipcode", "street", "tradeName")
        assert list(paths_of(ImportKind.CUSTOMERS, *titles).values()) == [
            "name",
            "email",
            "address.zipcode",
            "address.street",
            "tradeName",
        ]

    def test_name_of_a_field_of_a_sale_s_line_is_a_title(self) -> None:
        assert paths_of(ImportKind.SALES, "sku", "customer.document") == {
            0: "products.sku",
            1: "customer.document",
        }

    def test_all_wrong_titles_are_reported_at_once_with_the_right_ones(self) -> None:
        refusal = refusal_of(ImportKind.CUSTOMERS, "Nome", "Apelido", "name", "Time")
        for part in ("“Apelido” e “Time”", "Falta a coluna: “E-mail”", "repetida: “Nome”", "CPF/CNPJ"):
            assert part in refusal

    def test_blank_title_is_ignored(self) -> None:
        positions = find_columns(COLUMNS[ImportKind.PRODUCTS], ("SKU", "", " "))
        assert positions.titled == {0}

    @pytest.mark.parametrize(
        ("kind", "export"),
        [(ImportKind.CUSTOMERS, exported.CUSTOMERS), (ImportKind.PRODUCTS, exported.PRODUCTS)],
    )
    def test_titles_of_an_exported_list_are_accepted(self, kind: ImportKind, export: Sequence[Any]) -> None:
        find_columns(COLUMNS[kind], [column.heading for column in export])

    def test_titles_that_the_file_of_refused_lines_adds_are_ignored(self) -> None:
        assert paths_of(ImportKind.PRODUCTS, "Linha", "Motivo da recusa", "SKU") == {2: "sku"}


@pytest.mark.parametrize("kind", ImportKind)
class TestColumns:
    def test_template_has_every_column_once_and_a_valid_line(self, kind: ImportKind) -> None:
        entry = only_entry(kind, template_of(kind))
        assert (entry.unreadable, entry.contradictions) == ((), ())
        validated(BODIES[kind], entry.body)
        titles = open_file(kind, template_of(kind)).table.titles
        assert list(titles) == [column.title for column in COLUMNS[kind].columns if column.is_in_template]

    def test_titles_and_paths_are_unique(self, kind: ImportKind) -> None:
        columns = COLUMNS[kind].columns
        assert len({column.title for column in columns}) == len({column.path for column in columns})
        assert len({column.path for column in columns}) == len(columns)

    def test_every_column_is_a_field_of_the_body(self, kind: ImportKind) -> None:
        unknown = {
            column.path: message
            for column in COLUMNS[kind].columns
            if "Campo desconhecido"
            in (message := errors_of(kind, entry_with(kind, column, "?")).get(column.path, ""))
        }
        assert unknown == {}

    def test_cell_that_a_column_can_not_read_is_refused_by_its_field(self, kind: ImportKind) -> None:
        """So a line with an unreadable cell is never stored."""
        entries = {column.path: entry_with(kind, column, "?") for column in COLUMNS[kind].columns}
        unreadable = {path: entry for path, entry in entries.items() if entry.unreadable}
        assert [path for path, entry in unreadable.items() if path not in errors_of(kind, entry)] == []


def test_cells_of_all_forms_are_unreadable_in_the_test_above() -> None:
    products = {column.path: column for column in COLUMNS[ImportKind.PRODUCTS].columns}
    for path in ("price", "guarantee", "type", "fiscalFollowsCompanyDefaults"):
        assert entry_with(ImportKind.PRODUCTS, products[path], "?").unreadable


def entry_with(kind: ImportKind, column: ImportColumn, cell: str) -> ImportEntry:
    """Returns the entry of the template, with another cell in a column."""
    others = [other for other in COLUMNS[kind].columns if other.example is not None and other is not column]
    titles = [other.title for other in (*others, column)]
    return only_entry(kind, csv_lines([titles, [*(other.example for other in others), cell]], None))


def errors_of(kind: ImportKind, entry: ImportEntry) -> dict[str, str]:
    """Returns the errors of the body of an entry, by their paths without indexes."""
    try:
        validated(BODIES[kind], entry.body)
    except Refusal as refusal:
        assert refusal.details is not None
        return {field["field"].replace("[0]", ""): field["error"] for field in refusal.details["fields"]}
    return {}
