"""The receipt of an NFC-e from the code on: messages, notes, and the paper that all of it takes."""

import re
from typing import NamedTuple

import pytest

from carimbo.fiscal.printout import Paper
from carimbo.printing.canvas import POINT, Canvas
from carimbo.printing.codes import Bitmap
from pdf_reading import Word, codes_of, sizes_of, text_of, text_without_breaks, words_of
from unit.printing.receipts import PAPERS, authorized, lines_of, receipt, signed, word


class Rectangle(NamedTuple):
    """Where a code was drawn, in points."""

    left: float
    top: float
    right: float
    bottom: float
    module: float


@pytest.fixture
def drawn_codes(monkeypatch: pytest.MonkeyPatch) -> list[Rectangle]:
    """Where codes are drawn from now on."""
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
    def test_is_read_as_the_address_that_was_signed(self, paper: Paper, name: str) -> None:
        address = re.findall("<qrCode>(.*)</qrCode>", signed(name).decode())[0].replace("&amp;", "&")
        assert codes_of(receipt(authorized(name), paper, is_canceled=True)) == {address}

    @PAPERS
    @pytest.mark.parametrize("name", ["cash", "delivery", "offline-qr3-cpf"])
    def test_is_large_and_has_nothing_near_it(
        self, paper: Paper, name: str, drawn_codes: list[Rectangle]
    ) -> None:
        words = words_of(receipt(authorized(name), paper))
        [code] = drawn_codes
        quiet = 4 * code.module
        near = (code.left - quiet, code.top - quiet, code.right + quiet, code.bottom + quiet)
        assert round((code.right - code.left) * POINT, 3) >= 25
        assert [one.text for one in words if _overlap(one, near)] == []

    def test_stands_beside_the_consumer_where_there_is_room(self, drawn_codes: list[Rectangle]) -> None:
        wide, narrow = (receipt(authorized("cash"), paper) for paper in (Paper.ROLL_80, Paper.ROLL_58))
        beside, below = drawn_codes
        assert word(wide, "CONSUMIDOR").x0 > beside.right
        assert word(narrow, "Data").y1 < below.top

    def test_is_left_out_where_there_is_none(self, drawn_codes: list[Rectangle]) -> None:
        xml = re.sub(b"<infNFeSupl>.*</infNFeSupl>", b"", signed("cash"))
        assert "CONSUMIDOR NÃO IDENTIFICADO" in lines_of(receipt(xml))
        assert drawn_codes == []


class TestMessages:
    def test_say_that_homologation_has_no_fiscal_value(self) -> None:
        lines = lines_of(receipt(authorized("cash")))
        assert lines.count("EMITIDA EM AMBIENTE DE HOMOLOGAÇÃO - SEM VALOR FISCAL") == 2

    def test_say_nothing_of_it_in_production(self) -> None:
        xml = authorized("normal-regime", ("<tpAmb>2", "<tpAmb>1"), ("EMITIDA EM AMBIENTE", "X"))
        assert "HOMOLOGAÇÃO" not in text_of(receipt(xml))

    def test_say_large_that_a_document_is_canceled(self) -> None:
        pdf = receipt(authorized("cash"), is_canceled=True)
        canceled = word(pdf, "CANCELADA")
        assert lines_of(pdf).count("NFC-e CANCELADA") == 2
        assert canceled.y1 - canceled.y0 > 1.5 * (word(pdf, "Dinheiro").y1 - word(pdf, "Dinheiro").y0)

    def test_say_nothing_of_a_cancellation_else(self) -> None:
        assert "CANCELADA" not in text_of(receipt(authorized("cash")))

    def test_have_what_the_authority_wants_told(self) -> None:
        notes = (
            "<infAdic><infAdFisco>Regime especial 12</infAdFisco>"
            '<obsFisco xCampo="Lei"><xTexto>99/2020</xTexto></obsFisco></infAdic></infNFe>'
        )
        alerts = "<cMsg>1</cMsg><xMsg>Participe do sorteio</xMsg>"
        lines = lines_of(receipt(authorized("normal-regime", ("</infNFe>", notes), alerts=alerts)))
        assert lines[-3:] == ["Regime especial 12", "Lei: 99/2020", "Participe do sorteio"]


class TestNotes:
    def test_have_the_approximate_taxes(self) -> None:
        lines = lines_of(receipt(authorized("discount")))
        assert "Tributos totais incidentes (Lei Federal 12.741/2012): R$ 31,45" in lines

    @pytest.mark.parametrize("paper", [Paper.ROLL_80, Paper.ROLL_58])
    def test_show_the_approximate_taxes_once_where_the_notes_divide_them(self, paper: Paper) -> None:
        text = text_without_breaks(receipt(authorized("shown-taxes"), paper))
        assert text.count("12.741") == 1
        assert "(Lei Federal 12.741/2012): R$ 39,96 (federal R$ 17,09, estadual R$ 22,87," in text

    def test_have_what_the_issuer_says_line_by_line(self) -> None:
        notes = (
            "<infAdic><infCpl>Volte sempre\nTroca em 30 dias</infCpl>"
            '<obsCont xCampo="Caixa"><xTexto>03</xTexto></obsCont></infAdic></infNFe>'
        )
        lines = lines_of(receipt(authorized("normal-regime", ("</infNFe>", notes))))
        assert lines[-3:] == ["Volte sempre", "Troca em 30 dias", "Caixa: 03"]

    def test_say_that_goods_are_delivered(self) -> None:
        assert "ENTREGA EM DOMICÍLIO" in lines_of(receipt(authorized("delivery")))

    def test_have_another_place_of_delivery(self) -> None:
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

    def test_replace_what_the_font_does_not_have(self) -> None:
        notes = "<infAdic><infCpl>Obrigado 😀 e até já</infCpl></infAdic></infNFe>"
        assert (
            lines_of(receipt(authorized("normal-regime", ("</infNFe>", notes))))[-1] == "Obrigado ? e até já"
        )


class TestPaper:
    @pytest.mark.parametrize(("paper", "width"), [(Paper.ROLL_80, 80), (Paper.ROLL_58, 58)])
    def test_is_as_wide_as_the_roll_and_as_long_as_the_text(self, paper: Paper, width: float) -> None:
        pdf = receipt(authorized("discount"), paper)
        [page] = sizes_of(pdf)
        last = max(one.y1 for one in words_of(pdf))
        assert page.width == pytest.approx(width / POINT, abs=0.01)
        assert last < page.height < last + 5 / POINT

    def test_has_a_title_that_tells_the_document(self) -> None:
        title = "NFC-e nº 1 série 1 - Loja Modelo Comércio Ltda".encode("utf-16-be").hex()
        assert title.encode() in receipt(authorized("cash"))


def _overlap(one: Word, box: tuple[float, float, float, float]) -> bool:
    left, top, right, bottom = box
    # Letters leave some of a word's box empty above and below.
    slack = (one.y1 - one.y0) / 5
    return one.x0 < right and one.x1 > left and one.y0 + slack < bottom and one.y1 - slack > top
