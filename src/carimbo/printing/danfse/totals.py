"""What the note comes to."""

from carimbo.fiscal.layouts.dps_v1.amounts import Discounts
from carimbo.fiscal.layouts.dps_v1.nfse import ArchivedServiceNote
from carimbo.printing.canvas import Canvas
from carimbo.printing.danfse.grid import Block, Cell, block
from carimbo.printing.danfse.values import money, total


def total_block(canvas: Canvas, archived: ArchivedServiceNote) -> Block:
    """Price, discounts, what is withheld, and what is left to be paid."""
    amounts, computed = archived.note.amounts, archived.issued.amounts
    discounts = amounts.discounts or Discounts()
    totals = archived.issued.ibs_cbs.totals if archived.issued.ibs_cbs else None
    reform = total(totals.ibs.amount, totals.cbs.amount) if totals else None
    return block(
        canvas,
        "VALOR TOTAL DA NFS-e",
        (
            Cell("Valor da Operação / Serviço", money(amounts.service.amount)),
            Cell("Desconto Incondicionado", money(discounts.unconditional)),
            Cell("Desconto Condicionado", money(discounts.conditional)),
        ),
        (
            Cell("Total das Retenções (ISSQN / Federais)", money(computed.withheld)),
            Cell("Valor Líquido da NFS-e", money(computed.net)),
            Cell("Total do IBS/CBS", money(reform)),
            Cell("Valor Líquido da NFS-e + IBS/CBS", money(totals.total if totals else None), is_shaded=True),
        ),
    )
