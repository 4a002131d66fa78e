"""The parts of a DAMDFE beyond the values of its document: sheets, marks, blocks of each mode."""

import re
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from carimbo.fiscal.layouts.mdfe_v3.archived import read_archived_manifest
from carimbo.fiscal.layouts.mdfe_v3.cargo import CargoSeal
from carimbo.fiscal.layouts.mdfe_v3.documents import ManifestedInvoice, UnloadingCity
from carimbo.fiscal.layouts.mdfe_v3.manifest import Manifest, ManifestNotes
from carimbo.fiscal.layouts.mdfe_v3.road import Driver, ManifestRoad
from carimbo.fiscal.layouts.reading import UnreadableDocument
from carimbo.fiscal.printout import DocumentPrint, PaperSize
from carimbo.printing.registry import PdfRenderer
from pdf_reading import codes_of, title_of, words_of
from unit.printing.fonts import OWN, mono_folder
from unit.printing.manifest_examples import MANIFESTS
from unit.printing.manifests import (
    PROTOCOL,
    USUAL,
    authorized,
    file_of,
    invoice_key,
    manifest_key,
    waybill_key,
    with_carrier,
    with_cities,
    with_identification,
    with_road,
    with_waybills,
)
from unit.printing.paper import (
    MANIFEST,
    example,
    expected_codes,
    printed,
    printed_example,
    sheets_of,
    without_spaces,
)
from unit.printing.pictures import png
from unit.printing.room import room_faults

HOMOLOGATION = "EMITIDO EM AMBIENTE DE HOMOLOGAÇÃO – SEM VALOR FISCAL"
CONTINGENCY = "EMISSÃO EM CONTINGÊNCIA. Obrigatória a autorização em 168 horas após esta emissão"
print_manifest = partial(printed, MANIFEST)


def text_of(manifest: Manifest) -> str:
    """Returns the printed text of an MDF-e in one line."""
    return " ".join(print_manifest(file_of(manifest)).drawn.split())


def text_of_example(name: str) -> str:
    return " ".join(printed_example(MANIFEST, name).drawn.split())


class TestArchive:
    def test_authorized_file_has_document_protocol_and_qr_code(self) -> None:
        file = authorized(USUAL)
        archived = read_archived_manifest(file)
        assert file.startswith(b"<mdfeProc ")
        assert archived.manifest == USUAL
        assert archived.access_key == manifest_key()
        assert archived.protocol
        assert archived.protocol.number == PROTOCOL
        assert archived.qr_code in expected_codes(example("mdfe", "usual"))

    def test_file_without_a_manifest_is_unreadable(self) -> None:
        with pytest.raises(UnreadableDocument):
            read_archived_manifest(b'<MDFe xmlns="http://www.portalfiscal.inf.br/mdfe"/>')


