"""The receipt of an NFC-e from the code on: messages, notes, and the paper size."""

import re
from typing import NamedTuple

import pytest

from carimbo.fiscal.printout import PaperSize
from carimbo.printing.engine.canvas import POINT, Canvas
from carimbo.printing.engine.images import Bitmap
from pdf_reading import Word, codes_of, sizes_of, text_of, text_without_breaks, words_of
from unit.printing.receipts import PAPERS, authorized, lines_of, receipt, signed, word


class Rectangle(NamedTuple):
    """The position of a drawn code, in points."""

    left: float
    top: float
    right: float
    bottom: float
    module: float


@pytest.fixture
def drawn_codes(monkeypatch: pytest.MonkeyPatch) -> list[Rectangle]:
    """Records the position of each drawn code."""
    drawn, draw = [], Canvas.bitmap

    def record(canvas: Canvas, bitmap: Bitmap, x: float, y: float, width: float, height: float) -> None:
        drawn.append(
            Rectangle(*(side / POINT for side in (x, y, x + width, y + height, width / bitmap.width)))
        )
        draw(canvas, bitmap, x, y, width, height)

    monkeypatch.setattr(Canvas, "bitmap", record)
    return drawn


class TestCode:
    @PAPERS
    @pytest.mark.parametrize("name", ["cash", "letters", "offline-qr3-cpf"])
    def test_code_is_read_as_the_signed_address(self, paper: PaperSize, name: str) -> None:
        address = re.findall("<qrCode>(.*)</qrCode>", signed(name).decode())[0].replace("&amp;", "&")
        assert codes_of(receipt(authorized(name), paper, is_canceled=True)) == {address}

    @PAPERS
    @pytest.mark.parametrize("name", ["cash", "delivery", "offline-qr3-cpf"])
    def test_code_is_large_and_has_a_quiet_zone(
        self, paper: PaperSize, name: str, drawn_codes: list[Rectangle]
    ) -> None:
        words = words_of(receipt(authorized(name), paper))
        [code] = drawn_codes
        quiet = 4 * code.module
        near = (code.left - quiet, code.top - quiet, code.right + quiet, code.bottom + quiet)
        assert round((code.right - code.left) * POINT, 3) >= 25
        assert [word.text for word in words if _overlap(word, near)] == []

    def test_code_is_beside_the_consumer_where_there_is_room(self, drawn_codes: list[Rectangle]) -> None:
        wide, narrow = (
            receipt(authorized("cash"), paper) for paper in (PaperSize.ROLL_80, PaperSize.ROLL_58)
        )
        beside, below = drawn_codes
        assert word(wide, "CONSUMIDOR").x0 > beside.right
        assert word(narrow, "Data").y1 < below.top

    def test_document_without_an_address_has_no_code(self, drawn_codes: list[Rectangle]) -> None:
        xml = re.sub(b"<infNFeSupl>.*</infNFeSupl>", b"", signed("cash"))
        assert "CONSUMIDOR NÃO IDENTIFICADO" in lines_of(receipt(xml))
        assert drawn_codes == []


class TestMessages:
    def test_homologation_receipt_says_that_it_has_no_fiscal_value(self) -> None:
        lines = lines_of(receipt(authorized("cash")))
        assert lines.count("EMITIDA EM AMBIENTE DE HOMOLOGAÇÃO - SEM VALOR FISCAL") == 2

    def test_production_receipt_does_not_mention_homologation(self) -> None:
        xml = authorized("normal-regime", ("<tpAmb>2", "<tpAmb>1"), ("EMITIDA EM AMBIENTE", "X"))
        assert "HOMOLOGAÇÃO" not in text_of(receipt(xml))

    def test_canceled_receipt_says_so_in_large_letters(self) -> None:
        pdf = receipt(authorized("cash"), is_canceled=True)
        canceled = word(pdf, "CANCELADA")
        assert lines_of(pdf).count("NFC-e CANCELADA") == 2
        assert canceled.y1 - canceled.y0 > 1.5 * (word(pdf, "Dinheiro").y1 - word(pdf, "Dinheiro").y0)

    def test_valid_receipt_does_not_mention_cancellation(self) -> None:
        assert "CANCELADA" not in text_of(receipt(authorized("cash")))

    def test_messages_of_the_authority_are_printed(self) -> None:
        notes = (
            "<infAdic><infAdFisco>Regime especial 12</infAdFisco>"
            '<obsFisco xCampo="Lei"><xTexto>99/2020</xTexto></obsFisco></infAdic></infNFe>'
        )
        alerts = "<cMsg>1</cMsg><xMsg>Participe do sorteio</xMsg>"
        lines = lines_of(receipt(authorized("normal-regime", ("</infNFe>", notes), alerts=alerts)))
        assert lines[-3:] == ["Regime especial 12", "Lei: 99/2020", "Participe do sorteio"]


