"""The parts of a DACTE OS beyond the values of its document: sheets, marks, optional blocks."""

import re
from dataclasses import replace
from decimal import Decimal
from functools import partial
from pathlib import Path

import pytest

from carimbo.fiscal.layouts.cteos_v4.archived import read_archived_os_waybill
from carimbo.fiscal.layouts.cteos_v4.dialect import CTE_OS_DIALECT
from carimbo.fiscal.layouts.cteos_v4.parties import OsTaker
from carimbo.fiscal.layouts.cteos_v4.road import Charter, OsRoad, Vehicle
from carimbo.fiscal.layouts.cteos_v4.service import GtveComponent, OsMode, TripInsurance
from carimbo.fiscal.layouts.cteos_v4.taxes import OsFederalTaxes
from carimbo.fiscal.layouts.cteos_v4.waybill import OsWaybill
from carimbo.fiscal.layouts.reading import UnreadableDocument
from carimbo.fiscal.layouts.sefaz.messages import authorized_document
from carimbo.fiscal.printout import DocumentPrint, PaperSize
from carimbo.printing.dacte_os.page import draw_dacte_os
from carimbo.printing.engine.typeface import typeface_of
from pdf_reading import codes_of, words_of
from unit.printing.fonts import OWN, mono_folder
from unit.printing.os_waybills import (
    BAGGAGE,
    OS_WAYBILLS,
    PASSENGERS,
    STATE_REGISTRATION,
    TAF,
    VALUABLES,
    electronic_ticket,
    guide,
    os_key,
    paper_ticket,
    with_identification,
    with_service,
    with_taxes,
    with_tickets,
)
from unit.printing.paper import (
    OTHER_SERVICES,
    example,
    expected_codes,
    printed,
    printed_example,
    sheets_of,
    without_spaces,
)
from unit.printing.room import room_faults
from unit.printing.waybills import RECEIVER, file_of, key_of

HOMOLOGATION = "EMITIDO EM AMBIENTE DE HOMOLOGAÇÃO – SEM VALOR FISCAL"
PROTOCOL = (
    '<protCTe xmlns="http://www.portalfiscal.inf.br/cte" versao="4.00"><infProt><tpAmb>1</tpAmb>'
    "<verAplic>1</verAplic><chCTe>{key}</chCTe><dhRecbto>2026-11-14T10:00:47-03:00</dhRecbto>"
    "<nProt>135260000000078</nProt><cStat>100</cStat><xMotivo>Autorizado o uso do CT-e OS</xMotivo></infProt>"
    "<infFisco><cMsg>1</cMsg><xMsg>Regularize sua situação cadastral</xMsg></infFisco></protCTe>"
)
AUTHORIZED = authorized_document(CTE_OS_DIALECT, file_of(PASSENGERS), PROTOCOL.format(key=os_key()).encode())
print_waybill = partial(printed, OTHER_SERVICES)


def text_of(waybill: OsWaybill) -> str:
    """Returns the printed text of a CT-e OS in one line."""
    return " ".join(print_waybill(file_of(waybill)).drawn.split())


def text_of_example(name: str) -> str:
    return " ".join(printed_example(OTHER_SERVICES, name).drawn.split())


def by_road(road: OsRoad) -> str:
    """Returns the printed text of passengers in another vehicle."""
    return text_of(with_service(PASSENGERS, mode=OsMode(mode=road)))


class TestArchive:
    def test_authorized_file_has_document_protocol_and_qr_code(self) -> None:
        archived = read_archived_os_waybill(AUTHORIZED)
        assert AUTHORIZED.startswith(b"<cteOSProc ")
        assert archived.waybill == PASSENGERS
        assert archived.access_key == os_key()
        assert archived.protocol
        assert archived.protocol.number == "135260000000078"
        assert archived.protocol.notice == "Regularize sua situação cadastral"
        assert archived.qr_code in expected_codes(example("cteOs", "passengers"))

    def test_file_without_a_waybill_is_unreadable(self) -> None:
        with pytest.raises(UnreadableDocument):
            read_archived_os_waybill(b'<CTeOS xmlns="http://www.portalfiscal.inf.br/cte"/>')


