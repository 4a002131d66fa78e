"""Printed NFS-e, made from two declarations with optional changes."""

from dataclasses import replace
from typing import Any

from golden import FOLDER

from carimbo.fiscal.layouts.dps_v1.service_note import ServiceNote, read_note
from unit.printing.issued_notes import file_of, issued_note
from unit.printing.paper import V2, Printed, in_production, printed

NORMAL = read_note((FOLDER / "nfse/normal.xml").read_bytes())
SIMPLES = read_note((FOLDER / "nfse/minimal.xml").read_bytes())


def paper_of(note: ServiceNote, **changes: Any) -> Printed:
    """Prints a note, optionally with other values from the authority."""
    return printed(V2, in_production(file_of(replace(issued_note(note), **changes))))


def text_on(note: ServiceNote, **changes: Any) -> str:
    """Returns the printed text of a note in one line."""
    return " ".join(paper_of(note, **changes).drawn.split())


def with_taxes(note: ServiceNote, **changes: Any) -> ServiceNote:
    """Returns the note with other taxes."""
    taxes = replace(note.amounts.taxes, **changes)
    return replace(note, amounts=replace(note.amounts, taxes=taxes))


def sheets_of(paper: Printed) -> list[str]:
    """Returns the text of each sheet, in one line."""
    return [" ".join(sheet.split()) for sheet in paper.drawn.removesuffix("\f").split("\f")]