class TestNotes:
    def test_notes_have_the_approximate_taxes(self) -> None:
        lines = lines_of(receipt(authorized("discount")))
        assert "Tributos totais incidentes (Lei Federal 12.741/2012): R$ 31,45" in lines

    @pytest.mark.parametrize("paper", [PaperSize.ROLL_80, PaperSize.ROLL_58])
    def test_approximate_taxes_are_printed_once_where_the_notes_divide_them(self, paper: PaperSize) -> None:
        text = text_without_breaks(receipt(authorized("shown-taxes"), paper))
        assert text.count("12.741") == 1
        assert "(Lei Federal 12.741/2012): R$ 39,96 (federal R$ 17,09, estadual R$ 22,87," in text

    def test_notes_of_the_issuer_are_printed_line_by_line(self) -> None:
        notes = (
            "<infAdic><infCpl>Volte sempre\nTroca em 30 dias</infCpl>"
            '<obsCont xCampo="Caixa"><xTexto>03</xTexto></obsCont></infAdic></infNFe>'
        )
        lines = lines_of(receipt(authorized("normal-regime", ("</infNFe>", notes))))
        assert lines[-3:] == ["Volte sempre", "Troca em 30 dias", "Caixa: 03"]

    def test_notes_mention_home_delivery(self) -> None:
        assert "ENTREGA EM DOMICÍLIO" in lines_of(receipt(authorized("delivery")))

    def test_notes_have_another_delivery_address(self) -> None:
        place = (
            "<entrega><CPF>52998224725</CPF><xNome>Ana</xNome><xLgr>Rua Azul</xLgr><nro>7</nro>"
            "<xCpl>fundos</xCpl><xBairro>Centro</xBairro><cMun>3550308</cMun><xMun>São Paulo</xMun>"
            "<UF>SP</UF><CEP>01001000</CEP><fone>11987654321</fone></entrega><det "
        )
        text = text_without_breaks(receipt(authorized("delivery", ("<det ", place))))
        assert (
            "LOCAL DE ENTREGA: Ana, CPF 529.982.247-25, Rua Azul, 7, fundos - Centro,"
            " São Paulo/SP - 01001-000 - Fone (11) 98765-4321"
        ) in text

    def test_characters_that_the_font_lacks_are_replaced(self) -> None:
        notes = "<infAdic><infCpl>Obrigado 😀 e até já</infCpl></infAdic></infNFe>"
        assert (
            lines_of(receipt(authorized("normal-regime", ("</infNFe>", notes))))[-1] == "Obrigado ? e até já"
        )


class TestPaper:
    @pytest.mark.parametrize(("paper", "width"), [(PaperSize.ROLL_80, 80), (PaperSize.ROLL_58, 58)])
    def test_page_is_as_wide_as_the_roll_and_as_long_as_the_text(
        self, paper: PaperSize, width: float
    ) -> None:
        pdf = receipt(authorized("discount"), paper)
        [page] = sizes_of(pdf)
        last = max(word.y1 for word in words_of(pdf))
        assert page.width == pytest.approx(width / POINT, abs=0.01)
        assert last < page.height < last + 5 / POINT

    def test_title_names_the_document(self) -> None:
        title = "NFC-e nº 1 série 1 - Loja Modelo Comércio Ltda".encode("utf-16-be").hex()
        assert title.encode() in receipt(authorized("cash"))


def _overlap(word: Word, box: tuple[float, float, float, float]) -> bool:
    left, top, right, bottom = box
    # Letters leave some of a word's box empty above and below.
    slack = (word.y1 - word.y0) / 5
    return word.x0 < right and word.x1 > left and word.y0 + slack < bottom and word.y1 - slack > top
