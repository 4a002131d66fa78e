"""The parts of a DACTE beyond the values of its document: sheets, marks, the stub, optional blocks."""

import re
from dataclasses import replace
from decimal import Decimal
from functools import partial
from pathlib import Path

import pytest
import zxingcpp

from carimbo.fiscal.layouts.cte_v4.cargo import CargoDocuments, CargoQuantity
from carimbo.fiscal.layouts.cte_v4.complement import WaybillComplement
from carimbo.fiscal.layouts.cte_v4.dialect import CTE_DIALECT
from carimbo.fiscal.layouts.cte_v4.parties import TakerByRole
from carimbo.fiscal.layouts.cte_v4.waybill import PriceComponent, Waybill
from carimbo.fiscal.layouts.sefaz.messages import authorized_document
from carimbo.fiscal.printout import DocumentPrint, PaperSize
from carimbo.printing.registry import PdfRenderer
from pdf_reading import codes_of, words_of
from unit.printing.fonts import OWN, mono_folder
from unit.printing.paper import (
    ROAD,
    example,
    expected_codes,
    printed,
    printed_example,
    sheets_of,
    without_spaces,
)
from unit.printing.pictures import page_of
from unit.printing.room import room_faults
from unit.printing.waybill_examples import WAYBILLS
from unit.printing.waybills import (
    DISPATCHER,
    RECEIVER,
    RECIPIENT,
    USUAL,
    file_of,
    key_of,
    with_identification,
    with_invoices,
    with_service,
)

HOMOLOGATION = "EMITIDO EM AMBIENTE DE HOMOLOGAÇÃO – SEM VALOR FISCAL"
PROTOCOL = (
    '<protCTe xmlns="http://www.portalfiscal.inf.br/cte" versao="4.00"><infProt><tpAmb>1</tpAmb>'
    "<verAplic>1</verAplic><chCTe>{key}</chCTe><dhRecbto>2026-11-14T10:00:07-03:00</dhRecbto>"
    "<nProt>135260000000077</nProt><cStat>100</cStat><xMotivo>Autorizado o uso do CT-e</xMotivo></infProt>"
    "{notice}</protCTe>"
)
print_waybill = partial(printed, ROAD)


def text_of(waybill: Waybill) -> str:
    """Returns the printed text of a CT-e in one line."""
    return " ".join(print_waybill(file_of(waybill)).drawn.split())


def text_of_example(name: str) -> str:
    return " ".join(printed_example(ROAD, name).drawn.split())


def authorized(waybill: Waybill, notice: str = "") -> bytes:
    protocol = PROTOCOL.format(key=waybill.id.removeprefix("CTe"), notice=notice)
    return authorized_document(CTE_DIALECT, file_of(waybill), protocol.encode())


class TestStub:
    def test_stub_has_the_declaration_the_number_and_fields_to_sign(self) -> None:
        stub, _, _ = text_of_example("usual").partition("IDENTIFICAÇÃO DO EMITENTE")
        assert stub.startswith("DECLARO QUE RECEBI OS VOLUMES DESTE CONHECIMENTO EM PERFEITO ESTADO")
        for title in ("NOME", "RG / CPF", "ASSINATURA / CARIMBO", "CHEGADA", "SAÍDA"):
            assert title in stub
        assert stub.rstrip().endswith("CT-e Nº 000.000.007 SÉRIE 001")

    def test_stub_is_on_the_first_sheet_only(self) -> None:
        first, *others = sheets_of(printed_example(ROAD, "many-invoices"))
        assert "DECLARO QUE RECEBI" in first
        assert others
        assert not any("DECLARO QUE RECEBI" in sheet for sheet in others)


