"""The parts of a DANFE beyond the values of its document: sheets, marks, the stub, its layouts."""

import re
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from carimbo.fiscal.calendar import CALENDAR, DatedRule
from carimbo.fiscal.layouts.nfe_v4.invoice import read_invoice
from carimbo.fiscal.printout import DocumentPrint, PaperSize
from carimbo.fiscal.tables.table import use_tables_of
from carimbo.printing.danfe.items import item_table
from carimbo.printing.engine.canvas import Canvas
from carimbo.printing.registry import PdfRenderer
from nfe_answers import alone, note_protocol
from nfe_dialect import authorized_invoice
from pdf_reading import codes_of, words_of
from unit.printing.extremes import with_items
from unit.printing.fonts import OWN, mono_folder
from unit.printing.paper import (
    MOC,
    NT,
    Layout,
    Printed,
    example,
    expected_codes,
    in_production,
    printed,
    printed_example,
    without_spaces,
)
from unit.printing.room import room_faults

LAST_MOMENT_OF_MOC = b"2026-11-30T23:59:59-03:00"
FIRST_MOMENT_OF_NT = b"2026-12-01T00:00:00-03:00"
REFORM = "TOTAL DO IBS / CBS / IS"
both_layouts = pytest.mark.parametrize("layout", [MOC, NT], ids=lambda layout: layout.name)


def sheets_of(paper: Printed) -> list[str]:
    """Returns the text of each sheet."""
    return paper.drawn.removesuffix("\f").split("\f")


def stub_of(paper: Printed) -> str:
    """Returns the text of the stub, which comes before the issuer."""
    stub, _, _ = paper.drawn.partition("IDENTIFICAÇÃO DO EMITENTE")
    return " ".join(stub.split())


class TestStub:
    @both_layouts
    def test_stub_names_issuer_recipient_goods_and_total(self, layout: Layout) -> None:
        stub = stub_of(printed(layout, in_production(example("nfe", "road-freight"))))
        assert stub.startswith("RECEBEMOS DE Indústria Modelo Ltda OS PRODUTOS")
        assert "VALOR TOTAL: R$ 1.100,00" in stub
        assert "DESTINATÁRIO: NF-E EMITIDA EM AMBIENTE DE HOMOLOGACAO - SEM VALOR FISCAL" in stub
        assert "Rua Barão de Jaguara, 901, Centro, Campinas - SP" in stub

    def test_stub_shows_issue_date_and_number(self) -> None:
        stub = stub_of(printed_example(MOC, "road-freight"))
        assert "EMISSÃO: 14/11/2026" in stub
        assert stub.endswith("NF-e Nº 000.000.017 SÉRIE 001")

    def test_stub_has_fields_for_date_and_signature(self) -> None:
        stub = stub_of(printed_example(MOC, "road-freight"))
        assert "DATA DE RECEBIMENTO IDENTIFICAÇÃO E ASSINATURA DO RECEBEDOR" in stub

    def test_stub_names_the_country_of_a_foreign_buyer(self) -> None:
        stub = stub_of(printed_example(MOC, "export"))
        assert "Beacon Street, 210, Back Bay, EXTERIOR - ESTADOS UNIDOS - EX" in stub

    @both_layouts
    def test_stub_is_on_the_first_sheet_only(self, layout: Layout) -> None:
        first, *others = sheets_of(printed_example(layout, "fifty-items"))
        assert "RECEBEMOS DE" in first
        assert others
        assert not any("RECEBEMOS DE" in sheet for sheet in others)


class TestHead:
    @both_layouts
    def test_head_has_room_for_wide_letters(self, layout: Layout, tmp_path: Path) -> None:
        xml = layout.dated(example("nfe", "letters-normal"))
        order = DocumentPrint("nfe", xml, PaperSize.A4, is_canceled=True)
        pdf = PdfRenderer(mono_folder(tmp_path)).document(order)
        assert room_faults(pdf) == {}
        last = next(word for word in words_of(pdf) if word.text == "Autorizadora")
        below = next(word for word in words_of(pdf) if word.text == "PROTOCOLO")
        assert last.y1 < below.y0 + 2


