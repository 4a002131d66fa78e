"""Tables of documents that are named by their access keys."""

from collections.abc import Iterable

from carimbo.printing import formats
from carimbo.printing.engine.canvas import Canvas
from carimbo.printing.entry_table import HALF, EntryColumn, EntryTable, PrintedEntry, entry_table

KEYED = (
    EntryColumn("TIPO", 10),
    EntryColumn("CNPJ / CPF EMITENTE", 20.5),
    EntryColumn("SÉRIE / NÚMERO", 17),
    EntryColumn("CHAVE DE ACESSO", HALF - 47.5),
)
_WITH_CPF = "920", "969"
"""The series of issuers with a CPF (MOC 7.0, serie)."""


def key_table(canvas: Canvas, caption: str, name: str, keys: Iterable[str]) -> EntryTable:
    """Returns the documents of one type, by their keys."""
    return entry_table(canvas, caption, KEYED, (keyed_entry(name, key) for key in keys))


def keyed_entry(name: str, key: str, *details: str) -> PrintedEntry:
    """Returns a document whose issuer, series and number are in its key."""
    series, issuer = key[22:25], key[6:20]
    first, last = _WITH_CPF
    tax_id = formats.tax_id(issuer[3:] if first <= series <= last else issuer)
    number = f"{series}/{key[25:28]}.{key[28:31]}.{key[31:34]}"
    return PrintedEntry((name, tax_id, number, formats.key(key)), details)