class TestHeader:
    def test_every_sheet_has_its_number_the_issuer_the_key_and_both_codes(self) -> None:
        paper = printed_example(ROAD, "many-invoices")
        for number, sheet in enumerate(sheets_of(paper), 1):
            assert f"FOLHA {number}/{paper.pages}" in sheet
            assert "IDENTIFICAÇÃO DO EMITENTE Transportadora Modelo Ltda" in sheet
            assert key_of() in without_spaces(sheet)
        assert paper.pages == 2
        assert len(paper.codes) == 4

    def test_authorized_document_shows_protocol_and_moment(self) -> None:
        text = " ".join(print_waybill(authorized(USUAL)).drawn.split())
        assert "PROTOCOLO DE AUTORIZAÇÃO DE USO 135260000000077 - 14/11/2026 10:00:07" in text
        assert "PENDENTE" not in text

    def test_document_without_protocol_is_pending(self) -> None:
        assert "PROTOCOLO DE AUTORIZAÇÃO DE USO PENDENTE DE AUTORIZAÇÃO" in text_of_example("usual")

    def test_document_without_qr_code_has_its_bar_code_only(self) -> None:
        xml = re.sub(rb"<infCTeSupl>.*</infCTeSupl>", b"", example("cte", "usual"))
        assert [code.text for code in print_waybill(xml).codes] == [key_of()]

    def test_header_has_room_for_wide_letters(self, tmp_path: Path) -> None:
        waybill = with_identification(WAYBILLS["all-blocks"], environment="2", emission_type="7")
        order = DocumentPrint("cte", file_of(waybill), PaperSize.A4, is_canceled=True)
        assert room_faults(PdfRenderer(mono_folder(tmp_path)).document(order)) == {}

    def test_consult_address_and_mode_are_named(self) -> None:
        text = text_of_example("usual")
        assert "Documento Auxiliar do Conhecimento de Transporte Eletrônico" in text
        assert "portal nacional do CT-e www.cte.fazenda.gov.br/portal" in text


class TestQrCode:
    """MOC CT-e 4.00, Anexo II: at least 25 mm, with 3 mm of white around it."""

    DPI = 300

    def test_qr_code_has_the_size_and_the_quiet_zone_of_the_manual(self) -> None:
        xml = file_of(with_identification(WAYBILLS["all-blocks"], environment="2"))
        image = page_of(print_waybill(xml, is_canceled=True).pdf, self.DPI).convert("L")
        (code,) = (
            code
            for code in zxingcpp.read_barcodes(image, try_rotate=False)
            if code.format == zxingcpp.BarcodeFormat.QRCode
        )
        left, top = code.position.top_left.x, code.position.top_left.y
        right, bottom = code.position.bottom_right.x, code.position.bottom_right.y
        millimetre = self.DPI / 25.4
        assert (right - left) / millimetre == pytest.approx(25, abs=0.3)
        # Two tenths of a millimetre are left to the edge of the code, and to that of its box.
        near, far = round(0.2 * millimetre), round(2.8 * millimetre)
        zone = (
            (left - far, top - far, right + far, top - near),
            (left - far, bottom + near, right + far, bottom + far),
            (left - far, top - far, left - near, bottom + far),
            (right + near, top - far, right + far, bottom + far),
        )
        assert {image.crop(strip).getextrema() for strip in zone} == {(255, 255)}


class TestNotices:
    def test_homologation_is_announced_beside_the_protocol_and_marked_on_every_sheet(self) -> None:
        waybill = with_identification(with_invoices(60), environment="2")
        for sheet in sheets_of(print_waybill(file_of(waybill))):
            assert f"PENDENTE DE AUTORIZAÇÃO {HOMOLOGATION}" in sheet
            assert without_spaces(sheet).startswith("SEMVALORFISCAL")

    def test_production_document_has_no_mark_or_notice(self) -> None:
        text = text_of_example("usual")
        for word in ("VALOR FISCAL", "HOMOLOGAÇÃO", "CONTINGÊNCIA", "CANCELADO"):
            assert word not in text

    @pytest.mark.parametrize(("emission_type", "name"), [("7", "SVC-RS"), ("8", "SVC-SP")])
    def test_contingency_is_announced_on_the_document(self, emission_type: str, name: str) -> None:
        text = text_of(with_identification(USUAL, emission_type=emission_type))
        assert f"PENDENTE DE AUTORIZAÇÃO EMITIDO EM CONTINGÊNCIA {name}" in text

    @pytest.mark.parametrize("word", ["CANCELADO", "SUBSTITUÍDO"])
    def test_every_sheet_of_a_document_without_effect_is_marked(self, word: str) -> None:
        is_canceled = word == "CANCELADO"
        xml = example("cte", "many-invoices")
        paper = print_waybill(xml, is_canceled=is_canceled, is_replaced=not is_canceled)
        for sheet in sheets_of(paper):
            assert without_spaces(sheet).startswith(word)
            assert f"CT-e {word}" in sheet
        assert codes_of(paper.pdf) == expected_codes(paper.xml)


