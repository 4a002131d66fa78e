"""The receipt of an NFC-e, part by part down to its identification."""

import io
import re

import pytest
from PIL import Image

from carimbo.fiscal.printout import PaperSize
from carimbo.printing.engine.canvas import POINT
from nfe_answers import PROTOCOL
from pdf_reading import sizes_of, text_of, text_without_breaks, words_of
from unit.printing.pictures import png
from unit.printing.receipts import PAPERS, authorized, lines_of, receipt, signed, word
from unit.printing.room import room_faults

# Programs show no longer page (ISO 32000-1, C.2).
MAX_PAGE_POINTS = 14_400


class TestIssuer:
    def test_issuer_has_names_registrations_and_address(self) -> None:
        assert lines_of(receipt(authorized("cash")))[:6] == [
            "Loja Modelo",
            "Loja Modelo Comércio Ltda",
            "CNPJ 11.222.333/0001-81 IE 111222330112",
            "Avenida Paulista, 1000 - Bela Vista",
            "São Paulo/SP - 01310-100 - Fone (11) 3333-4444",
            "Documento Auxiliar da Nota Fiscal de Consumidor Eletrônica",
        ]

    def test_issuer_name_that_is_also_its_trade_name_is_printed_once(self) -> None:
        same = ("<xFant>Loja Modelo</xFant>", "<xFant>Loja Modelo Comércio Ltda</xFant>")
        assert text_of(receipt(authorized("cash", same))).count("Loja Modelo") == 1

    def test_logo_is_above_the_issuer_name(self) -> None:
        file = io.BytesIO()
        Image.new("RGB", (300, 100), "navy").save(file, "PNG")
        plain, shown = receipt(authorized("cash")), receipt(authorized("cash"), logo=file.getvalue())
        assert shown.count(b"/Subtype /Image") == 1
        assert word(shown, "Loja").y0 > word(plain, "Loja").y0 + 18 / POINT


class TestItems:
    def test_item_that_fits_takes_one_line(self) -> None:
        lines = lines_of(receipt(authorized("normal-regime")))
        assert "ITEM002 Xampu 350 ml 1 UN x 20,00 20,00" in lines

    def test_numbers_of_an_item_are_below_a_long_description(self) -> None:
        pdf = receipt(authorized("cash"))
        assert "3 UN x 12,50 37,50" in lines_of(pdf)
        assert word(pdf, "12,50").y0 > word(pdf, "HOMOLOGACAO").y0

    def test_amounts_of_items_end_in_one_column(self) -> None:
        words = words_of(receipt(authorized("normal-regime")))
        amounts = ("50,00", "20,00", "30,00", "100,00")
        ends = [max(word.x1 for word in words if word.text == amount) for amount in amounts]
        assert ends == pytest.approx([ends[0]] * len(ends), abs=0.02)

    def test_discount_surcharge_and_notes_are_below_the_item(self) -> None:
        more = (
            ("<indTot>", "<vOutro>1.25</vOutro><indTot>"),
            ("</imposto>", "</imposto><infAdProd>Azul</infAdProd>"),
        )
        lines = lines_of(receipt(authorized("discount", *more)))
        first = lines.index("Desconto -9,90")
        assert lines[first : first + 3] == ["Desconto -9,90", "Acréscimo 1,25", "Azul"]

    def test_quantities_and_prices_have_the_needed_decimals(self) -> None:
        exact = ("<qCom>3.0000", "<qCom>1234.5670"), ("<vUnCom>12.5000000000", "<vUnCom>0.0303700000")
        assert "1.234,567 UN x 0,03037 37,50" in lines_of(receipt(authorized("cash", *exact)))

    @PAPERS
    def test_receipt_may_have_990_items(self, paper: PaperSize) -> None:
        xml = signed("discount").decode()
        item = re.findall("<det .*</det>", xml)[0]
        codes = [f"ITEM{number:03}" for number in range(1, 991)]
        items = "".join(item.replace("ITEM001", code) for code in codes)
        pdf = receipt(xml.replace(item, items).encode(), paper)
        assert [word.text for word in words_of(pdf) if re.fullmatch(r"ITEM\d{3}", word.text)] == codes
        assert max(page.height for page in sizes_of(pdf)) <= MAX_PAGE_POINTS
        assert room_faults(pdf) == {}


class TestTotals:
    def test_totals_that_are_zero_are_left_out(self) -> None:
        lines = lines_of(receipt(authorized("cash")))
        first = lines.index("Qtde. total de itens 1")
        assert lines[first + 1 : first + 3] == ["Valor total R$ 37,50", "Valor a Pagar R$ 37,50"]

    def test_totals_show_every_part_of_the_amount(self) -> None:
        changes = (
            ("<vSeg>0.00", "<vSeg>1.00"),
            ("<vDesc>0.00", "<vDesc>2.00"),
            ("<vOutro>0.00", "<vOutro>3.00"),
        )
        lines = lines_of(receipt(authorized("delivery", *changes)))
        first = lines.index("Valor total R$ 42,00")
        assert lines[first + 1 : first + 6] == [
            "Desconto R$ -2,00",
            "Frete R$ 8,00",
            "Seguro R$ 1,00",
            "Acréscimos R$ 3,00",
            "Valor a Pagar R$ 50,00",
        ]

    def test_totals_are_followed_by_payments_and_change(self) -> None:
        lines = lines_of(receipt(authorized("cash")))
        first = lines.index("FORMA DE PAGAMENTO VALOR PAGO R$")
        assert lines[first + 1 : first + 3] == ["Dinheiro 50,00", "Troco R$ 12,50"]

    def test_every_payment_is_named(self) -> None:
        lines = lines_of(receipt(authorized("cards")))
        assert {"Cartão de débito 30,00", "Cartão de crédito 40,00"} <= set(lines)
        assert "Troco" not in "".join(lines)

    def test_other_payment_is_printed_with_its_description(self) -> None:
        other = ("<tPag>01</tPag>", "<tPag>99</tPag><xPag>Permuta</xPag>")
        assert "Permuta 50,00" in lines_of(receipt(authorized("cash", other)))

    def test_unknown_payment_method_is_printed_as_its_code(self) -> None:
        assert "77 50,00" in lines_of(receipt(authorized("cash", ("<tPag>01", "<tPag>77"))))


