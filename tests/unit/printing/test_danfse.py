"""What a DANFSe has besides the values of its note: sentences, sums, sheets, marks."""

import re
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from carimbo.fiscal.layouts.dps_v1.ibs_cbs import Recipient
from carimbo.fiscal.layouts.dps_v1.parties import Taker
from carimbo.fiscal.layouts.dps_v1.service import AdditionalInformation, OrderItems
from carimbo.fiscal.layouts.dps_v1.service_note import ServiceNote, Substitution
from carimbo.fiscal.layouts.dps_v1.taxes import TotalAmounts, TotalTaxes
from carimbo.fiscal.printout import DocumentPrint, Paper
from carimbo.printing.press import Press
from pdf_reading import codes_of, pixels_of, text_of, words_of
from unit.printing.fonts import OWN, mono_folder
from unit.printing.issued_notes import file_of, issued_note
from unit.printing.paper import (
    PRESS,
    V2,
    codes_told_in,
    in_production,
    printed,
    without_spaces,
)
from unit.printing.pictures import page_of, png
from unit.printing.room import room_faults
from unit.printing.service_paper import NORMAL, SIMPLES, paper_of, sheets_of, text_on, with_taxes

RED = (255, 0, 0)
NO_TAKER = "TOMADOR/ADQUIRENTE DA OPERAÇÃO NÃO IDENTIFICADO NA NFS-e"
NO_RECIPIENT = "DESTINATÁRIO DA OPERAÇÃO NÃO IDENTIFICADO NA NFS-e"
SAME_RECIPIENT = "O DESTINATÁRIO É O PRÓPRIO TOMADOR/ADQUIRENTE DA OPERAÇÃO"
NO_INTERMEDIARY = "INTERMEDIÁRIO DA OPERAÇÃO NÃO IDENTIFICADO NA NFS-e"
TAXES = "Totais Aproximados dos Tributos cfe. Lei nº 12.741/2012: "


class TestHead:
    def test_names_the_document(self) -> None:
        lines = paper_of(NORMAL).drawn.splitlines()
        assert {"DANFSe v2.0", "Documento Auxiliar da NFS-e"} <= set(lines)

    def test_says_in_red_that_a_note_of_homologation_is_not_valid(self) -> None:
        xml = file_of(issued_note(NORMAL))
        tested, in_force = printed(V2, xml), printed(V2, in_production(xml))
        assert "NFS-e SEM VALIDADE JURÍDICA" in tested.drawn
        assert "SEM VALIDADE" not in in_force.drawn
        assert _is_red(tested.pdf)
        assert not _is_red(in_force.pdf)

    def test_names_no_municipality_of_a_service_that_has_none(self) -> None:
        code = replace(NORMAL.service.code, national_code="990101")
        unlisted = replace(NORMAL, service=replace(NORMAL.service, code=code))
        assert "Município: São Paulo / SP" in text_on(NORMAL)
        assert "Município: São Paulo / SP" not in text_on(unlisted)

    def test_has_the_code_in_the_size_that_is_asked_for(self) -> None:
        """At least 15.2 mm; ten dots a millimetre."""
        rows = pixels_of(paper_of(NORMAL).pdf, 254)[180:300]
        dark = [x for row in rows for x in range(1600, 2060) if row[x] < 128]
        assert (max(dark) - min(dark)) / 10 >= 15.2

    def test_has_room_for_wide_letters(self, tmp_path: Path) -> None:
        order = DocumentPrint("nfse", file_of(issued_note(NORMAL)), Paper.A4, is_canceled=True)
        pdf = Press(mono_folder(tmp_path)).document(order)
        assert room_faults(pdf) == {}
        assert codes_of(pdf) == codes_told_in(order.xml)

    def test_has_no_logo(self) -> None:
        xml = file_of(issued_note(NORMAL))
        assert printed(V2, xml, logo=png(300, 100)).pdf == printed(V2, xml).pdf


class TestSituation:
    @pytest.mark.parametrize(
        ("is_canceled", "is_replaced", "situation"),
        [(False, False, "NFS-e Gerada"), (True, False, "Cancelada"), (True, True, "Substituída")],
    )
    def test_is_the_one_of_today(self, is_canceled: bool, is_replaced: bool, situation: str) -> None:
        xml = in_production(file_of(issued_note(NORMAL)))
        pdf = PRESS.document(DocumentPrint("nfse", xml, Paper.A4, is_canceled, is_replaced))
        assert f"SITUAÇÃO DA NFS-e {situation} FINALIDADE" in " ".join(text_of(pdf).split())


