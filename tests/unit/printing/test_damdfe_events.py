"""What registered events change on a DAMDFE: drivers, documents, payments, and the end of the transport."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from carimbo.fiscal.layouts.mdfe_v3.events import DriverInclusion, ManifestCancellation, PaymentChange
from carimbo.fiscal.layouts.mdfe_v3.manifest import Manifest
from carimbo.fiscal.layouts.mdfe_v3.road import Driver
from carimbo.fiscal.layouts.reading import UnreadableDocument
from carimbo.fiscal.printout import DocumentPrint, PaperSize
from carimbo.printing.registry import PdfRenderer
from pdf_reading import codes_of, text_without_breaks
from unit.printing.manifest_examples import MANIFESTS
from unit.printing.manifests import (
    ADDED_DRIVER,
    CLOSED_IN_RIO,
    LATER_LOADING,
    PAYMENT,
    PAYMENT_REGISTRATION,
    PROTOCOL,
    USUAL,
    added_invoices,
    authorized,
    event_file,
    file_of,
    invoice_key,
    with_carrier,
    with_waybills,
)
from unit.printing.paper import MANIFEST, expected_codes, printed, sheets_of, without_spaces
from unit.printing.room import room_faults

RIO, NITEROI = ("3304557", "RIO DE JANEIRO"), ("3303302", "NITEROI")
CLOSED = event_file(CLOSED_IN_RIO)
BY_TAX_OFFICE = event_file(
    CLOSED_IN_RIO, ("<tpEvento>110112", "<tpEvento>310112"), ("evEncMDFe", "evEncFiscoMDFe")
)


def pdf_of(manifest: Manifest, *events: bytes, **changes: Any) -> bytes:
    """Prints an authorized MDF-e with its registered events."""
    order = DocumentPrint("mdfe", authorized(manifest), PaperSize.A4, events=events, **changes)
    return PdfRenderer().document(order)


def text_of(manifest: Manifest, *events: bytes, **changes: Any) -> str:
    return text_without_breaks(pdf_of(manifest, *events, **changes))


def positions(text: str, parts: Sequence[str]) -> list[int]:
    return [text.index(part) for part in parts]


class TestDrivers:
    def test_added_driver_is_listed_after_the_others_and_marked(self) -> None:
        text = text_of(USUAL, event_file(ADDED_DRIVER))
        assert (
            "529.982.247-25 José da Silva 111.444.777-35"
            " Carlos Alberto Souza - incluído por evento em 15/11/2026 CIOT"
        ) in text

    def test_drivers_are_in_the_order_of_their_events(self) -> None:
        names = {15 + place: f"Motorista {letter}" for place, letter in enumerate("ABCDE")}
        drivers = {day: DriverInclusion(driver=Driver(name=names[day], cpf="11144477735")) for day in names}
        text = text_of(USUAL, *(event_file(driver, day=day) for day, driver in drivers.items()))
        marks = [f"{name} - incluído por evento em {day}/11/2026" for day, name in names.items()]
        assert positions(text, marks) == sorted(positions(text, marks))


class TestDocuments:
    def test_added_invoices_are_below_their_municipality_and_marked(self) -> None:
        text = text_of(USUAL, event_file(added_invoices((*RIO, 50), (*RIO, 51)), day=16))
        parts = (
            "DESCARGA EM RIO DE JANEIRO - RJ: 2 CT-e TIPO",
            "DESCARGA EM RIO DE JANEIRO - RJ: 2 NF-e, carregamento em CAMPINAS"
            " incluído por evento em 16/11/2026 TIPO",
            "NF-e 44.455.566/0001-83 001/000.000.050",
            "NF-e 44.455.566/0001-83 001/000.000.051",
        )
        assert positions(text, parts) == sorted(positions(text, parts))

    def test_municipality_of_added_invoices_alone_follows_the_others(self) -> None:
        event = event_file(added_invoices((*NITEROI, 60), (*RIO, 61), (*NITEROI, 62)))
        text = text_of(USUAL, event)
        parts = (
            "DESCARGA EM RIO DE JANEIRO - RJ: 2 CT-e",
            "DESCARGA EM RIO DE JANEIRO - RJ: 1 NF-e",
            "DESCARGA EM NITEROI - RJ: 2 NF-e",
            "001/000.000.060",
            "001/000.000.062",
        )
        assert positions(text, parts) == sorted(positions(text, parts))

    def test_added_invoices_count_in_the_quantity_and_a_note_says_so(self) -> None:
        own_cargo = MANIFESTS["own-cargo"]
        text = text_of(own_cargo, event_file(added_invoices((*RIO, 50), (*RIO, 51))))
        assert "QTD. NF-e 5 QTD. MDF-e" in text
        assert (
            "A quantidade de NF-e soma 3 da emissão e 2 de eventos de inclusão de documentos."
            " Peso e valor são os da emissão."
        ) in text
        assert "A quantidade de NF-e" not in text_of(own_cargo)

    def test_manifest_of_later_loading_shows_the_added_invoices_only(self) -> None:
        sao_paulo = ("3550308", "SAO PAULO")
        events = (
            event_file(added_invoices((*sao_paulo, 50)), day=15),
            event_file(added_invoices((*sao_paulo, 51)), day=16),
        )
        text = text_of(LATER_LOADING, *events)
        assert "QTD. NF-e 2" in text
        assert "Todas as NF-e foram incluídas por eventos depois da emissão. Peso e valor são" in text
        assert "Nenhum documento" not in text
        parts = (
            "DESCARGA EM SAO PAULO - SP: 1 NF-e, carregamento em CAMPINAS incluído por evento em 15/11/2026",
            "001/000.000.050",
            "DESCARGA EM SAO PAULO - SP: 1 NF-e, carregamento em CAMPINAS incluído por evento em 16/11/2026",
            "001/000.000.051",
        )
        assert positions(text, parts) == sorted(positions(text, parts))

    def test_many_added_invoices_continue_with_their_mark(self) -> None:
        event = event_file(added_invoices(*((*RIO, number) for number in range(1, 401))))
        paper = printed(MANIFEST, authorized(USUAL), events=(event,))
        text = without_spaces(paper.drawn)
        assert all(invoice_key(number) in text for number in range(1, 401))
        assert "incluído por evento em 15/11/2026 (CONTINUAÇÃO)" in sheets_of(paper)[1]
        assert room_faults(paper.pdf) == {}


class TestPayments:
    def test_registered_payment_is_marked_with_its_trip(self) -> None:
        text = text_of(USUAL, event_file(PAYMENT_REGISTRATION))
        assert "PAGAMENTO DO FRETE RESPONSÁVEL PELO PAGAMENTO" in text
        assert "Pagamento incluído por evento em 15/11/2026: viagem 2 de 4 Indústria de Peças" in text

    def test_registered_payment_follows_those_of_the_document(self) -> None:
        document = with_carrier(USUAL, payments=(replace(PAYMENT, payer_name="Primeiro Pagador Ltda"),))
        text = text_of(document, event_file(PAYMENT_REGISTRATION))
        assert text.index("Primeiro Pagador Ltda") < text.index("viagem 2 de 4 Indústria de Peças")

    def test_changed_payment_replaces_those_of_document_and_earlier_events(self) -> None:
        document = with_carrier(USUAL, payments=(replace(PAYMENT, payer_name="Primeiro Pagador Ltda"),))
        first, second = (
            PaymentChange(protocol=PROTOCOL, payments=(replace(PAYMENT, payer_name=name),))
            for name in ("Segundo Pagador Ltda", "Terceiro Pagador Ltda")
        )
        text = text_of(
            document,
            event_file(PAYMENT_REGISTRATION),
            event_file(first, day=16),
            event_file(second, day=17),
            event_file(PAYMENT_REGISTRATION, day=18),
        )
        assert (
            "ADIANTAMENTO Pagamento alterado por evento em 17/11/2026, no lugar dos anteriores"
            " Terceiro Pagador Ltda"
        ) in text
        assert "Pagamento incluído por evento em 18/11/2026: viagem 2 de 4 Indústria de Peças" in text
        assert "Primeiro" not in text
        assert "Segundo" not in text
        assert text.count("viagem 2 de 4") == 1


class TestEnd:
    def test_every_sheet_of_a_closed_document_is_marked_with_day_and_place(self) -> None:
        paper = printed(MANIFEST, file_of(with_waybills(200)), events=(CLOSED,))
        for sheet in sheets_of(paper):
            assert without_spaces(sheet).startswith("ENCERRADO")
            assert "MDF-e ENCERRADO EM 16/11/2026 - Rio de Janeiro - RJ" in sheet
        assert codes_of(paper.pdf) == expected_codes(paper.xml)

    def test_end_abroad_is_named(self) -> None:
        text = text_of(USUAL, event_file(CLOSED_IN_RIO, ("<cMun>3304557", "<cMun>9999999")))
        assert "MDF-e ENCERRADO EM 16/11/2026 - EXTERIOR" in text

    def test_closing_by_the_tax_office_has_no_place(self) -> None:
        assert "MDF-e ENCERRADO EM 15/11/2026 MODELO" in text_of(USUAL, BY_TAX_OFFICE)

    def test_closing_without_its_file_is_marked_too(self) -> None:
        text = text_of(USUAL, is_closed=True)
        assert "MDF-e ENCERRADO MODELO" in text

    def test_cancellation_prevails_over_a_closing(self) -> None:
        text = text_of(USUAL, CLOSED, is_canceled=True)
        assert "MDF-e CANCELADO MODELO" in text
        assert "ENCERRADO" not in text

    def test_other_events_change_nothing(self) -> None:
        cancellation = ManifestCancellation(protocol=PROTOCOL, reason="Viagem não iniciada por falta")
        assert pdf_of(USUAL, event_file(cancellation)) == pdf_of(USUAL)


class TestFiles:
    def test_unreadable_event_is_reported(self) -> None:
        with pytest.raises(UnreadableDocument):
            pdf_of(USUAL, b'<procEventoMDFe xmlns="http://www.portalfiscal.inf.br/mdfe"/>')