class TestHeader:
    def test_header_names_document_mode_type_and_service(self) -> None:
        text = text_of_example("passengers")
        assert (
            "DACTE OS Documento Auxiliar do Conhecimento de Transporte Eletrônico para Outros Serviços"
            " MODAL RODOVIÁRIO"
        ) in text
        assert (
            "MODELO 67 SÉRIE 001 NÚMERO 000.000.007 FOLHA 1/1 DATA E HORA DA EMISSÃO 14/11/2026 10:00:41"
            in text
        )
        assert "TIPO DO CT-e NORMAL TIPO DO SERVIÇO TRANSPORTE DE PESSOAS CFOP - NATUREZA" in text

    def test_fields_of_cargo_are_absent(self) -> None:
        text = text_of_example("all-blocks")
        for title in ("SUFRAMA", "GLOBALIZADO", "TOMADOR DO SERVIÇO", "REMETENTE", "RNTRC", "VOLUMES"):
            assert title not in text

    def test_every_sheet_has_its_number_the_issuer_the_key_and_both_codes(self) -> None:
        paper = printed_example(OTHER_SERVICES, "many-tickets")
        for number, sheet in enumerate(sheets_of(paper), 1):
            assert f"FOLHA {number}/{paper.pages}" in sheet
            assert "IDENTIFICAÇÃO DO EMITENTE Viação Modelo Turismo Ltda" in sheet
            assert os_key() in without_spaces(sheet)
        assert paper.pages == 3
        assert len(paper.codes) == 6

    def test_authorized_document_shows_protocol_moment_and_notice(self) -> None:
        text = " ".join(print_waybill(AUTHORIZED).drawn.split())
        assert "PROTOCOLO DE AUTORIZAÇÃO DE USO 135260000000078 - 14/11/2026 10:00:47" in text
        assert "RESERVADO AO FISCO Regularize sua situação cadastral" in text

    def test_header_has_room_for_wide_letters(self, tmp_path: Path) -> None:
        waybill = with_identification(OS_WAYBILLS["all-blocks"], environment="2", emission_type="7")
        order = DocumentPrint("cteOs", file_of(waybill), PaperSize.A4, is_canceled=True)
        assert room_faults(draw_dacte_os(typeface_of(mono_folder(tmp_path)), order)) == {}

    def test_stub_declares_that_the_service_was_done(self) -> None:
        stub, _, _ = text_of_example("passengers").partition("IDENTIFICAÇÃO DO EMITENTE")
        assert stub.startswith("DECLARO QUE O SERVIÇO DESTE CONHECIMENTO FOI PRESTADO")
        assert stub.rstrip().endswith("CT-e OS Nº 000.000.007 SÉRIE 001")


class TestNotices:
    def test_homologation_is_announced_and_marked_on_every_sheet(self) -> None:
        waybill = with_identification(with_tickets(300), environment="2")
        for sheet in sheets_of(print_waybill(file_of(waybill))):
            assert f"PENDENTE DE AUTORIZAÇÃO {HOMOLOGATION}" in sheet
            assert without_spaces(sheet).startswith("SEMVALORFISCAL")

    def test_contingency_is_announced_with_its_start_and_reason(self) -> None:
        text = text_of_example("svc")
        assert "PENDENTE DE AUTORIZAÇÃO EMITIDO EM CONTINGÊNCIA SVC-SP" in text
        assert "OBSERVAÇÕES Contingência desde 14/11/2026 10:00:41. Autorizador fora do ar" in text

    @pytest.mark.parametrize("word", ["CANCELADO", "SUBSTITUÍDO"])
    def test_every_sheet_of_a_document_without_effect_is_marked(self, word: str) -> None:
        is_canceled = word == "CANCELADO"
        xml = example("cteOs", "many-tickets")
        paper = print_waybill(xml, is_canceled=is_canceled, is_replaced=not is_canceled)
        for sheet in sheets_of(paper):
            assert without_spaces(sheet).startswith(word)
            assert f"CT-e OS {word}" in sheet
        assert codes_of(paper.pdf) == expected_codes(paper.xml)