class TestHeader:
    def test_header_has_issuer_title_key_and_consult_address_in_this_order(self) -> None:
        text = text_of_example("usual")
        parts = (
            "IDENTIFICAÇÃO DO EMITENTE Transportadora Modelo Ltda Avenida Paulista, 1000, Conjunto 12",
            "Fone (11) 3333-4444 CNPJ/CPF 11.222.333/0001-81 IE 111222330112 - RNTRC 12345678",
            "DAMDFE Documento Auxiliar do Manifesto Eletrônico de Documentos Fiscais MODAL RODOVIÁRIO",
            "CONTROLE DO FISCO CHAVE DE ACESSO 3526 1111 2223 3300 0181 5800 1000 0000 0718 7654 322",
            "Consulta de autenticidade em https://dfe-portal.svrs.rs.gov.br/mdfe/consulta",
            "PROTOCOLO DE AUTORIZAÇÃO DE USO PENDENTE DE AUTORIZAÇÃO",
            "MODELO 58 SÉRIE 001 NÚMERO 000.000.007 FOLHA 1/1 DATA E HORA DA EMISSÃO 14/11/2026 10:00:23"
            " UF DE CARREGAMENTO SP UF DE DESCARREGAMENTO RJ",
            "FORMA DE EMISSÃO NORMAL PREVISÃO DE INÍCIO DA VIAGEM 14/11/2026 18:00:23"
            " TIPO DO EMITENTE PRESTADOR DE SERVIÇO DE TRANSPORTE TIPO DO TRANSPORTADOR"
            " AMBIENTE PRODUÇÃO CARGA POSTERIOR NÃO CANAL VERDE NÃO",
            "MODAL RODOVIÁRIO DE CARGA",
        )
        positions = [text.index(part) for part in parts]
        assert positions == sorted(positions)

    def test_every_sheet_has_its_number_the_issuer_the_key_and_both_codes(self) -> None:
        paper = printed_example(MANIFEST, "many-waybills")
        for number, sheet in enumerate(sheets_of(paper), 1):
            assert f"FOLHA {number}/{paper.pages}" in sheet
            assert "IDENTIFICAÇÃO DO EMITENTE Transportadora Modelo Ltda" in sheet
            assert manifest_key() in without_spaces(sheet)
        assert paper.pages == 2
        assert len(paper.codes) == 4

    def test_authorized_document_shows_protocol_moment_and_notice(self) -> None:
        text = " ".join(print_manifest(authorized(USUAL)).drawn.split())
        assert f"PROTOCOLO DE AUTORIZAÇÃO DE USO {PROTOCOL} - 14/11/2026 10:00:47" in text
        assert "INFORMAÇÕES ADICIONAIS DE INTERESSE DO FISCO Regularize sua situação cadastral" in text
        assert "PENDENTE" not in text

    def test_key_with_letters_is_printed_and_legible(self) -> None:
        paper = printed_example(MANIFEST, "letters")
        assert "3526 1112 ABC3 4501 DE35 5800 1000 0000 0718 7654 322" in " ".join(paper.drawn.split())
        assert codes_of(paper.pdf) == expected_codes(paper.xml)

    def test_document_without_qr_code_has_its_bar_code_only(self) -> None:
        xml = re.sub(rb"<infMDFeSupl>.*</infMDFeSupl>", b"", example("mdfe", "usual"))
        assert [code.text for code in print_manifest(xml).codes] == [manifest_key()]

    def test_issuer_with_a_cpf_and_without_registrations_is_printed(self) -> None:
        issuer = replace(USUAL.issuer, cnpj=None, cpf="52998224725", state_registration=None)
        text = text_of(with_carrier(replace(USUAL, issuer=issuer), rntrc=None))
        assert "CNPJ/CPF 529.982.247-25 DAMDFE" in text

    def test_header_has_room_for_wide_letters(self, tmp_path: Path) -> None:
        manifest = with_identification(MANIFESTS["all-blocks"], environment="2", emission_type="2")
        order = DocumentPrint("mdfe", file_of(manifest), PaperSize.A4, is_canceled=True)
        assert room_faults(PdfRenderer(mono_folder(tmp_path)).document(order)) == {}

    def test_logo_and_title_of_the_file(self) -> None:
        pdf = print_manifest(example("mdfe", "usual"), logo=png(300, 100)).pdf
        assert b"/Subtype /Image" in pdf
        assert title_of(pdf) == f"DAMDFE {manifest_key()}"


class TestNotices:
    def test_homologation_is_announced_and_marked_on_every_sheet(self) -> None:
        manifest = with_identification(with_waybills(200), environment="2")
        for sheet in sheets_of(print_manifest(file_of(manifest))):
            assert f"PENDENTE DE AUTORIZAÇÃO {HOMOLOGATION}" in sheet
            assert without_spaces(sheet).startswith("SEMVALORFISCAL")
            assert "AMBIENTE HOMOLOGAÇÃO" in sheet

    def test_production_document_has_no_mark_or_notice(self) -> None:
        text = text_of_example("usual")
        for word in ("VALOR FISCAL", "HOMOLOGAÇÃO", "CONTINGÊNCIA", "CANCELADO", "ENCERRADO"):
            assert word not in text

    def test_contingency_is_announced_with_its_moment_until_the_authorization(self) -> None:
        text = text_of_example("contingency")
        assert f"PROTOCOLO DE AUTORIZAÇÃO DE USO {CONTINGENCY} (14/11/2026 10:00:23)" in text
        assert "FORMA DE EMISSÃO CONTINGÊNCIA" in text

    def test_authorized_document_of_contingency_shows_its_protocol(self) -> None:
        text = " ".join(print_manifest(authorized(MANIFESTS["contingency"])).drawn.split())
        assert f"PROTOCOLO DE AUTORIZAÇÃO DE USO {PROTOCOL}" in text
        assert CONTINGENCY not in text
        assert "FORMA DE EMISSÃO CONTINGÊNCIA" in text

    def test_every_sheet_of_a_canceled_document_is_marked(self) -> None:
        paper = print_manifest(example("mdfe", "many-waybills"), is_canceled=True)
        for sheet in sheets_of(paper):
            assert without_spaces(sheet).startswith("CANCELADO")
            assert "MDF-e CANCELADO" in sheet
        assert codes_of(paper.pdf) == expected_codes(paper.xml)