class TestParties:
    def test_dispatcher_and_receiver_are_left_out_if_both_are_absent(self) -> None:
        text = text_of_example("usual")
        assert "EXPEDIDOR" not in text
        assert "RECEBEDOR" not in text

    def test_box_of_an_absent_receiver_stays_beside_the_dispatcher(self) -> None:
        text = text_of_example("without-parties")
        assert "EXPEDIDOR Armazéns Gerais do Porto SA" in text
        assert "RECEBEDOR ENDEREÇO MUNICÍPIO CEP CNPJ / CPF IE PAÍS FONE" in text

    @pytest.mark.parametrize(
        ("role", "name"),
        [
            ("0", "Indústria de Peças Modelo Ltda"),
            ("1", DISPATCHER.name),
            ("2", RECEIVER.name),
            ("3", RECIPIENT.name),
        ],
    )
    def test_taker_is_the_party_of_its_role(self, role: str, name: str) -> None:
        waybill = replace(USUAL, dispatcher=DISPATCHER, receiver=RECEIVER)
        assert f"TOMADOR {name}" in text_of(with_identification(waybill, taker=TakerByRole(role=role)))

    def test_foreign_party_has_its_country(self) -> None:
        text = text_of_example("all-blocks")
        assert "RECEBEDOR Importadora del Sur SRL" in text
        assert "MUNICÍPIO EXTERIOR - EX CEP CNPJ / CPF IE PAÍS ARGENTINA" in text


class TestCargo:
    def quantities(self, *quantities: CargoQuantity) -> str:
        assert USUAL.service
        cargo = replace(USUAL.service.cargo, quantities=quantities)
        return text_of(with_service(USUAL, cargo=cargo)).partition("VALOR TOTAL DA CARGA")[2]

    def test_each_usual_measure_has_its_field(self) -> None:
        text = text_of_example("all-blocks")
        assert (
            "PESO BRUTO (KG) 1.500,400 PESO BASE DE CÁLCULO (KG) 1.600,500 PESO AFERIDO (KG) 1.498,250"
            " CUBAGEM (M3) 5,3335 VOLUMES 24 CAIXAS"
        ) in text
        assert "PALETES (UN) 2 LITRAGEM (LITROS) 33,700 PESO CUBADO (KG) 1.601,600" in text

    @pytest.mark.parametrize("measure", ["Peso base de calculo", "PESO BC", "PESO BASE DE CÁLCULO"])
    def test_base_weight_is_recognized_by_its_words(self, measure: str) -> None:
        text = self.quantities(CargoQuantity(unit="01", measure_type=measure, quantity=Decimal(12)))
        assert "PESO BASE DE CÁLCULO (KG) 12,000" in text

    def test_tons_of_another_measure_are_kilograms_too(self) -> None:
        text = self.quantities(
            CargoQuantity(unit="02", measure_type="PESO DECLARADO", quantity=Decimal("0.5"))
        )
        assert "PESO DECLARADO (KG) 500,000" in text
        assert "PESO BRUTO (KG) PESO BASE" in text


class TestPrice:
    def test_components_stand_in_columns_before_the_totals(self) -> None:
        text = text_of_example("all-blocks")
        assert "NOME PARCELA 1 VALOR 101,00 NOME PARCELA 2 VALOR 102,00" in text
        assert "PARCELA 5 105,00 PARCELA 6 106,00" in text

    def test_document_without_net_amount_has_no_field_for_it(self) -> None:
        text = text_of_example("usual")
        assert "VALOR TOTAL DO SERVIÇO 1.000,00 VALOR A RECEBER 997,50" in text
        assert "LÍQUIDO" not in text

    def test_many_components_take_as_many_rows_as_they_need(self) -> None:
        components = tuple(
            PriceComponent(name=f"COMPONENTE {number}", amount=Decimal(number)) for number in range(50)
        )
        paper = print_waybill(file_of(replace(USUAL, price=replace(USUAL.price, components=components))))
        assert room_faults(paper.pdf) == {}
        assert paper.drawn.count("COMPONENTE ") == 50