class TestParties:
    def test_that_are_not_there_are_told_in_a_sentence(self) -> None:
        told = text_on(replace(NORMAL, taker=None))
        assert f"{NO_TAKER} {SAME_RECIPIENT} {NO_INTERMEDIARY}" in told
        assert "TOMADOR / ADQUIRENTE" not in told

    def test_have_no_recipient_without_the_taxes_of_the_reform(self) -> None:
        assert NO_RECIPIENT in text_on(SIMPLES)

    def test_have_a_block_each(self) -> None:
        reform = NORMAL.ibs_cbs
        assert reform
        recipient = Recipient(cpf="52998224725", name="Rita Destinatária")
        told = text_on(
            replace(
                NORMAL,
                intermediary=Taker(cnpj="12ABC34501DE35", name="Plataforma Ltda"),
                ibs_cbs=replace(reform, recipient_kind="1", recipient=recipient),
            )
        )
        assert "DESTINATÁRIO DA OPERAÇÃO CNPJ / CPF / NIF 529.982.247-25 Telefone -" in told
        assert "INTERMEDIÁRIO DA OPERAÇÃO CNPJ / CPF / NIF 12.ABC.345/01DE-35 Indicador Municipal" in told
        assert "NÃO IDENTIFICADO" not in told

    def test_take_from_the_register_what_a_provider_does_not_declare(self) -> None:
        declared = replace(NORMAL, provider=replace(NORMAL.provider, email="outro@example.com"))
        told = text_on(declared)
        assert "Nome / Nome Empresarial Estúdio Modelo Ltda" in told
        assert "Endereço Avenida Paulista, 1000, Sala 12, Bela Vista E-mail outro@example.com" in told

    def test_take_nothing_from_the_register_of_a_taker_who_issues(self) -> None:
        provider = replace(NORMAL.provider, name="Prestador Declarado")
        told = text_on(replace(NORMAL, issuer="2", provider=provider))
        assert "EMITENTE DA NFS-e Tomador" in told
        assert "Nome Empresarial Prestador Declarado Município / Sigla UF - Código IBGE / CEP -" in told
        assert "Estúdio Modelo" not in told

    def test_that_live_abroad_keep_their_numbers_as_they_are(self) -> None:
        assert NORMAL.taker
        here = replace(NORMAL.taker, phone="12125550100")
        abroad = replace(here, cnpj=None, foreign_id="EIN 12-3456789")
        assert "Telefone (12) 12555-0100" in text_on(replace(NORMAL, taker=here))
        assert "NIF EIN 12-3456789 Indicador Municipal (Inscrição) - Telefone 12125550100" in text_on(
            replace(NORMAL, taker=abroad)
        )


class TestService:
    def test_is_called_as_the_municipality_calls_it_if_it_does(self) -> None:
        told = text_on(NORMAL, city_service="Programação sob encomenda")
        assert "Programação sob encomenda Descrição do Serviço" in told
        assert "Análise e desenvolvimento" not in told

    def test_given_abroad_names_the_country(self) -> None:
        place = replace(NORMAL.service.place, city_code=None, country_code="PT")
        abroad = replace(NORMAL, service=replace(NORMAL.service, place=place))
        told = text_on(abroad, service_place="Portugal")
        assert "Local da Prestação / Sigla UF / País Portugal / - / PT" in told