class TestService:
    def test_route_names_start_states_between_and_end(self) -> None:
        assert (
            "INÍCIO DA PRESTAÇÃO SP - São Paulo PERCURSO DO VEÍCULO (UF) MG / GO / TO / MA / PI / CE"
            " TÉRMINO DA PRESTAÇÃO BA - Porto Seguro"
        ) in text_of_example("route-of-many-states")

    def test_fields_of_an_absent_route_are_empty(self) -> None:
        expected = "INÍCIO DA PRESTAÇÃO PERCURSO DO VEÍCULO (UF) TÉRMINO DA PRESTAÇÃO TOMADOR"
        assert expected in text_of_example("valuables")

    def test_box_of_an_absent_taker_is_empty(self) -> None:
        assert "TOMADOR MUNICÍPIO CEP ENDEREÇO CNPJ / CPF IE PAÍS FONE" in text_of_example("excess-baggage")

    def test_foreign_taker_has_its_country(self) -> None:
        taker = OsTaker(cnpj="", name="Turismo del Sur SRL", address=RECEIVER.address)
        text = text_of(replace(PASSENGERS, taker=taker))
        assert "TOMADOR Turismo del Sur SRL MUNICÍPIO EXTERIOR - EX" in text
        assert "CNPJ / CPF IE PAÍS ARGENTINA" in text

    def test_description_has_its_quantity(self) -> None:
        expected = "DESCRIÇÃO DO SERVIÇO PRESTADO Fretamento eventual de ônibus QUANTIDADE 46"
        assert expected in text_of_example("passengers")

    def test_complement_has_no_service_but_the_complemented_keys(self) -> None:
        text = text_of_example("complement")
        for title in ("DESCRIÇÃO DO SERVIÇO", "SEGURO", "MODAL RODOVIÁRIO TAF", "REFERENCIADOS"):
            assert title not in text
        assert "CT-e OS COMPLEMENTADO" in text
        for number in ("001/000.000.003", "001/000.000.004"):
            assert f"CT-e OS 11.222.333/0001-81 {number}" in text


class TestTaxes:
    def test_federal_taxes_are_printed_only_if_the_document_has_them(self) -> None:
        assert (
            "VALOR DO PIS 55,25 VALOR DA COFINS 255,01 VALOR DO IR 85,02 VALOR DO INSS 0,00"
            " VALOR DA CSLL 85,03"
        ) in text_of_example("passengers")
        assert "VALOR DO PIS" not in text_of(with_taxes(PASSENGERS, federal_taxes=None))

    def test_federal_tax_that_the_document_lacks_is_not_printed_as_zero(self) -> None:
        text = text_of(with_taxes(PASSENGERS, federal_taxes=OsFederalTaxes(inss=Decimal(77))))
        expected = "VALOR DO PIS VALOR DA COFINS VALOR DO IR VALOR DO INSS 77,00 VALOR DA CSLL INFORMAÇÕES"
        assert expected in text

    def test_icms_has_no_field_of_substitution(self) -> None:
        text = text_of_example("icms-20")
        assert "BASE DE CÁLCULO 800,01 ALÍQ. ICMS 12,00 VALOR DO ICMS 96,02 % RED. BC 20,00" in text
        assert "ICMS ST" not in text


