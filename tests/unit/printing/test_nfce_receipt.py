"""The receipt of an NFC-e, division by division down to its identification."""

import io
import re

import pytest
from PIL import Image

from carimbo.fiscal.printout import Paper
from carimbo.printing.canvas import POINT
from nfe_answers import PROTOCOL
from pdf_reading import sizes_of, text_of, text_without_breaks, words_of
from unit.printing.pictures import png
from unit.printing.receipts import PAPERS, authorized, lines_of, receipt, signed, word
from unit.printing.room import room_faults

# What no program shows is beyond it (ISO 32000-1, C.2).
LONGEST_PAGE = 14_400


class TestIssuer:
    def test_is_told_with_names_registrations_and_address(self) -> None:
        assert lines_of(receipt(authorized("cash")))[:6] == [
            "Loja Modelo",
            "Loja Modelo Comércio Ltda",
            "CNPJ 11.222.333/0001-81 IE 111222330112",
            "Avenida Paulista, 1000 - Bela Vista",
            "São Paulo/SP - 01310-100 - Fone (11) 3333-4444",
            "Documento Auxiliar da Nota Fiscal de Consumidor Eletrônica",
        ]

    def test_has_its_name_once_if_it_trades_under_it(self) -> None:
        same = ("<xFant>Loja Modelo</xFant>", "<xFant>Loja Modelo Comércio Ltda</xFant>")
        assert text_of(receipt(authorized("cash", same))).count("Loja Modelo") == 1

    def test_has_its_logo_above_its_name(self) -> None:
        file = io.BytesIO()
        Image.new("RGB", (300, 100), "navy").save(file, "PNG")
        plain, shown = receipt(authorized("cash")), receipt(authorized("cash"), logo=file.getvalue())
        assert shown.count(b"/Subtype /Image") == 1
        assert word(shown, "Loja").y0 > word(plain, "Loja").y0 + 18 / POINT


class TestItems:
    def test_stand_on_one_line_if_they_fit(self) -> None:
        lines = lines_of(receipt(authorized("normal-regime")))
        assert "ITEM002 Xampu 350 ml 1 UN x 20,00 20,00" in lines

    def test_have_their_numbers_below_a_description_that_is_too_long(self) -> None:
        pdf = receipt(authorized("cash"))
        assert "3 UN x 12,50 37,50" in lines_of(pdf)
        assert word(pdf, "12,50").y0 > word(pdf, "HOMOLOGACAO").y0

    def test_have_amounts_that_end_in_one_column(self) -> None:
        words = words_of(receipt(authorized("normal-regime")))
        amounts = ("50,00", "20,00", "30,00", "100,00")
        ends = [max(one.x1 for one in words if one.text == amount) for amount in amounts]
        assert ends == pytest.approx([ends[0]] * len(ends), abs=0.02)

    def test_tell_discount_surcharge_and_notes_below(self) -> None:
        more = (
            ("<indTot>", "<vOutro>1.25</vOutro><indTot>"),
            ("</imposto>", "</imposto><infAdProd>Azul</infAdProd>"),
        )
        lines = lines_of(receipt(authorized("discount", *more)))
        first = lines.index("Desconto -9,90")
        assert lines[first : first + 3] == ["Desconto -9,90", "Acréscimo 1,25", "Azul"]

    def test_have_as_many_decimals_as_they_need(self) -> None:
        exact = ("<qCom>3.0000", "<qCom>1234.5670"), ("<vUnCom>12.5000000000", "<vUnCom>0.0303700000")
        assert "1.234,567 UN x 0,03037 37,50" in lines_of(receipt(authorized("cash", *exact)))

    @PAPERS
    def test_may_be_990(self, paper: Paper) -> None:
        xml = signed("discount").decode()
        item = re.findall("<det .*</det>", xml)[0]
        codes = [f"ITEM{number:03}" for number in range(1, 991)]
        items = "".join(item.replace("ITEM001", code) for code in codes)
        pdf = receipt(xml.replace(item, items).encode(), paper)
        assert [word.text for word in words_of(pdf) if re.fullmatch(r"ITEM\d{3}", word.text)] == codes
        assert max(page.height for page in sizes_of(pdf)) <= LONGEST_PAGE
        assert room_faults(pdf) == {}


class TestTotals:
    def test_have_only_lines_that_are_not_zero(self) -> None:
        lines = lines_of(receipt(authorized("cash")))
        first = lines.index("Qtde. total de itens 1")
        assert lines[first + 1 : first + 3] == ["Valor total R$ 37,50", "Valor a Pagar R$ 37,50"]

    def test_tell_all_that_makes_the_amount(self) -> None:
        told = (
            ("<vSeg>0.00", "<vSeg>1.00"),
            ("<vDesc>0.00", "<vDesc>2.00"),
            ("<vOutro>0.00", "<vOutro>3.00"),
        )
        lines = lines_of(receipt(authorized("delivery", *told)))
        first = lines.index("Valor total R$ 42,00")
        assert lines[first + 1 : first + 6] == [
            "Desconto R$ -2,00",
            "Frete R$ 8,00",
            "Seguro R$ 1,00",
            "Acréscimos R$ 3,00",
            "Valor a Pagar R$ 50,00",
        ]

    def test_are_followed_by_payments_and_change(self) -> None:
        lines = lines_of(receipt(authorized("cash")))
        first = lines.index("FORMA DE PAGAMENTO VALOR PAGO R$")
        assert lines[first + 1 : first + 3] == ["Dinheiro 50,00", "Troco R$ 12,50"]

    def test_name_every_payment(self) -> None:
        lines = lines_of(receipt(authorized("cards")))
        assert {"Cartão de débito 30,00", "Cartão de crédito 40,00"} <= set(lines)
        assert "Troco" not in "".join(lines)

    def test_describe_a_payment_that_has_no_name(self) -> None:
        other = ("<tPag>01</tPag>", "<tPag>99</tPag><xPag>Permuta</xPag>")
        assert "Permuta 50,00" in lines_of(receipt(authorized("cash", other)))

    def test_show_the_code_of_a_payment_that_is_not_in_the_table(self) -> None:
        assert "77 50,00" in lines_of(receipt(authorized("cash", ("<tPag>01", "<tPag>77"))))


