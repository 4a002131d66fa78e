"""The parts of a DANFSe beyond the values of its note: sentences, sums, sheets, marks."""

import re
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from carimbo.fiscal.layouts.dps_v1.amounts import TotalAmounts, TotalTaxes
from carimbo.fiscal.layouts.dps_v1.ibs_cbs import ServiceRecipient
from carimbo.fiscal.layouts.dps_v1.parties import Taker
from carimbo.fiscal.layouts.dps_v1.service import ComplementaryInformation, OrderItems
from carimbo.fiscal.layouts.dps_v1.service_note import ServiceNote, Substitution
from carimbo.fiscal.printout import DocumentPrint, PaperSize
from carimbo.printing.registry import PdfRenderer
from pdf_reading import codes_of, pixels_of, text_of, words_of
from unit.printing.fonts import OWN, mono_folder
from unit.printing.issued_notes import file_of, issued_note
from unit.printing.paper import (
    RENDERER,
    V2,
    expected_codes,
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
    def test_head_names_the_document(self) -> None:
        lines = paper_of(NORMAL).drawn.splitlines()
        assert {"DANFSe v2.0", "Documento Auxiliar da NFS-e"} <= set(lines)

    def test_homologation_note_is_marked_as_invalid_in_red(self) -> None:
        xml = file_of(issued_note(NORMAL))
        tested, in_force = printed(V2, xml), printed(V2, in_production(xml))
        assert "NFS-e SEM VALIDADE JURÍDICA" in tested.drawn
        assert "SEM VALIDADE" not in in_force.drawn
        assert _is_red(tested.pdf)
        assert not _is_red(in_force.pdf)

    def test_service_without_municipality_names_none(self) -> None:
        code = replace(NORMAL.service.code, national_code="990101")
        unlisted = replace(NORMAL, service=replace(NORMAL.service, code=code))
        assert "Município: São Paulo / SP" in text_on(NORMAL)
        assert "Município: São Paulo / SP" not in text_on(unlisted)

    def test_code_has_the_required_size(self) -> None:
        """At least 15.2 mm; ten dots a millimetre."""
        rows = pixels_of(paper_of(NORMAL).pdf, 254)[180:300]
        dark = [x for row in rows for x in range(1600, 2060) if row[x] < 128]
        assert (max(dark) - min(dark)) / 10 >= 15.2

    def test_head_has_room_for_wide_letters(self, tmp_path: Path) -> None:
        order = DocumentPrint("nfse", file_of(issued_note(NORMAL)), PaperSize.A4, is_canceled=True)
        pdf = PdfRenderer(mono_folder(tmp_path)).document(order)
        assert room_faults(pdf) == {}
        assert codes_of(pdf) == expected_codes(order.xml)

    def test_danfse_has_no_logo(self) -> None:
        xml = file_of(issued_note(NORMAL))
        assert printed(V2, xml, logo=png(300, 100)).pdf == printed(V2, xml).pdf


class TestSituation:
    @pytest.mark.parametrize(
        ("is_canceled", "is_replaced", "status"),
        [(False, False, "NFS-e Gerada"), (True, False, "Cancelada"), (True, True, "Substituída")],
    )
    def test_status_is_the_current_one(self, is_canceled: bool, is_replaced: bool, status: str) -> None:
        xml = in_production(file_of(issued_note(NORMAL)))
        pdf = RENDERER.document(DocumentPrint("nfse", xml, PaperSize.A4, is_canceled, is_replaced))
        assert f"SITUAÇÃO DA NFS-e {status} FINALIDADE" in " ".join(text_of(pdf).split())


class TestParties:
    def test_absent_parties_are_replaced_by_a_sentence(self) -> None:
        text = text_on(replace(NORMAL, taker=None))
        assert f"{NO_TAKER} {SAME_RECIPIENT} {NO_INTERMEDIARY}" in text
        assert "TOMADOR / ADQUIRENTE" not in text

    def test_note_without_reform_taxes_has_no_recipient(self) -> None:
        assert NO_RECIPIENT in text_on(SIMPLES)

    def test_each_party_has_its_own_block(self) -> None:
        reform = NORMAL.ibs_cbs
        assert reform
        recipient = ServiceRecipient(cpf="52998224725", name="Rita Destinatária")
        text = text_on(
            replace(
                NORMAL,
                intermediary=Taker(cnpj="12ABC34501DE35", name="Plataforma Ltda"),
                ibs_cbs=replace(reform, recipient_kind="1", recipient=recipient),
            )
        )
        assert "DESTINATÁRIO DA OPERAÇÃO CNPJ / CPF / NIF 529.982.247-25 Telefone -" in text
        assert "INTERMEDIÁRIO DA OPERAÇÃO CNPJ / CPF / NIF 12.ABC.345/01DE-35 Indicador Municipal" in text
        assert "NÃO IDENTIFICADO" not in text

    def test_undeclared_provider_data_comes_from_the_register(self) -> None:
        declared = replace(NORMAL, provider=replace(NORMAL.provider, email="outro@example.com"))
        text = text_on(declared)
        assert "Nome / Nome Empresarial Estúdio Modelo Ltda" in text
        assert "Endereço Avenida Paulista, 1000, Sala 12, Bela Vista E-mail outro@example.com" in text

    def test_register_data_is_not_used_when_the_taker_issues(self) -> None:
        provider = replace(NORMAL.provider, name="Prestador Declarado")
        text = text_on(replace(NORMAL, issuer="2", provider=provider))
        assert "EMITENTE DA NFS-e Tomador" in text
        assert "Nome Empresarial Prestador Declarado Município / Sigla UF - Código IBGE / CEP -" in text
        assert "Estúdio Modelo" not in text

    def test_foreign_party_keeps_its_numbers_unformatted(self) -> None:
        assert NORMAL.taker
        here = replace(NORMAL.taker, phone="12125550100")
        abroad = replace(here, cnpj=None, foreign_id="EIN 12-3456789")
        assert "Telefone (12) 12555-0100" in text_on(replace(NORMAL, taker=here))
        assert "NIF EIN 12-3456789 Indicador Municipal (Inscrição) - Telefone 12125550100" in text_on(
            replace(NORMAL, taker=abroad)
        )


class TestService:
    def test_service_has_the_municipal_name_where_there_is_one(self) -> None:
        text = text_on(NORMAL, city_service="Programação sob encomenda")
        assert "Programação sob encomenda Descrição do Serviço" in text
        assert "Análise e desenvolvimento" not in text

    def test_service_abroad_names_the_country(self) -> None:
        place = replace(NORMAL.service.place, city_code=None, country_code="PT")
        abroad = replace(NORMAL, service=replace(NORMAL.service, place=place))
        text = text_on(abroad, service_place="Portugal")
        assert "Local da Prestação / Sigla UF / País Portugal / - / PT" in text


class TestNotes:
    def test_notes_are_in_the_order_of_the_layout(self) -> None:
        additional = ComplementaryInformation(
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
        notes = (
            f"INFORMAÇÕES COMPLEMENTARES Inf. Cont.: Obrigado. | NFS-e Subst.: {key} | Doc. Ref.: Contrato 2"
            " | Doc. Tec.: ART 1 | Núm. Ped.: PED-3 | Item Ped.: 10, 20 | Inf. A. T. Mun.: Prefeitura"
        )
        assert f"{notes} {TAXES}" in text_on(note, city_notes="Prefeitura")

    @pytest.mark.parametrize(
        ("total", "expected"),
        [
            (TotalTaxes(simples_rate=Decimal(6)), "Simples Nacional: 6,00%"),
            (TotalTaxes(untold="0"), "Federais: -; Estaduais: -; Municipais: -"),
            (
                TotalTaxes(amounts=TotalAmounts(federal=Decimal(1), state=Decimal(0), city=Decimal(2000))),
                "Federais: R$ 1,00; Estaduais: R$ 0,00; Municipais: R$ 2.000,00",
            ),
        ],
    )
    def test_notes_end_with_the_approximate_taxes(self, total: TotalTaxes, expected: str) -> None:
        assert TAXES + expected in text_on(with_taxes(NORMAL, total=total))


class TestSheets:
    def test_longest_usual_texts_fit_on_one_sheet(self) -> None:
        words_of_2000 = ("Desenvolvimento e manutenção de sistemas. " * 50)[:2000]
        assert paper_of(with_texts(words_of_2000.strip(), words_of_2000.strip())).pages == 1

    def test_texts_without_room_continue_on_the_next_sheet(self) -> None:
        paper = paper_of(with_texts("W" * 1990 + " fim 1", "Æ" * 1990 + " fim 2"))
        first, second = sheets_of(paper)
        assert "fim" not in first
        assert TAXES not in first
        assert "VALOR TOTAL DA NFS-e" in first
        assert re.search("DESCRIÇÃO DO SERVIÇO \\(CONTINUAÇÃO\\).* fim 1", second)
        assert re.search("INFORMAÇÕES COMPLEMENTARES \\(CONTINUAÇÃO\\).* fim 2 Totais", second)
        assert paper.drawn.count("W") == paper.drawn.count("Æ") == 1990

    def test_every_sheet_has_head_and_number_and_the_first_one_the_stub(self) -> None:
        paper = paper_of(with_texts("W" * 2000, "M" * 2000))
        key = expected_codes(paper.xml).pop()[-50:]
        for number, sheet in enumerate(sheets_of(paper), 1):
            assert f"Folha {number}/2" in sheet
            assert f"CHAVE DE ACESSO DA NFS-e {key}" in sheet
            assert ("Data Cientificação" in sheet) is (number == 1)
        assert "Folha" not in paper_of(NORMAL).drawn


class TestMarks:
    @pytest.mark.parametrize(("is_replaced", "mark"), [(False, "CANCELADA"), (True, "SUBSTITUÍDA")])
    def test_every_sheet_of_a_canceled_or_replaced_note_is_marked(self, is_replaced: bool, mark: str) -> None:
        xml = in_production(file_of(issued_note(with_texts("W" * 2000, "M" * 2000))))
        pdf = RENDERER.document(
            DocumentPrint("nfse", xml, PaperSize.A4, is_canceled=True, is_replaced=is_replaced)
        )
        sheets = text_of(pdf).removesuffix("\f").split("\f")
        assert len(sheets) == 2
        assert all(without_spaces(sheet).startswith(mark) for sheet in sheets)
        assert codes_of(pdf) == expected_codes(xml)

    def test_valid_note_has_no_marks(self) -> None:
        assert without_spaces(paper_of(NORMAL).drawn).startswith("NFS-e")


class TestLetters:
    def test_letters_are_no_smaller_than_the_manual_allows(self) -> None:
        """NT 008, 2.4: labels have six points, and no text is smaller."""
        shape = OWN.regular.font.shape
        words = words_of(paper_of(with_texts("W" * 2000, "M" * 2000)).pdf)
        sizes = {(word.y1 - word.y0) * 1000 / (shape.ascent - shape.descent) for word in words}
        assert min(sizes) == pytest.approx(6, abs=0.01)


def _is_red(pdf: bytes) -> bool:
    colors = page_of(pdf, 150).getcolors(1 << 24) or []
    return any(color == RED for _, color in colors)


def with_texts(description: str, notes: str) -> ServiceNote:
    """Returns a note with a long description and long notes."""
    service = NORMAL.service
    code = replace(service.code, description=description)
    return replace(
        NORMAL, service=replace(service, code=code, additional=ComplementaryInformation(notes=notes))
    )