class TestRoad:
    def test_registration_vehicle_and_charter_are_in_one_row(self) -> None:
        assert (
            f"TAF / Nº DE REGISTRO ESTADUAL {TAF} PLACA DO VEÍCULO ABC1D23 UF SP"
            " RENAVAM DO VEÍCULO 12345678901 CNPJ / CPF DO PROPRIETÁRIO TIPO DE FRETAMENTO EVENTUAL"
            " DATA E HORA DA VIAGEM 04/12/2026 10:00:41"
        ) in text_of_example("passengers")

    def test_owner_of_the_vehicle_has_a_row(self) -> None:
        text = text_of_example("all-blocks")
        assert "CNPJ / CPF DO PROPRIETÁRIO 529.982.247-25 TIPO DE FRETAMENTO CONTÍNUO" in text
        assert (
            "PROPRIETÁRIO DO VEÍCULO José da Silva Transportes IE 110042490114 UF MG"
            " TAF / Nº DE REGISTRO ESTADUAL 210987654321 TIPO DO PROPRIETÁRIO TAC INDEPENDENTE"
        ) in text
        assert "PROPRIETÁRIO DO VEÍCULO" not in text_of_example("passengers")

    def test_vehicle_with_its_plate_alone_is_printed(self) -> None:
        text = by_road(OsRoad(state_agency_registration=STATE_REGISTRATION, vehicle=Vehicle(plate="ABC1D23")))
        assert f"{STATE_REGISTRATION} PLACA DO VEÍCULO ABC1D23 UF RENAVAM" in text

    def test_unknown_codes_are_printed_as_they_are(self) -> None:
        text = by_road(OsRoad(taf=TAF, charter=Charter(type="9")))
        assert "TIPO DE FRETAMENTO 9 DATA E HORA DA VIAGEM INFORMAÇÕES ADICIONAIS" in text

    @pytest.mark.parametrize("name", ["valuables", "valuables-by-air"])
    def test_service_without_road_data_has_no_block_for_it(self, name: str) -> None:
        assert "DADOS ESPECÍFICOS" not in text_of_example(name)


class TestInsurance:
    def test_insurance_names_responsible_insurer_and_policy(self) -> None:
        text = text_of_example("all-blocks")
        assert "INFORMAÇÕES DO SEGURO DA VIAGEM RESPONSÁVEL SEGURADORA NÚMERO DA APÓLICE" in text
        assert (
            "EMITENTE Seguradora Nacional SA AP-778899 TOMADOR TOMADOR Mútua dos Viajantes 00012345" in text
        )

    def test_document_without_insurance_has_no_table_for_it(self) -> None:
        assert "SEGURO" not in text_of_example("valuables")

    def test_many_insurances_continue_on_the_next_sheet(self) -> None:
        insurance = tuple(
            TripInsurance(responsible="4", insurer_name="Seguradora", policy_number=f"apolice-{number}")
            for number in range(100)
        )
        paper = print_waybill(file_of(with_service(PASSENGERS, insurance=insurance)))
        assert paper.drawn.count("apolice-") == 100
        assert room_faults(paper.pdf) == {}
        assert "INFORMAÇÕES DO SEGURO DA VIAGEM (CONTINUAÇÃO)" in sheets_of(paper)[1]