class TestTotals:
    def test_totals_have_counts_weight_and_amount(self) -> None:
        assert (
            "MODAL RODOVIÁRIO DE CARGA QTD. CT-e 2 QTD. NF-e QTD. MDF-e PESO TOTAL (KG) 18.400,500"
            " VALOR TOTAL DA CARGA (R$) 310.250,55 VEÍCULOS"
        ) in text_of_example("usual")

    def test_weight_in_tons_is_named(self) -> None:
        assert "PESO TOTAL (TON) 18,4005" in text_of_example("all-blocks")


class TestRoad:
    def test_vehicles_have_plate_state_renavam_and_registration(self) -> None:
        text = text_of_example("usual")
        assert "TRAÇÃO ABC1D23 SP 00123456789 12345678 CAVALO MECÂNICO NÃO APLICÁVEL 8.200" in text
        assert "REBOQUE DEF2G34 SP 00987654321 12345678 FECHADA / BAÚ 6.100 25.300" in text

    def test_owner_of_a_vehicle_is_below_it_with_the_owners_registration_beside_the_plate(self) -> None:
        text = text_of_example("all-blocks")
        assert "TRAÇÃO ABC1D23 SP 00123456789 87654321 CAVALO MECÂNICO" in text
        assert (
            "Proprietário: José da Silva Transportes - CNPJ/CPF 529.982.247-25 - TAC INDEPENDENTE"
            " REBOQUE DEF2G34 MG 00987654321 87654322"
        ) in text
        assert (
            "Proprietário: Locadora de Carretas SA - CNPJ/CPF 33.000.167/0001-01 - IE 110042490114 - MG"
            " - OUTROS REBOQUE HIJ3K45 12345678 SIDER"
        ) in text

    def test_vehicle_of_a_carrier_without_registration_has_none(self) -> None:
        assert "TRAÇÃO ABC1D23 SP 00123456789 CAVALO MECÂNICO" in text_of_example("own-cargo")

    def test_drivers_have_cpf_and_name(self) -> None:
        assert (
            "CONDUTORES CPF NOME CPF NOME 529.982.247-25 José da Silva 390.533.447-05 Marcos Vinícius Lima"
            " 111.444.777-35 Ana Lúcia Ramos VALE-PEDÁGIO"
        ) in text_of_example("all-blocks")

    def test_toll_vouchers_have_supplier_payer_number_and_amount(self) -> None:
        text = text_of_example("all-blocks")
        assert "VALE-PEDÁGIO - VEÍCULO COMERCIAL 6 EIXOS CNPJ DO FORNECEDOR" in text
        assert "99.000.111/0001-65 44.455.566/0001-83 778899001 412,60 TAG" in text
        assert "99.000.111/0001-65 529.982.247-25 12345678901234567890 18,75 PLACA" in text

    def test_operations_and_contractors_are_listed(self) -> None:
        text = text_of_example("all-blocks")
        assert "123456789012 11.222.333/0001-81 210987654321 529.982.247-25 CONTRATANTES" in text
        assert (
            "Indústria de Peças Modelo Ltda 44.455.566/0001-83 CT-2026-18 120.000,01"
            " Maria Aparecida da Conceição 529.982.247-25 UY211234560018 PERCURSO"
        ) in text

    def test_blocks_without_data_are_left_out(self) -> None:
        text = text_of_example("own-cargo")
        for caption in (
            "VALE-PEDÁGIO", "CIOT", "CONTRATANTES", "LACRES", "SEGURO", "PRODUTO PREDOMINANTE", "PAGAMENTO",
            "INFORMAÇÕES",
        ):  # fmt: skip
            assert caption not in text

    def test_manifest_without_a_carrier_group_is_printed(self) -> None:
        text = text_of(with_road(USUAL, carrier=None))
        assert "IE 111222330112 DAMDFE" in text
        assert "CIOT" not in text

    def test_many_drivers_take_as_many_rows_as_they_need(self) -> None:
        road = USUAL.mode.content
        drivers = tuple(Driver(name=f"Motorista {number}", cpf="52998224725") for number in range(10))
        assert isinstance(road, ManifestRoad)
        vehicle = replace(road.vehicle, drivers=drivers)
        paper = print_manifest(file_of(with_road(USUAL, vehicle=vehicle)))
        assert paper.drawn.count("Motorista ") == 10
        assert room_faults(paper.pdf) == {}


