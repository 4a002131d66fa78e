"""Notes of a DACTE that CT-e and CT-e OS share: observations, and the boxes of issuer and tax office."""

from collections.abc import Iterable, Iterator

from carimbo.fiscal.layouts.cte_v4.complement import WaybillComplement
from carimbo.fiscal.layouts.cte_v4.identification import WaybillIdentification
from carimbo.fiscal.layouts.cte_v4.service import FreightBilling
from carimbo.fiscal.layouts.cte_v4.waybill import Waybill
from carimbo.fiscal.layouts.cteos_v4.identification import OsIdentification
from carimbo.fiscal.layouts.cteos_v4.waybill import OsComplement, OsWaybill
from carimbo.printing import formats
from carimbo.printing.dacte.header import Archived
from carimbo.printing.engine.canvas import Canvas
from carimbo.printing.notes import Notes, note_box
from carimbo.printing.sheet import CONTENT


def observation_box(canvas: Canvas, texts: Iterable[str]) -> Notes:
    """Measures the observations."""
    return Notes("OBSERVAÇÕES", (note_box(canvas, "", CONTENT, texts),))


def reserved_boxes(canvas: Canvas, name: str, archived: Archived) -> Notes:
    """Collects and measures the boxes of the issuer and of the tax office."""
    half = CONTENT / 2
    boxes = (
        note_box(canvas, f"USO EXCLUSIVO DO EMISSOR DO {name}", half, _of_issuer(archived.waybill)),
        note_box(canvas, "RESERVADO AO FISCO", half, _of_authority(archived)),
    )
    return Notes("INFORMAÇÕES ADICIONAIS", boxes)


def _of_issuer(waybill: Waybill | OsWaybill) -> Iterator[str]:
    if waybill.complement:
        yield from (f"{note.name}: {note.value}" for note in waybill.complement.observations)


def _of_authority(archived: Archived) -> Iterator[str]:
    waybill = archived.waybill
    if waybill.complement:
        yield from (f"{note.name}: {note.value}" for note in waybill.complement.authority_observations)
    if waybill.taxes.authority_notes:
        yield waybill.taxes.authority_notes
    if archived.protocol and archived.protocol.notice:
        yield archived.protocol.notice


def contingency_note(about: WaybillIdentification | OsIdentification) -> Iterator[str]:
    """Yields start and reason of a contingency, if the document has them."""
    if about.contingency_started_at:
        since = formats.day_and_hour(about.contingency_started_at)
        yield f"Contingência desde {since}. {about.contingency_reason or ''}"


def characteristics_note(
    complement: WaybillComplement | OsComplement, *others: tuple[str, str | None]
) -> Iterator[str]:
    """Yields the characteristics of the service and other named values in one text, if there are any."""
    parts = (
        ("Característica do transporte", complement.transport_characteristic),
        ("Característica do serviço", complement.service_characteristic),
        ("Emissor", complement.issued_by),
        *others,
    )
    text = "; ".join(f"{name}: {value}" for name, value in parts if value)
    if text:
        yield text


def billing_notes(billing: FreightBilling) -> Iterator[str]:
    """Yields the bill, then its installments."""
    if bill := billing.bill:
        amounts = (
            ("valor original", bill.original_amount),
            ("desconto", bill.discount),
            ("valor líquido", bill.net_amount),
        )
        texts = (f"{name} R$ {formats.number(value)}" for name, value in amounts if value is not None)
        yield f"Fatura: {', '.join(filter(None, (bill.number, *texts)))}"
    for item in billing.installments:
        amount = f"R$ {formats.number(item.amount)}" if item.amount else ""
        yield f"Duplicata: {'  '.join(filter(None, (item.number, formats.day(item.due_date), amount)))}"