class TestNotes:
    def test_stand_in_the_order_of_the_layout(self) -> None:
        additional = AdditionalInformation(
            technical_document="ART 1",
            referenced_document="Contrato 2",
            purchase_order="PED-3",
            order_items=OrderItems(items=("10", "20")),
            notes="Obrigado.",
        )
        key = "3" * 50
        note = replace(
            NORMAL,
            substitution=Substitution(access_key=key, reason_code="99"),
            service=replace(NORMAL.service, additional=additional),
        )
        told = (
            f"INFORMAÇÕES COMPLEMENTARES Inf. Cont.: Obrigado. | NFS-e Subst.: {key} | Doc. Ref.: Contrato 2"
            " | Doc. Tec.: ART 1 | Núm. Ped.: PED-3 | Item Ped.: 10, 20 | Inf. A. T. Mun.: Prefeitura"
        )
        assert f"{told} {TAXES}" in text_on(note, city_notes="Prefeitura")

    @pytest.mark.parametrize(
        ("total", "told"),
        [
            (TotalTaxes(simples_rate=Decimal(6)), "Simples Nacional: 6,00%"),
            (TotalTaxes(untold="0"), "Federais: -; Estaduais: -; Municipais: -"),
            (
                TotalTaxes(amounts=TotalAmounts(federal=Decimal(1), state=Decimal(0), city=Decimal(2000))),
                "Federais: R$ 1,00; Estaduais: R$ 0,00; Municipais: R$ 2.000,00",
            ),
        ],
    )
    def test_end_with_the_approximate_taxes(self, total: TotalTaxes, told: str) -> None:
        assert TAXES + told in text_on(with_taxes(NORMAL, total=total))


class TestSheets:
    def test_are_one_for_the_longest_texts_of_usual_words(self) -> None:
        words_of_2000 = ("Desenvolvimento e manutenção de sistemas. " * 50)[:2000]
        assert paper_of(with_texts(words_of_2000.strip(), words_of_2000.strip())).pages == 1

    def test_go_on_where_the_first_has_no_room(self) -> None:
        paper = paper_of(with_texts("W" * 1990 + " fim 1", "Æ" * 1990 + " fim 2"))
        first, second = sheets_of(paper)
        assert "fim" not in first
        assert TAXES not in first
        assert "VALOR TOTAL DA NFS-e" in first
        assert re.search("DESCRIÇÃO DO SERVIÇO \\(CONTINUAÇÃO\\).* fim 1", second)
        assert re.search("INFORMAÇÕES COMPLEMENTARES \\(CONTINUAÇÃO\\).* fim 2 Totais", second)
        assert paper.drawn.count("W") == paper.drawn.count("Æ") == 1990

    def test_have_head_and_number_each_and_the_stub_once(self) -> None:
        paper = paper_of(with_texts("W" * 2000, "M" * 2000))
        key = codes_told_in(paper.xml).pop()[-50:]
        for number, sheet in enumerate(sheets_of(paper), 1):
            assert f"Folha {number}/2" in sheet
            assert f"CHAVE DE ACESSO DA NFS-e {key}" in sheet
            assert ("Data Cientificação" in sheet) is (number == 1)
        assert "Folha" not in paper_of(NORMAL).drawn


class TestMarks:
    @pytest.mark.parametrize(("is_replaced", "mark"), [(False, "CANCELADA"), (True, "SUBSTITUÍDA")])
    def test_say_across_every_sheet_what_became_of_a_note(self, is_replaced: bool, mark: str) -> None:
        xml = in_production(file_of(issued_note(with_texts("W" * 2000, "M" * 2000))))
        pdf = PRESS.document(DocumentPrint("nfse", xml, Paper.A4, is_canceled=True, is_replaced=is_replaced))
        sheets = text_of(pdf).removesuffix("\f").split("\f")
        assert len(sheets) == 2
        assert all(without_spaces(sheet).startswith(mark) for sheet in sheets)
        assert codes_of(pdf) == codes_told_in(xml)

    def test_are_absent_from_a_note_in_force(self) -> None:
        assert without_spaces(paper_of(NORMAL).drawn).startswith("NFS-e")


class TestLetters:
    def test_are_no_smaller_than_the_manual_allows(self) -> None:
        """Six points of labels are the least that there is (NT 008, 2.4)."""
        shape = OWN.regular.font.shape
        found = words_of(paper_of(with_texts("W" * 2000, "M" * 2000)).pdf)
        sizes = {(word.y1 - word.y0) * 1000 / (shape.ascent - shape.descent) for word in found}
        assert min(sizes) == pytest.approx(6, abs=0.01)


def _is_red(pdf: bytes) -> bool:
    colors = page_of(pdf, 150).getcolors(1 << 24) or []
    return any(color == RED for _, color in colors)


def with_texts(description: str, notes: str) -> ServiceNote:
    """A note that has much to tell."""
    service = NORMAL.service
    code = replace(service.code, description=description)
    return replace(NORMAL, service=replace(service, code=code, additional=AdditionalInformation(notes=notes)))