class TestOtherModes:
    def test_air_has_aircraft_and_flight(self) -> None:
        text = text_of_example("air")
        assert "MODAL AÉREO DE CARGA" in text
        assert (
            "AERONAVE E VOO MARCA DE NACIONALIDADE PT MARCA DE MATRÍCULA GTDXYZ NÚMERO DO VOO TAM1234"
            " AERÓDROMO DE EMBARQUE SBGR AERÓDROMO DE DESTINO SBGL DATA DO VOO 15/11/2026"
        ) in text

    def test_water_has_vessel_trip_terminals_convoy_and_empty_units(self) -> None:
        text = text_of_example("water")
        assert "MODAL AQUAVIÁRIO DE CARGA" in text
        for part in (
            "EMBARCAÇÃO E VIAGEM EMBARCAÇÃO Navio Alvorada do Atlântico CÓDIGO DA EMBARCAÇÃO BR-0001",
            "NÚMERO DA VIAGEM 0000026114 NAVEGAÇÃO CABOTAGEM PORTO DE EMBARQUE BRSSZ PORTO DE DESTINO BRRIO",
            "TERMINAIS DE CARREGAMENTO CÓDIGO NOME CÓDIGO NOME TERM0001 Terminal do Saboó",
            "TERMINAIS DE DESCARREGAMENTO CÓDIGO NOME CÓDIGO NOME TERM0002 Terminal do Caju",
            "BALSA01 Balsa Ibitinga BALSA02 Balsa Promissão",
            "Contêiner MSCU7654321 Rodoviário reboque XYZ9Z99",
        ):
            assert part in text

    def test_optional_tables_of_water_are_left_out(self) -> None:
        text = text_of_example("water-bare")
        for caption in ("TERMINAIS", "COMBOIO", "UNIDADES VAZIAS"):
            assert caption not in text

    def test_rail_has_train_and_wagons(self) -> None:
        text = text_of_example("rail")
        assert "MODAL FERROVIÁRIO DE CARGA" in text
        assert "TREM PREFIXO DO TREM K-77 DATA E HORA DA LIBERAÇÃO DO TREM 14/11/2026 10:00:23" in text
        assert "1 101 12345671 FHD 81,123 81,456 60,789 102 12345672 82,123 82,456 61,789" in text

    @pytest.mark.parametrize("name", ["air", "rail", "water"])
    def test_road_blocks_are_absent_from_other_modes(self, name: str) -> None:
        text = text_of_example(name)
        for caption in ("VEÍCULOS", "CONDUTORES", "RNTRC"):
            assert caption not in text


class TestRoute:
    def test_route_names_cities_of_loading_and_all_states(self) -> None:
        assert (
            "PERCURSO MUNICÍPIOS DE CARREGAMENTO CAMPINAS / JUNDIAI - SP PERCURSO (UF) SP / MG / ES / BA"
        ) in text_of_example("all-blocks")

    def test_route_inside_a_state_names_it_once(self) -> None:
        assert "PERCURSO (UF) SP COMPOSIÇÃO" in text_of_example("later-loading")