class TestTaxes:
    def test_reform_and_state_share_are_printed_only_if_the_document_has_them(self) -> None:
        with_them, without = text_of_example("all-blocks"), text_of_example("usual")
        for title in ("CST / CCLASSTRIB DO IBS E CBS", "BC DO IBS / CBS", "ICMS UF TÉRMINO"):
            assert title in with_them
            assert title not in without

    def test_reform_taxes_have_effective_rates_and_amounts(self) -> None:
        assert (
            "000 / 000001 BC DO IBS / CBS 880,00 % IBS UF 0,10 IBS UF 0,88 % IBS MUN. 0,05 IBS MUN. 0,44"
            " VALOR DO IBS 1,32 % CBS 0,36 VALOR DA CBS 3,17"
        ) in text_of_example("all-blocks")

    def test_withheld_tax_is_in_the_field_of_substitution(self) -> None:
        text = text_of_example("icms-60")
        assert "VALOR DO ICMS % RED. BC ICMS ST 120,06" in text

    def test_simples_has_no_amounts(self) -> None:
        expected = (
            "SITUAÇÃO TRIBUTÁRIA SIMPLES NACIONAL BASE DE CÁLCULO ALÍQ. ICMS VALOR DO ICMS % RED. BC ICMS ST"
        )
        assert expected in text_of_example("icms-simples")


class TestDocuments:
    def test_invoices_continue_on_the_second_sheet_in_their_order(self) -> None:
        paper = printed_example(ROAD, "many-invoices")
        first, second = sheets_of(paper)
        keys = [key_of("44455566000183", "55", number) for number in range(1, 61)]
        text = without_spaces(first + second)
        positions = [text.index(key) for key in keys]
        assert positions == sorted(positions)
        assert "DOCUMENTOS ORIGINÁRIOS TIPO" in first
        assert "DOCUMENTOS ORIGINÁRIOS (CONTINUAÇÃO) TIPO" in second

    @pytest.mark.parametrize("count", [50, 51, 52, 53, 54, 140, 400])
    def test_no_invoice_is_lost_between_sheets(self, count: int) -> None:
        paper = print_waybill(file_of(with_invoices(count)))
        assert paper.drawn.count("NF-e") == count
        assert room_faults(paper.pdf) == {}

    def test_issuer_with_a_cpf_is_read_from_the_key(self) -> None:
        assert "NF-e 529.982.247-25 920/000.000.009" in text_of_example("units-of-transport")

    def test_letters_of_a_cnpj_are_read_from_the_key(self) -> None:
        assert "NF-e 12.ABC.345/01DE-35 001/000.000.003 3526 1112 ABC3" in text_of_example("letters")

    def test_details_follow_their_document(self) -> None:
        text = text_of_example("units-of-transport")
        assert "PIN SUFRAMA 654321 Entrega prevista em 21/11/2026" in text
        assert "Rodoviário tração ABC1D23; lacres LACRE1, LACRE2; quantidade rateada 12,500" in text

    def test_documents_without_a_key_name_the_sender(self) -> None:
        text = text_of_example("other-documents")
        assert "DECLARAÇÃO - Declaração do remetente 44.455.566/0001-83 55 12/11/2026 R$ 1.234,56" in text

    def test_document_of_many_units_continues_on_other_sheets(self) -> None:
        units = WAYBILLS["units-of-transport"].service
        assert units
        assert units.documents
        invoice = units.documents.nfes[1]
        many = replace(invoice, transport_units=invoice.transport_units * 200)
        paper = print_waybill(file_of(with_service(USUAL, documents=CargoDocuments(nfes=(many,)))))
        assert paper.drawn.count("ABC1D23") == 200
        assert paper.pages > 2
        assert room_faults(paper.pdf) == {}

    def test_earlier_carriers_have_their_documents_below_their_names(self) -> None:
        text = text_of_example("all-blocks")
        start = text.index("DOCUMENTOS DE TRANSPORTE ANTERIORES")
        expected = (
            "Transportes do Litoral Ltda - CNPJ/CPF 33.000.167/0001-01 - IE 110042490114 - SP",
            "DTA (Despacho de Trânsito Aduaneiro): série 1 subsérie 2, nº 99, emissão 10/11/2026",
            "001/000.000.041",
            "001/000.000.043",
            "José da Silva - CNPJ/CPF 529.982.247-25",
            "920/000.000.005",
        )
        positions = [text.index(part, start) for part in expected]
        assert positions == sorted(positions)

    @pytest.mark.parametrize(
        ("name", "caption"),
        [
            ("complement", "CT-e COMPLEMENTADO"),
            ("substitution", "CT-e SUBSTITUÍDO"),
            ("multimodal", "CT-e MULTIMODAL"),
            ("all-blocks", "DOCUMENTOS DE TRANSPORTE ANTERIORES"),
        ],
    )
    def test_other_documents_have_a_table_only_where_they_occur(self, name: str, caption: str) -> None:
        assert f"{caption} TIPO CNPJ / CPF EMITENTE" in text_of_example(name)
        assert caption not in text_of_example("usual")

    def test_complement_has_no_cargo_and_no_mode(self) -> None:
        text = text_of_example("complement")
        for title in ("PRODUTO PREDOMINANTE", "RNTRC", "DOCUMENTOS ORIGINÁRIOS"):
            assert title not in text