class TestConsultation:
    def test_consultation_has_address_and_key_in_groups_of_four(self) -> None:
        lines = lines_of(receipt(authorized("letters")))
        first = lines.index("Consulte pela Chave de Acesso em")
        address, key = lines[first + 1 : first + 3]
        assert address == "https://www.homologacao.nfce.fazenda.sp.gov.br/consulta"
        assert re.fullmatch("[0-9A-Z]{4}( [0-9A-Z]{4}){10}", key)
        assert key.replace(" ", "").encode() in signed("letters")


class TestConsumer:
    def test_unidentified_consumer_is_printed_as_such(self) -> None:
        assert "CONSUMIDOR NÃO IDENTIFICADO" in lines_of(receipt(authorized("cash")))

    def test_consumer_has_name_and_address(self) -> None:
        text = text_without_breaks(receipt(authorized("delivery")))
        name = "NF-E EMITIDA EM AMBIENTE DE HOMOLOGACAO - SEM VALOR FISCAL"
        address = "Praça da Sé, 100 - Sé São Paulo/SP - 01001-000"
        assert f"CONSUMIDOR - CPF 529.982.247-25 {name} {address} NFC-e nº" in text

    @pytest.mark.parametrize(
        ("element", "shown"),
        [
            ("<CNPJ>12ABC34501DE35</CNPJ>", "CONSUMIDOR - CNPJ 12.ABC.345/01DE-35"),
            ("<idEstrangeiro>AB123456</idEstrangeiro>", "CONSUMIDOR - Id. Estrangeiro AB123456"),
            ("<idEstrangeiro></idEstrangeiro>", "CONSUMIDOR NÃO IDENTIFICADO"),
        ],
    )
    def test_consumer_may_have_another_id(self, element: str, shown: str) -> None:
        xml = authorized("delivery", ("<CPF>52998224725</CPF>", element))
        assert shown in text_without_breaks(receipt(xml))


class TestIdentification:
    def test_identification_has_number_series_moment_and_protocol(self) -> None:
        text = text_without_breaks(receipt(authorized("offline-qr3-cpf")))
        assert "NFC-e nº 000.000.002 Série 003 14/11/2026 11:05:00" in text
        assert f"Protocolo de autorização: {PROTOCOL} Data de autorização 15/11/2026 09:30:00" in text

    def test_pending_offline_document_says_so_twice_on_each_copy(self) -> None:
        copies = pages_of_text(receipt(signed("offline-qr2")))
        pending = "EMITIDA EM CONTINGÊNCIA Pendente de autorização"
        assert [copy.count(pending) for copy in copies] == [2, 2]
        assert not any("Protocolo" in copy for copy in copies)

    def test_authorized_offline_document_says_only_how_it_was_issued(self) -> None:
        text = text_without_breaks(receipt(authorized("offline-qr2")))
        assert text.count("EMITIDA EM CONTINGÊNCIA") == 2
        assert "Pendente" not in text

    def test_online_document_does_not_mention_contingency(self) -> None:
        assert "CONTINGÊNCIA" not in text_of(receipt(authorized("cash")))


class TestCopies:
    @PAPERS
    def test_pending_offline_document_has_copies_for_consumer_and_store(self, paper: PaperSize) -> None:
        first, second = pages_of_text(receipt(signed("offline-qr3-cpf"), paper))
        assert "14/11/2026 11:05:00 Via Consumidor EMITIDA EM CONTINGÊNCIA" in first
        assert "14/11/2026 11:05:00 Via do Estabelecimento EMITIDA EM CONTINGÊNCIA" in second
        assert second == first.replace("Via Consumidor", "Via do Estabelecimento")

    def test_copies_share_the_logo_image(self) -> None:
        pdf = receipt(signed("offline-qr2"), logo=png(300, 100))
        assert pdf.count(b"/Subtype /Image") == 1

    @PAPERS
    def test_copies_are_labeled_beside_the_issue_time(self, paper: PaperSize) -> None:
        words = words_of(receipt(signed("offline-qr2"), paper))
        moments = [word.y0 for word in words if word.text == "11:05:00"]
        assert [word.y0 for word in words if word.text == "Via"] == moments
        assert len(moments) == 2

    def test_copies_are_labeled_below_the_issue_time_beside_a_large_code(self) -> None:
        lines = lines_of(receipt(signed("offline-qr3-cpf"), PaperSize.ROLL_80))
        assert lines[lines.index("14/11/2026 11:05:00") + 1] == "Via do Estabelecimento"

    @pytest.mark.parametrize("xml", [authorized("offline-qr2"), authorized("cash"), signed("cash")])
    def test_other_documents_have_one_copy_without_label(self, xml: bytes) -> None:
        [only] = pages_of_text(receipt(xml))
        assert "Via " not in only


def pages_of_text(pdf: bytes) -> list[str]:
    """Returns the text of each page, in one line."""
    return [" ".join(page.split()) for page in text_of(pdf).removesuffix("\f").split("\f")]