class TestComposition:
    def test_each_municipality_has_a_table_with_its_documents(self) -> None:
        text = text_of_example("all-blocks")
        salvador = text.index("COMPOSIÇÃO DA CARGA - DESCARGA EM SALVADOR - BA: 3 CT-e TIPO")
        feira = text.index("COMPOSIÇÃO DA CARGA - DESCARGA EM FEIRA DE SANTANA - BA: 1 CT-e TIPO")
        assert salvador < text.index("001/000.000.005") < feira < text.index("001/000.000.006")

    def test_details_follow_their_document(self) -> None:
        text = text_of_example("all-blocks")
        assert (
            "Reentrega Segundo código de barras: 3511 1222 3330 0018 1000 0100 0001 2345 6789"
            " Rodoviário reboque OPQ4R89; lacres LACRE1, LACRE2; quantidade rateada 12,500"
            " Contêiner MSCU1234567; lacres LACRE3"
            " Produto perigoso: ONU 1203, GASOLINA, classe 3, grupo de embalagem II, quantidade 1000 L,"
            " volumes 10 TAMBORES Produto perigoso: ONU ND, quantidade 20 kg"
        ) in text
        assert "Entrega parcial: 40,5 de 100 Prestação parcial: NF-e 3526 1144" in text

    def test_kinds_of_documents_are_counted_by_municipality(self) -> None:
        city = MANIFESTS["own-cargo"].documents.cities[0]
        waybills = USUAL.documents.cities[0].waybills
        text = text_of(with_cities(replace(city, waybills=waybills)))
        assert "DESCARGA EM RIO DE JANEIRO - RJ: 2 CT-e, 3 NF-e" in text

    def test_municipality_without_documents_says_so(self) -> None:
        text = text_of_example("later-loading")
        assert "DESCARGA EM SAO PAULO - SP TIPO" in text
        assert "Nenhum documento informado na emissão." in text
        assert "CARGA POSTERIOR SIM" in text

    @pytest.mark.parametrize(("count", "pages"), [(1, 1), (3, 1), (80, 1), (90, 2), (200, 2), (2000, 16)])
    def test_no_key_is_lost_between_sheets(self, count: int, pages: int) -> None:
        paper = print_manifest(file_of(with_waybills(count)))
        text = without_spaces(paper.drawn)
        positions = [text.index(waybill_key(number)) for number in range(1, count + 1)]
        assert positions == sorted(positions)
        assert room_faults(paper.pdf) == {}
        assert paper.pages == pages

    def test_municipality_is_named_again_on_every_sheet_that_continues_it(self) -> None:
        _, *others = sheets_of(print_manifest(file_of(with_waybills(2000))))
        caption = "DESCARGA EM RIO DE JANEIRO - RJ: 2000 CT-e (CONTINUAÇÃO) TIPO"
        assert all(caption in sheet for sheet in others)

    def test_many_municipalities_have_room(self) -> None:
        cities = (
            UnloadingCity(
                city_code=f"33{number:05}",
                city=f"MUNICIPIO {number}",
                invoices=(ManifestedInvoice(access_key=invoice_key(number)),),
            )
            for number in range(1, 101)
        )
        paper = print_manifest(file_of(with_cities(*cities)))
        text = " ".join(paper.drawn.split())
        assert all(f"DESCARGA EM MUNICIPIO {number} - RJ: 1 NF-e" in text for number in range(1, 101))
        assert room_faults(paper.pdf) == {}


