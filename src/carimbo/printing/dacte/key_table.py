"""Tables of documents that are named by their access keys."""

from collections.abc import Iterable

from carimbo.printing import formats
from carimbo.printing.dacte.document_table import (
    HALF,
    DocumentColumn,
    DocumentEntry,
    DocumentTable,
    TableRows,
)
from carimbo.printing.engine.canvas import Canvas

KEYED = (
    DocumentColumn("TIPO", 10),
    DocumentColumn("CNPJ / CPF EMITENTE", 20.5),
    DocumentColumn("SÉRIE / NÚMERO", 17),
    DocumentColumn("CHAVE DE ACESSO", HALF - 47.5),
)
_WITH_CPF = "920", "969"
"""The series of issuers with a CPF (MOC 7.0, serie)."""


def key_table(canvas: Canvas, caption: str, name: str, keys: Iterable[str]) -> DocumentTable:
    """Returns the documents of one type, by their keys."""
    rows = TableRows(canvas, KEYED)
    rows.add_entries(keyed_entry(name, key) for key in keys)
    return rows.table(caption)


def keyed_entry(name: str, key: str, *details: str) -> DocumentEntry:
    """Returns a document whose issuer, series and number are in its key."""
    series, issuer = key[22:25], key[6:20]
    first, last = _WITH_CPF
    tax_id = formats.tax_id(issuer[3:] if first <= series <= last else issuer)
    number = f"{series}/{key[25:28]}.{key[28:31]}.{key[31:34]}"
    return DocumentEntry((name, tax_id, number, formats.key(key)), details)