class TestConsultation:
    def test_has_address_and_key_in_groups_of_four(self) -> None:
        lines = lines_of(receipt(authorized("letters")))
        first = lines.index("Consulte pela Chave de Acesso em")
        address, key = lines[first + 1 : first + 3]
        assert address == "https://www.homologacao.nfce.fazenda.sp.gov.br/consulta"
        assert re.fullmatch("[0-9A-Z]{4}( [0-9A-Z]{4}){10}", key)
        assert key.replace(" ", "").encode() in signed("letters")


class TestConsumer:
    def test_may_be_unknown(self) -> None:
        assert "CONSUMIDOR NÃO IDENTIFICADO" in lines_of(receipt(authorized("cash")))

    def test_is_told_with_name_and_address(self) -> None:
        told = text_without_breaks(receipt(authorized("delivery")))
        name = "NF-E EMITIDA EM AMBIENTE DE HOMOLOGACAO - SEM VALOR FISCAL"
        address = "Praça da Sé, 100 - Sé São Paulo/SP - 01001-000"
        assert f"CONSUMIDOR - CPF 529.982.247-25 {name} {address} NFC-e nº" in told

    @pytest.mark.parametrize(
        ("told", "shown"),
        [
            ("<CNPJ>12ABC34501DE35</CNPJ>", "CONSUMIDOR - CNPJ 12.ABC.345/01DE-35"),
            ("<idEstrangeiro>AB123456</idEstrangeiro>", "CONSUMIDOR - Id. Estrangeiro AB123456"),
            ("<idEstrangeiro></idEstrangeiro>", "CONSUMIDOR NÃO IDENTIFICADO"),
        ],
    )
    def test_may_have_another_id(self, told: str, shown: str) -> None:
        xml = authorized("delivery", ("<CPF>52998224725</CPF>", told))
        assert shown in text_without_breaks(receipt(xml))


class TestIdentification:
    def test_has_number_series_moment_and_protocol(self) -> None:
        told = text_without_breaks(receipt(authorized("offline-qr3-cpf")))
        assert "NFC-e nº 000.000.002 Série 003 14/11/2026 11:05:00" in told
        assert f"Protocolo de autorização: {PROTOCOL} Data de autorização 15/11/2026 09:30:00" in told

    def test_says_twice_on_each_copy_that_an_offline_document_is_pending(self) -> None:
        copies = pages_of_text(receipt(signed("offline-qr2")))
        pending = "EMITIDA EM CONTINGÊNCIA Pendente de autorização"
        assert [copy.count(pending) for copy in copies] == [2, 2]
        assert not any("Protocolo" in copy for copy in copies)

    def test_says_of_an_offline_document_that_was_authorized_only_how_it_was_issued(self) -> None:
        told = text_without_breaks(receipt(authorized("offline-qr2")))
        assert told.count("EMITIDA EM CONTINGÊNCIA") == 2
        assert "Pendente" not in told

    def test_says_nothing_of_contingency_else(self) -> None:
        assert "CONTINGÊNCIA" not in text_of(receipt(authorized("cash")))


class TestCopies:
    @PAPERS
    def test_of_a_pending_offline_document_are_one_for_the_consumer_and_one_for_the_store(
        self, paper: Paper
    ) -> None:
        first, second = pages_of_text(receipt(signed("offline-qr3-cpf"), paper))
        assert "14/11/2026 11:05:00 Via Consumidor EMITIDA EM CONTINGÊNCIA" in first
        assert "14/11/2026 11:05:00 Via do Estabelecimento EMITIDA EM CONTINGÊNCIA" in second
        assert second == first.replace("Via Consumidor", "Via do Estabelecimento")

    def test_share_the_picture_of_the_logo(self) -> None:
        pdf = receipt(signed("offline-qr2"), logo=png(300, 100))
        assert pdf.count(b"/Subtype /Image") == 1

    @PAPERS
    def test_are_named_beside_the_moment_of_issue(self, paper: Paper) -> None:
        words = words_of(receipt(signed("offline-qr2"), paper))
        moments = [one.y0 for one in words if one.text == "11:05:00"]
        assert [one.y0 for one in words if one.text == "Via"] == moments
        assert len(moments) == 2

    def test_are_named_below_the_moment_of_issue_where_a_large_code_leaves_little_room(self) -> None:
        lines = lines_of(receipt(signed("offline-qr3-cpf"), Paper.ROLL_80))
        assert lines[lines.index("14/11/2026 11:05:00") + 1] == "Via do Estabelecimento"

    @pytest.mark.parametrize("xml", [authorized("offline-qr2"), authorized("cash"), signed("cash")])
    def test_are_one_without_a_label_for_any_other_document(self, xml: bytes) -> None:
        [only] = pages_of_text(receipt(xml))
        assert "Via " not in only


def pages_of_text(pdf: bytes) -> list[str]:
    """Returns the text of each page, in one line."""
    return [" ".join(page.split()) for page in text_of(pdf).removesuffix("\f").split("\f")]
