"""The tables of insurance and seals."""

from collections.abc import Iterator

from carimbo.fiscal.layouts.mdfe_v3.cargo import CargoInsurance
from carimbo.fiscal.layouts.mdfe_v3.manifest import Manifest
from carimbo.fiscal.layouts.mdfe_v3.road import ManifestRoad
from carimbo.printing import formats
from carimbo.printing.engine.canvas import Canvas
from carimbo.printing.entry_table import EntryColumn, EntryTable, PrintedEntry, entry_table
from carimbo.printing.sheet import CONTENT

_SEALS = (EntryColumn("NÚMERO DO LACRE", CONTENT / 4),)
_INSURANCES = (
    EntryColumn("RESPONSÁVEL PELO SEGURO", 34),
    EntryColumn("CNPJ / CPF DO RESPONSÁVEL", 34),
    EntryColumn("SEGURADORA", CONTENT - 142),
    EntryColumn("CNPJ DA SEGURADORA", 34),
    EntryColumn("NÚMERO DA APÓLICE", 40),
)
_RESPONSIBLE = {"1": "EMITENTE", "2": "CONTRATANTE"}


def seal_tables(canvas: Canvas, manifest: Manifest) -> Iterator[EntryTable]:
    """Yields the seals of the cargo and of the vehicles by road, if there are any."""
    mode = manifest.mode.content
    of_vehicles = mode.seals if isinstance(mode, ManifestRoad) else ()
    numbers = *(seal.number for seal in of_vehicles), *(seal.number for seal in manifest.seals)
    if numbers:
        yield entry_table(canvas, "LACRES", _SEALS, (PrintedEntry((number,)) for number in numbers))


def insurance_tables(canvas: Canvas, manifest: Manifest) -> Iterator[EntryTable]:
    """Yields the insurance of the cargo, if there is any."""
    if manifest.insurance:
        yield entry_table(canvas, "SEGURO DA CARGA", _INSURANCES, map(_insurance, manifest.insurance))


def _insurance(insurance: CargoInsurance) -> PrintedEntry:
    responsible, insurer = insurance.responsible, insurance.insurer
    cells = (
        _RESPONSIBLE.get(responsible.type, responsible.type),
        formats.tax_id(responsible.cnpj, responsible.cpf),
        insurer.name if insurer else "",
        formats.tax_id(insurer.cnpj) if insurer else "",
        insurance.policy_number or "",
    )
    endorsements = ", ".join(insurance.endorsements)
    return PrintedEntry(cells, (f"Averbações: {endorsements}",) if endorsements else ())
