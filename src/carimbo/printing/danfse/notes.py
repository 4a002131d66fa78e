"""What a note tells in words besides its service, and the approximate taxes (NT 008, 2.4.5)."""

from collections.abc import Iterator

from carimbo.fiscal.layouts.dps_v1.nfse import ArchivedServiceNote
from carimbo.fiscal.layouts.dps_v1.service import AdditionalInformation
from carimbo.fiscal.layouts.dps_v1.service_note import ServiceNote
from carimbo.fiscal.layouts.dps_v1.taxes import TotalTaxes
from carimbo.printing.canvas import Canvas
from carimbo.printing.danfse.texts import Text, text
from carimbo.printing.danfse.values import ABSENT, money, percent

_APPROXIMATE = "Totais Aproximados dos Tributos cfe. Lei nº 12.741/2012: "
_LEVELS = "Federais: {}; Estaduais: {}; Municipais: {}"


def notes_text(canvas: Canvas, archived: ArchivedServiceNote, size: float) -> Text:
    """Everything that has a name in this box, each if it is there; the line of taxes always."""
    told = " | ".join(f"{name}: {value}" for name, value in _named(archived) if value)
    lines = filter(None, (told, _APPROXIMATE + _taxes(archived.note.amounts.taxes.total)))
    return text(canvas, "INFORMAÇÕES COMPLEMENTARES", "\n".join(lines), size)


def _named(archived: ArchivedServiceNote) -> Iterator[tuple[str, str | None]]:
    note, service = archived.note, archived.note.service
    additional = service.additional or AdditionalInformation()
    yield "Inf. Cont.", additional.notes
    yield "NFS-e Subst.", note.substitution.access_key if note.substitution else None
    yield "Doc. Ref.", additional.referenced_document
    yield "Cod. Obra", service.construction.work_code if service.construction else None
    yield "Insc. Imob.", _properties(note)
    yield "Cod. Evt.", service.event.identifier if service.event else None
    yield "Doc. Tec.", additional.technical_document
    yield "Núm. Ped.", additional.purchase_order
    yield "Item Ped.", ", ".join(additional.order_items.items) if additional.order_items else None
    yield "Inf. A. T. Mun.", archived.issued.city_notes


def _properties(note: ServiceNote) -> str:
    places = note.service.construction, note.ibs_cbs.property if note.ibs_cbs else None
    return ", ".join(one.property_registration for one in places if one and one.property_registration)


def _taxes(total: TotalTaxes) -> str:
    if total.simples_rate is not None:
        return f"Simples Nacional: {percent(total.simples_rate)}"
    if amounts := total.amounts:
        return _LEVELS.format(money(amounts.federal), money(amounts.state), money(amounts.city))
    if rates := total.rates:
        return _LEVELS.format(percent(rates.federal), percent(rates.state), percent(rates.city))
    return _LEVELS.format(ABSENT, ABSENT, ABSENT)