class TestSheets:
    @both_layouts
    def test_every_sheet_has_its_number_the_issuer_and_the_key(self, layout: Layout) -> None:
        paper = printed_example(layout, "fifty-items")
        for number, sheet in enumerate(sheets_of(paper), 1):
            assert f"FOLHA {number}/{paper.pages}" in sheet
            assert "IDENTIFICAÇÃO DO EMITENTE" in sheet
            assert expected_codes(paper.xml).pop() in without_spaces(sheet)

    @both_layouts
    def test_every_sheet_with_items_has_column_titles(self, layout: Layout) -> None:
        for sheet in sheets_of(printed_example(layout, "fifty-items")):
            assert "DESCRIÇÃO DO PRODUTO / SERVIÇO" in sheet

    @both_layouts
    def test_lines_of_an_item_stay_together(self, layout: Layout) -> None:
        paper = printed(layout, in_production(with_items("nfe", "medicine", 80)))
        assert paper.pages > 2
        for sheet in sheets_of(paper):
            assert sheet.count("Lote") == 2 * sheet.count("ANVISA")

    def test_lines_of_the_first_item_stay_together(self) -> None:
        invoice = read_invoice(example("nfe", "road-freight"))
        table = item_table(Canvas(OWN, ""), invoice, is_reform=True)
        tenths = range(round(10 * table.height) + 2)
        fitting = [(tenth / 10 >= table.height, table.split(tenth / 10)) for tenth in tenths]
        assert all(cut == ((table, None) if fits else (None, table)) for fits, cut in fitting)
        assert {fits for fits, _ in fitting} == {True, False}

    @both_layouts
    def test_item_longer_than_a_sheet_is_broken(self, layout: Layout) -> None:
        batches = re.search(rb"<rastro>.*</rastro>", example("nfe", "medicine"))
        assert batches
        xml = example("nfe", "medicine").replace(batches[0], batches[0] * 150)
        paper = printed(layout, in_production(xml))
        assert paper.pages > 1
        assert paper.drawn.count("Lote") == 300


class TestNotes:
    @both_layouts
    def test_notes_without_room_continue_on_the_next_sheet(self, layout: Layout) -> None:
        notes = " ".join(f"observação {number}" for number in range(1, 360))
        xml = example("nfe", "minimal").replace(b"<infCpl>", f"<infCpl>{notes} ".encode())
        paper = printed(layout, in_production(xml))
        first, *others = sheets_of(paper)
        assert "DADOS ADICIONAIS (CONTINUAÇÃO)" in others[0]
        assert "observação 359" not in " ".join(first.split())
        assert "observação 359" in " ".join(others[-1].split())

    def test_notes_include_the_message_of_the_authority(self) -> None:
        alerts = "<cMsg>1</cMsg><xMsg>Regularize sua situação cadastral</xMsg>"
        protocol = alone(note_protocol("100", "Autorizado o uso da NF-e", alerts=alerts))
        paper = printed(MOC, authorized_invoice(example("nfe", "minimal"), protocol))
        assert "Regularize sua situação cadastral" in " ".join(paper.drawn.split())

    def test_notes_say_that_a_document_was_issued_in_contingency(self) -> None:
        text = " ".join(printed_example(MOC, "contingency-svc").drawn.split())
        assert "EMITIDA EM CONTINGÊNCIA" in text
        assert "desde 14/11/2026 09:50:00" in text


class TestMarks:
    @both_layouts
    def test_every_sheet_is_marked_as_without_fiscal_value_in_homologation(self, layout: Layout) -> None:
        for sheet in sheets_of(printed_example(layout, "fifty-items")):
            assert without_spaces(sheet).startswith("SEMVALORFISCAL")

    @both_layouts
    def test_production_document_has_no_mark(self, layout: Layout) -> None:
        xml = in_production(example("nfe", "fifty-items")).replace(b"SEM VALOR FISCAL", b"")
        assert "VALOR FISCAL" not in printed(layout, xml).drawn

    @both_layouts
    def test_every_sheet_of_a_canceled_document_is_marked(self, layout: Layout) -> None:
        xml = in_production(example("nfe", "fifty-items"))
        for sheet in sheets_of(printed(layout, xml, is_canceled=True)):
            assert without_spaces(sheet).startswith("CANCELADA")
            assert "NF-e CANCELADA" in sheet
        assert "CANCELADA" not in printed(layout, xml).drawn

    def test_marks_do_not_cover_the_bar_codes(self) -> None:
        paper = printed(NT, example("nfe", "fifty-items"), is_canceled=True)
        assert codes_of(paper.pdf) == expected_codes(paper.xml)


