"""The parts of an event page that depend on the type of the event, for CT-e and CT-e OS."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from carimbo.fiscal.layouts.cte_v4.delivery import DeliveredInvoice, FailedDelivery, ProofOfDelivery
from carimbo.fiscal.layouts.cte_v4.dialect import (
    CANCELLATION,
    CORRECTION,
    DELIVERY,
    DELIVERY_CANCELLATION,
    DISAGREEMENT,
    DISAGREEMENT_CANCELLATION,
    FAILED_DELIVERY,
    FAILED_DELIVERY_CANCELLATION,
    GTV,
)
from carimbo.fiscal.layouts.cte_v4.events import CorrectedField, WaybillCorrection
from carimbo.fiscal.layouts.cte_v4.valuables import (
    CarriedSpecie,
    GuideParty,
    TransportGuide,
    TransportGuides,
)
from carimbo.fiscal.layouts.reading import read_group
from carimbo.fiscal.layouts.sefaz.archived import ArchivedEvent
from carimbo.printing import formats
from carimbo.printing.event_sheet import EventPart, EventTable, EventText, field_table
from carimbo.printing.sheet import CONTENT

_TITLES = {
    CORRECTION: "CARTA DE CORREÇÃO ELETRÔNICA",
    CANCELLATION: "CANCELAMENTO DE {name}",
    DELIVERY: "COMPROVANTE DE ENTREGA DO {name}",
    DELIVERY_CANCELLATION: "CANCELAMENTO DO COMPROVANTE DE ENTREGA DO {name}",
    FAILED_DELIVERY: "INSUCESSO NA ENTREGA DO {name}",
    FAILED_DELIVERY_CANCELLATION: "CANCELAMENTO DO INSUCESSO NA ENTREGA DO {name}",
    GTV: "INFORMAÇÕES DA GTV",
    DISAGREEMENT: "PRESTAÇÃO DO SERVIÇO EM DESACORDO",
    DISAGREEMENT_CANCELLATION: "CANCELAMENTO DA PRESTAÇÃO DO SERVIÇO EM DESACORDO",
}
_CORRECTIONS = {"GRUPO": 36.0, "CAMPO": 36.0, "ITEM": 14.0, "VALOR CORRIGIDO": CONTENT - 86}
_INVOICES = {"Nº": 14.0, "CHAVE DE ACESSO DA NF-e": CONTENT - 14}
_GUIDES = {
    "GUIA": 34.0,
    "REMETENTE": (CONTENT - 108) / 2,
    "DESTINATÁRIO": (CONTENT - 108) / 2,
    "CARGA": 40.0,
    "VEÍCULO": 34.0,
}
_SPECIES = {"1": "Cédulas", "2": "Cheques", "3": "Moedas", "4": "Outros"}
_REASONS = {
    "1": "Recebedor não encontrado",
    "2": "Recusa do recebedor",
    "3": "Endereço inexistente",
    "4": "Outros",
}


def event_title(event: ArchivedEvent, name: str) -> str:
    """Returns the title of an event of documents with a name, as `CT-e`."""
    title = _TITLES.get(event.event_type)
    return title.format(name=name) if title else event.description


def event_parts(event: ArchivedEvent) -> Iterator[EventPart]:
    """Yields the texts and tables of an event."""
    detail = event.detail
    if content := detail.part("evCCeCTe"):
        correction = read_group(WaybillCorrection, content.element)
        yield EventTable("CORREÇÕES", _CORRECTIONS, [_corrected(change) for change in correction.corrections])
        yield EventText("CONDIÇÕES DE USO", correction.conditions, 8)
    if content := detail.part("evCECTe"):
        yield from _delivery_parts(read_group(ProofOfDelivery, content.element))
    if content := detail.part("evIECTe"):
        yield from _failure_parts(read_group(FailedDelivery, content.element))
    if content := detail.part("evGTV"):
        guides = read_group(TransportGuides, content.element).guides
        yield EventTable("GUIAS DE TRANSPORTE DE VALORES", _GUIDES, [_guide(guide) for guide in guides])
    undone = (detail.text(tag) for tag in ("nProtCE", "nProtIE", "nProtEvPrestDes"))
    if protocol := next(filter(None, undone), None):
        yield EventText("PROTOCOLO DO EVENTO CANCELADO", protocol, 11)
    if reason := detail.text("xJust") or detail.text("xObs"):
        yield EventText("JUSTIFICATIVA", reason, 11)


def _delivery_parts(proof: ProofOfDelivery) -> Iterator[EventPart]:
    yield field_table(
        "ENTREGA",
        ("Data e hora da entrega", formats.day_and_hour(proof.delivered_at)),
        ("Nome de quem recebeu", proof.recipient_name),
        ("Documento de quem recebeu", proof.recipient_document),
        ("Latitude e longitude", _place(proof)),
        *_picture_rows("do comprovante", proof.image_hash, proof.hashed_at),
    )
    yield from _invoice_parts("NF-e DA ENTREGA", proof.invoices)


def _failure_parts(failure: FailedDelivery) -> Iterator[EventPart]:
    yield field_table(
        "TENTATIVA DE ENTREGA",
        ("Data e hora da tentativa", formats.day_and_hour(failure.attempted_at)),
        ("Número da tentativa", (failure.attempt or "").lstrip("0")),
        ("Motivo", _REASONS.get(failure.reason, failure.reason)),
        ("Justificativa", failure.justification or ""),
        ("Latitude e longitude", _place(failure)),
        *_picture_rows("da tentativa", failure.image_hash, failure.hashed_at),
    )
    yield from _invoice_parts("NF-e DA TENTATIVA", failure.invoices)


def _picture_rows(of: str, hashed: str | None, at: datetime | None) -> tuple[tuple[str, str], ...]:
    moment = formats.day_and_hour(at) if at else ""
    return ((f"Hash da imagem {of}", hashed or ""), ("Data e hora do hash", moment))


def _place(evidence: ProofOfDelivery | FailedDelivery) -> str:
    if evidence.latitude is None or evidence.longitude is None:
        return ""
    return f"{evidence.latitude}, {evidence.longitude}"


def _invoice_parts(title: str, invoices: Sequence[DeliveredInvoice]) -> Iterator[EventPart]:
    if invoices:
        rows = [(str(number), formats.key(nfe.access_key)) for number, nfe in enumerate(invoices, 1)]
        yield EventTable(title, _INVOICES, rows)


def _guide(guide: TransportGuide) -> tuple[str, ...]:
    """Returns the cells of a guide; each has several values."""
    series = " ".join(filter(None, (guide.series, guide.subseries)))
    vehicle = (guide.plate, guide.state, guide.rntrc and f"RNTRC {guide.rntrc}")
    return (
        _joined(
            f"nº {guide.number}-{guide.check_digit}",
            series and f"série {series}",
            f"de {formats.day(guide.issue_date)}",
            f"AIDF {guide.id}",
        ),
        _party(guide.shipper),
        _party(guide.recipient),
        _joined(f"{formats.number(guide.volumes, 0, 4)} volumes", *map(_specie, guide.species)),
        _joined(*vehicle),
    )


def _party(party: GuideParty) -> str:
    registration = party.state_registration and f"IE {party.state_registration}"
    return _joined(party.name, formats.tax_id(party.cnpj, party.cpf), registration, party.state)


def _specie(specie: CarriedSpecie) -> str:
    name = _SPECIES.get(specie.type, specie.type)
    return name if specie.amount is None else f"{name} R$ {formats.number(specie.amount)}"


def _joined(*texts: str | None) -> str:
    return ", ".join(filter(None, texts))


def _corrected(change: CorrectedField) -> tuple[str, ...]:
    item = "" if change.item_number is None else str(change.item_number)
    return change.group, change.field, item, change.value