class TestSealsAndInsurance:
    def test_seals_of_vehicles_and_cargo_are_in_one_table(self) -> None:
        expected = "LACRES NÚMERO DO LACRE NÚMERO DO LACRE NÚMERO DO LACRE NÚMERO DO LACRE"
        assert f"{expected} LR-1001 LR-1002 LC-2001 LC-2002 LC-2003 SEGURO" in text_of_example("all-blocks")

    def test_many_seals_continue_on_the_next_sheet(self) -> None:
        seals = tuple(CargoSeal(number=f"lacre-{number}") for number in range(500))
        paper = print_manifest(file_of(replace(USUAL, seals=seals)))
        assert paper.drawn.count("lacre-") == 500
        assert "LACRES (CONTINUAÇÃO)" in sheets_of(paper)[1]
        assert room_faults(paper.pdf) == {}

    def test_insurance_has_responsible_insurer_policy_and_endorsements(self) -> None:
        text = text_of_example("all-blocks")
        assert (
            "EMITENTE Seguradora Nacional SA 88.999.000/0001-98 AP-778899"
            " Averbações: 0001234567890123456789, 0001234567890123456790"
            " CONTRATANTE 44.455.566/0001-83 Mútua dos Transportadores 88.999.000/0002-79 DDR-11"
            " Averbações: 77001 CONTRATANTE 529.982.247-25"
        ) in text

    def test_ten_thousand_endorsements_are_all_printed(self) -> None:
        numbers = tuple(f"AV{number:06}" for number in range(10_000))
        insurance = (replace(USUAL.insurance[0], endorsements=numbers),)
        paper = print_manifest(file_of(replace(USUAL, insurance=insurance)))
        assert re.findall(r"AV\d{6}", without_spaces(paper.drawn)) == list(numbers)


class TestProductAndPayments:
    def test_product_has_its_kind_and_the_ends_of_a_full_load(self) -> None:
        assert (
            "PRODUTO PREDOMINANTE TIPO DE CARGA PERIGOSA (CARGA GERAL)"
            " DESCRIÇÃO Combustíveis e lubrificantes GTIN 7891000315507 NCM 27101259"
            " CARGA LOTAÇÃO - LOCAL DE CARREGAMENTO CEP 13015-001"
            " CARGA LOTAÇÃO - LOCAL DE DESCARREGAMENTO Latitude -12.971111, longitude -38.510833"
        ) in text_of_example("all-blocks")
        assert "LOTAÇÃO" not in text_of_example("usual")

    def test_payments_have_payer_components_contract_term_installments_and_account(self) -> None:
        text = text_of_example("all-blocks")
        assert (
            "Indústria de Peças Modelo Ltda 44.455.566/0001-83 3.250,30 A PRAZO 1.250,30"
            " Componentes: Frete R$ 3.000,10; Vale-pedágio R$ 250,20"
            " Parcelas: 001 em 05/12/2026 R$ 1.000,01; 002 em 20/12/2026 R$ 999,99"
            " Não permite antecipar parcelas Crédito em: Pix marcos.lima@example.com"
            " AB123457890 10,03 À VISTA Componentes: Outros (Estadia no porto) R$ 10,02"
            " Operação de alto desempenho Crédito em: banco 001, agência 1234"
            " 529.982.247-25 55,05 A PRAZO 5,06 Componentes: Despesas R$ 55,04"
            " Permite antecipar o adiantamento; Permite antecipar parcelas mediante confirmação"
            " Crédito em: instituição de pagamento (IPEF) 88.999.000/0001-98"
        ) in text


class TestNotes:
    def test_notes_of_taxpayer_and_tax_office_are_apart(self) -> None:
        assert (
            "INFORMAÇÕES COMPLEMENTARES DE INTERESSE DO CONTRIBUINTE"
            " Viagem com escolta. Não parar entre 22h e 5h."
            " INFORMAÇÕES ADICIONAIS DE INTERESSE DO FISCO Regime especial 123/2026."
        ) in text_of_example("all-blocks")

    def test_long_notes_continue_on_the_last_sheet(self) -> None:
        notes = " ".join(f"observação {number}" for number in range(1, 300))
        first, *others = sheets_of(print_manifest(file_of(replace(USUAL, notes=ManifestNotes(notes=notes)))))
        assert "observação 1 " in first
        assert "INFORMAÇÕES (CONTINUAÇÃO)" in others[-1]
        assert others[-1].endswith("observação 299")


class TestLetters:
    @pytest.mark.parametrize("name", ["all-blocks", "many-waybills"])
    def test_letters_are_no_smaller_than_those_of_titles(self, name: str) -> None:
        shape = OWN.regular.font.shape
        words = words_of(printed_example(MANIFEST, name).pdf)
        sizes = {(word.y1 - word.y0) * 1000 / (shape.ascent - shape.descent) for word in words}
        assert min(sizes) == pytest.approx(5, abs=0.01)