class TestLayout:
    @pytest.mark.parametrize(
        ("issued_at", "is_reform"), [(LAST_MOMENT_OF_MOC, False), (FIRST_MOMENT_OF_NT, True)]
    )
    def test_layout_follows_the_issue_date(self, issued_at: bytes, is_reform: bool) -> None:
        text = printed(MOC._replace(issued_at=issued_at), example("nfe", "normal-sale")).drawn
        assert (REFORM in text) is is_reform
        assert ("CÁLCULO DO IMPOSTO" in text) is not is_reform

    def test_layout_changes_on_the_day_of_the_operators_calendar(self, tmp_path: Path) -> None:
        moved = replace(CALENDAR[DatedRule.DANFE_SHOWS_IBS_CBS], since=date(2026, 12, 2))
        rows = [*CALENDAR.values(), moved]
        text = CALENDAR.text_of("Aviso", date(2026, 12, 1), {row.name: row for row in rows}.values())
        (tmp_path / "calendar.csv").write_text(text, encoding="utf-8")
        use_tables_of(tmp_path)
        try:
            paper = printed(MOC._replace(issued_at=FIRST_MOMENT_OF_NT), example("nfe", "normal-sale"))
        finally:
            use_tables_of(None)
        assert REFORM not in paper.drawn

    def test_document_without_reform_taxes_has_no_reform_block(self) -> None:
        assert REFORM not in printed_example(NT, "minimal").drawn

    @both_layouts
    @pytest.mark.parametrize(
        "caption",
        ["FATURA", "DUPLICATAS", "CÁLCULO DO ISSQN", "LOCAL DE RETIRADA", "LOCAL DE ENTREGA"],
    )
    def test_unneeded_block_is_left_out(self, caption: str, layout: Layout) -> None:
        assert caption not in printed_example(layout, "minimal").drawn

    @both_layouts
    def test_foreign_document_with_services_has_an_issqn_block(self, layout: Layout) -> None:
        services = b"</ICMSTot><ISSQNtot><vServ>150.00</vServ><vBC>140.00</vBC><vISS>7.00</vISS></ISSQNtot>"
        xml = example("nfe", "normal-sale").replace(b"</ICMSTot>", services)
        text = without_spaces(printed(layout, xml).drawn)
        assert "CÁLCULODOISSQNINSCRIÇÃOMUNICIPAL1234567VALORTOTALDOSSERVIÇOS150,00" in text
        assert "BASEDECÁLCULODOISSQN140,00VALORDOISSQN7,00" in text


class TestTransport:
    @both_layouts
    def test_transport_block_keeps_all_rows_without_transport(self, layout: Layout) -> None:
        text = " ".join(printed_example(layout, "minimal").drawn.split())
        _, _, block = text.partition("TRANSPORTADOR / VOLUMES TRANSPORTADOS ")
        assert block.startswith(
            "NOME / RAZÃO SOCIAL FRETE POR CONTA 9 - Sem transporte CÓDIGO ANTT PLACA DO VEÍCULO UF"
            " CNPJ / CPF"
            " ENDEREÇO MUNICÍPIO UF INSCRIÇÃO ESTADUAL"
            " QUANTIDADE ESPÉCIE MARCA NUMERAÇÃO PESO BRUTO PESO LÍQUIDO DADOS DOS PRODUTOS / SERVIÇOS"
        )


class TestPendingDocument:
    def test_pending_document_says_so_in_place_of_its_protocol(self) -> None:
        text = printed_example(MOC, "minimal").drawn
        assert "PROTOCOLO DE AUTORIZAÇÃO DE USO\nPENDENTE DE AUTORIZAÇÃO" in text


class TestLetters:
    @both_layouts
    def test_letters_are_no_smaller_than_the_manual_allows(self, layout: Layout) -> None:
        """MOC 7.0, Anexo II, 3.7: titles have five points, and no text is smaller."""
        shape = OWN.regular.font.shape
        words = words_of(printed_example(layout, "road-freight").pdf)
        sizes = {(word.y1 - word.y0) * 1000 / (shape.ascent - shape.descent) for word in words}
        assert min(sizes) == pytest.approx(5, abs=0.01)