class TestDocuments:
    def test_document_that_refers_to_none_has_an_empty_table(self) -> None:
        text = text_of_example("passengers")
        table = text[text.index("DOCUMENTOS REFERENCIADOS") : text.index("OBSERVAÇÕES")]
        assert table.split("CHAVE DE ACESSO")[-1].strip() == ""

    def test_tickets_on_paper_and_electronic_ones_have_tables_of_their_own(self) -> None:
        text = text_of_example("excess-baggage")
        electronic, paper = (
            text.index("DOCUMENTOS REFERENCIADOS - BP-e"),
            text.index("55000042 1 2 13/11/2026"),
        )
        assert electronic < text.index("BP-e 11.222.333/0001-81 001/000.000.041") < paper
        assert text.index("BP-e 11.222.333/0001-81 001/000.000.043") < paper
        assert "55000042 1 2 13/11/2026 189,90" in text

    def test_ticket_with_its_number_alone_is_printed(self) -> None:
        ticket = replace(paper_ticket(1), series=None, subseries=None, amount=None)
        assert "55000001 13/11/2026 OBSERVAÇÕES" in text_of(
            with_service(BAGGAGE, referenced_documents=(ticket,))
        )

    @pytest.mark.parametrize("count", [60, 61, 62, 63, 64, 65, 205, 1000])
    def test_no_ticket_is_lost_between_sheets(self, count: int) -> None:
        paper = print_waybill(file_of(with_tickets(count)))
        numbers = re.findall(r"\b55\d{6}\b", paper.drawn)
        assert numbers == [paper_ticket(number).number for number in range(1, count + 1)]
        assert room_faults(paper.pdf) == {}

    def test_many_electronic_tickets_continue_on_the_next_sheet(self) -> None:
        tickets = tuple(map(electronic_ticket, range(1, 201)))
        paper = print_waybill(file_of(with_service(BAGGAGE, referenced_documents=tickets)))
        text = without_spaces(paper.drawn)
        assert all(key_of(model="63", number=number) in text for number in range(1, 201))
        assert "DOCUMENTOS REFERENCIADOS - BP-e (CONTINUAÇÃO) TIPO" in sheets_of(paper)[1]

    def test_guides_have_their_components_below(self) -> None:
        text = text_of_example("valuables")
        components = "Custódia R$ 120,01; Tempo de espera R$ 30,02; Outros (Escolta) R$ 5,03"
        assert text.count(components) == 2
        assert text.index("GTV-e 11.222.333/0001-81 001/000.000.031") < text.index(components)

    def test_guide_of_many_components_and_many_guides_fit(self) -> None:
        many = tuple(GtveComponent(type="5", amount=Decimal(number)) for number in range(1, 101))
        guides = replace(guide(1), components=many), *map(guide, range(2, 150))
        paper = print_waybill(file_of(with_service(VALUABLES, gtves=guides)))
        assert without_spaces(paper.drawn).count("Advalorem") == 100
        assert paper.drawn.count("Escolta") == 148
        assert room_faults(paper.pdf) == {}

    @pytest.mark.parametrize(
        ("name", "caption", "number"),
        [
            ("substitution", "CT-e OS SUBSTITUÍDO", "001/000.000.005"),
            ("succeeds-canceled", "CT-e OS CANCELADO", "001/000.000.006"),
        ],
    )
    def test_other_documents_of_the_same_type_have_a_table(
        self, name: str, caption: str, number: str
    ) -> None:
        text = text_of_example(name)
        assert text.index(caption) < text.index(f"CT-e OS 11.222.333/0001-81 {number}")


class TestNotes:
    def test_observations_have_notes_billing_and_characteristics(self) -> None:
        assert (
            "OBSERVAÇÕES Embarque no terminal do Tietê, plataforma 12. Fatura: FAT-1, valor original"
            " R$ 8.500,10, desconto R$ 0,20, valor líquido R$ 8.499,90 Duplicata: 001 14/12/2026 R$ 8.499,91"
            " Característica do transporte: EXECUTIVO; Característica do serviço: COM GUIA;"
            " Emissor: Ana Souza"
        ) in text_of_example("all-blocks")

    def test_boxes_of_issuer_and_tax_office_are_apart(self) -> None:
        assert (
            "USO EXCLUSIVO DO EMISSOR DO CT-e OS Pedido: 4500012345 RESERVADO AO FISCO"
            " Lei: Lei da Transparência Crédito outorgado conforme o Convênio 106/96."
        ) in text_of_example("all-blocks")


class TestLetters:
    @pytest.mark.parametrize("name", ["all-blocks", "many-tickets"])
    def test_letters_are_no_smaller_than_those_of_titles(self, name: str) -> None:
        shape = OWN.regular.font.shape
        words = words_of(printed_example(OTHER_SERVICES, name).pdf)
        sizes = {(word.y1 - word.y0) * 1000 / (shape.ascent - shape.descent) for word in words}
        assert min(sizes) == pytest.approx(5, abs=0.01)
