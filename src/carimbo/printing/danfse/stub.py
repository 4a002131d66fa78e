"""The strip at the foot that the taker signs (NT 008, nota 11)."""

from dataclasses import dataclass

from carimbo.fiscal.layouts.dps_v1.nfse import ArchivedServiceNote
from carimbo.printing.canvas import Canvas
from carimbo.printing.danfse.grid import LEFT, Cell, Row, divide, row
from carimbo.printing.danfse.values import joined


@dataclass(frozen=True, slots=True)
class Stub:
    """Places for a date and a signature, and the note that they are about."""

    row: Row

    @property
    def height(self) -> float:
        return self.row.height

    def draw(self, canvas: Canvas, y: float) -> None:
        """Draw it with its upper edge at y."""
        divide(canvas, y)
        self.row.draw(canvas, LEFT, y)


def stub_of(canvas: Canvas, archived: ArchivedServiceNote) -> Stub:
    """Measure what is signed."""
    number = joined(str(archived.issued.number), archived.access_key)
    cells = (
        Cell("Data Cientificação", ""),
        Cell("Identificação e Assinatura", ""),
        Cell("Nº NFS-e / Chave NFS-e", number, 2),
    )
    return Stub(row(canvas, *cells))