class TestFoot:
    def test_law_of_road_transport_is_named(self) -> None:
        law = "ESTE CONHECIMENTO DE TRANSPORTE ATENDE À LEGISLAÇÃO DE TRANSPORTE RODOVIÁRIO EM VIGOR"
        assert law in text_of_example("usual")

    @pytest.mark.parametrize(
        ("name", "caption"),
        [
            ("air", "MODAL AÉREO"),
            ("water", "MODAL AQUAVIÁRIO"),
            ("rail", "MODAL FERROVIÁRIO"),
            ("pipeline", "MODAL DUTOVIÁRIO"),
            ("multimodal-mode", "TRANSPORTE MULTIMODAL"),
        ],
    )
    def test_block_is_that_of_the_mode(self, name: str, caption: str) -> None:
        text = text_of_example(name)
        assert f"DADOS ESPECÍFICOS DO {caption}" in text
        assert "RNTRC" not in text

    def test_optional_rows_of_a_mode_are_left_out(self) -> None:
        assert "RESPONSÁVEL PELO FATURAMENTO" not in text_of_example("rail-bare")
        assert "SEGURADORA" not in text_of_example("multimodal-mode-bare")

    def test_flow_is_printed_only_if_the_document_has_it(self) -> None:
        flow = "ORIGEM CPQ PASSAGEM SAO / VOLTA REDONDA DESTINO RIO ROTA R-12"
        assert f"PREVISÃO DO FLUXO DA CARGA {flow}" in text_of_example("all-blocks")
        assert "FLUXO" not in text_of_example("usual")

    @pytest.mark.parametrize(
        ("name", "forecast"),
        [
            ("all-blocks", "ATÉ 20/11/2026, A PARTIR DAS 08:30:00"),
            ("period-of-delivery", "DE 20/11/2026 A 25/11/2026, DAS 08:00:00 ÀS 18:00:00"),
            ("undated-delivery", "SEM DATA DEFINIDA, SEM HORA DEFINIDA"),
            ("usual", "ESTE CONHECIMENTO"),
        ],
    )
    def test_delivery_forecast_is_in_words(self, name: str, forecast: str) -> None:
        assert f"PREVISÃO DE ENTREGA {forecast}" in text_of_example(name)

    def test_boxes_of_issuer_and_tax_office_are_apart(self) -> None:
        text = text_of_example("all-blocks")
        assert "USO EXCLUSIVO DO EMISSOR DO CT-e Pedido: 4500012345 RESERVADO AO FISCO Lei: Lei da" in text

    def test_message_of_the_authority_is_in_the_box_of_the_tax_office(self) -> None:
        notice = "<infFisco><cMsg>1</cMsg><xMsg>Regularize sua situação cadastral</xMsg></infFisco>"
        text = " ".join(print_waybill(authorized(USUAL, notice)).drawn.split())
        assert "RESERVADO AO FISCO Regularize sua situação cadastral" in text

    def test_long_observations_continue_on_the_next_sheet(self) -> None:
        notes = " ".join(f"observação {number}" for number in range(1, 125))
        paper = print_waybill(file_of(replace(USUAL, complement=WaybillComplement(notes=f"{notes} fim"))))
        assert paper.pages == 1
        waybill = replace(
            WAYBILLS["all-blocks"],
            taxes=replace(USUAL.taxes, authority_notes=notes),
            complement=WaybillComplement(notes=notes),
        )
        first, *others = sheets_of(print_waybill(file_of(waybill)))
        assert "INFORMAÇÕES ADICIONAIS (CONTINUAÇÃO)" in others[-1]
        assert first.count("observação 1 ") == 2
        assert others[-1].endswith("observação 124")


class TestLetters:
    @pytest.mark.parametrize("name", ["all-blocks", "many-invoices"])
    def test_letters_are_no_smaller_than_those_of_titles(self, name: str) -> None:
        shape = OWN.regular.font.shape
        words = words_of(printed_example(ROAD, name).pdf)
        sizes = {(word.y1 - word.y0) * 1000 / (shape.ascent - shape.descent) for word in words}
        assert min(sizes) == pytest.approx(5, abs=0.01)
