"""The printed page of a correction or cancellation."""

import io
import re
from pathlib import Path

import pytest
from golden import FOLDER
from PIL import Image

from carimbo.fiscal.printout import EventPrint
from carimbo.printing.engine.canvas import POINT
from carimbo.printing.engine.typeface import typeface_of
from carimbo.printing.event_page import draw_event
from nfe_answers import PROTOCOL, alone, event_receipt, note_protocol
from nfe_dialect import authorized_invoice, registered_event
from pdf_reading import codes_of, pages_of, text_of, text_without_breaks, words_of

REGISTRATION = "135260000000009"


def page(name: str, *changes: tuple[str, str], logo: bytes | None = None) -> bytes:
    """Prints an event of the examples, optionally changed: printing does not check the signature."""
    file = FOLDER / f"{name}.xml"
    event = file.read_text()
    for old, new in changes:
        assert old in event
        event = event.replace(old, new)
    event_type = re.findall("<tpEvento>([0-9]+)<", event)[0]
    answer = event_receipt("135", "Evento registrado e vinculado a NF-e", event_type=event_type)
    registered = registered_event(event.encode(), alone(answer))
    order = EventPrint(file.parts[-3], _document(file.parent.parent, key_of(name)), registered, logo)
    return draw_event(typeface_of(None), order)


def key_of(name: str) -> str:
    return str(re.findall("<chNFe>(.{44})<", (FOLDER / f"{name}.xml").read_text())[0])


def _document(folder: Path, key: str) -> bytes:
    [signed] = (
        xml for file in folder.glob("*.xml") if f'Id="NFe{key}"'.encode() in (xml := file.read_bytes())
    )
    return authorized_invoice(signed, alone(note_protocol("100", "Autorizado o uso da NF-e")))


class TestCorrection:
    NAME = "nfe/events/correction"

    def test_correction_has_its_text_and_the_conditions_of_use(self) -> None:
        text = text_without_breaks(page(self.NAME))
        assert "CARTA DE CORREÇÃO ELETRÔNICA" in text
        assert 'CORREÇÃO O complemento do endereço de entrega é "apto 15" & não "apto 5"' in text
        assert "CONDIÇÕES DE USO A Carta de Correcao e disciplinada pelo paragrafo 1o-A do art. 7o" in text
        assert "III - a data de emissao ou de saida." in text

    def test_correction_keeps_line_breaks(self) -> None:
        change = ("O complemento", "Onde se lê A\nleia-se B.\nO complemento")
        assert {"Onde se lê A", "leia-se B."} <= set(text_of(page(self.NAME, change)).splitlines())

    def test_correction_of_a_thousand_characters_fits_on_one_page(self) -> None:
        pdf = page(self.NAME, ("O complemento", "W" * 930 + " O complemento"))
        assert pages_of(pdf) == 1
        assert text_of(pdf).count("W") == 930

    def test_long_correction_takes_as_many_pages_as_it_needs(self) -> None:
        numbers = [f"linha-{number}" for number in range(200)]
        pdf = page(self.NAME, ("O complemento", "\n".join([*numbers, "O complemento"])))
        words = words_of(pdf)
        assert [word.text for word in words if word.text.startswith("linha-")] == numbers
        assert {word.page for word in words if word.text == "(CONTINUAÇÃO)"} == set(range(1, pages_of(pdf)))
        assert pages_of(pdf) > 2

    @pytest.mark.parametrize("lines", range(22, 34))
    def test_correction_leaves_no_text_below_the_edge_of_a_page(self, lines: int) -> None:
        pdf = page(self.NAME, ("O complemento", "\n".join(["x"] * lines + ["O complemento"])))
        words = words_of(pdf)
        assert text_without_breaks(pdf).endswith("emissao ou de saida.")
        assert sum(word.text == "x" for word in words) == lines
        assert max(word.y1 for word in words) * POINT < 292


class TestCancellation:
    def test_cancellation_has_its_reason(self) -> None:
        text = text_without_breaks(page("nfe/events/cancellation"))
        reason = re.findall("<xJust>(.*)</xJust>", (FOLDER / "nfe/events/cancellation.xml").read_text())[0]
        assert "CANCELAMENTO DE NF-e" in text
        assert f"JUSTIFICATIVA {reason}" in text
        assert "CORREÇÃO" not in text
        assert "SUBSTITUI" not in text

    def test_cancellation_of_a_receipt_names_the_nfce(self) -> None:
        text = text_without_breaks(page("nfce/events/cancellation"))
        assert "CANCELAMENTO DE NFC-e" in text
        assert "65 - NFC-e" in text
        assert "CONSUMIDOR NÃO IDENTIFICADO" in text
        assert "Consulte sua autenticidade em https://www.homologacao.nfce.fazenda.sp.gov.br/consulta" in text

    def test_cancellation_by_substitution_has_the_key_of_the_other_receipt(self) -> None:
        text = text_without_breaks(page("nfce/events/cancellation-by-substitution"))
        assert "CANCELAMENTO DE NFC-e POR SUBSTITUIÇÃO" in text
        key = "3526 1111 2223 3300 0181 6500 1000 0000 0294 6005 9387"
        assert f"CHAVE DE ACESSO DA NFC-e QUE A SUBSTITUI {key}" in text


class TestEveryEvent:
    def test_event_page_names_issuer_and_recipient(self) -> None:
        text = text_without_breaks(page("nfe/events/correction"))
        for value in (
            "Loja Modelo Comércio Ltda", "11.222.333/0001-81", "111222330112", "Avenida Paulista, 1000",
            "Bela Vista", "01310-100", "São Paulo", "(11) 3333-4444",
            "NF-E EMITIDA EM AMBIENTE DE HOMOLOGACAO - SEM VALOR FISCAL", "44.455.566/0001-83",
        ):  # fmt: skip
            assert value in text

    def test_event_page_names_the_document(self) -> None:
        text = text_without_breaks(page("nfe/events/correction"))
        for value in ("55 - NF-e", "001", "000.000.008", "14/11/2026 10:30:00", PROTOCOL, "360,00"):
            assert value in text

    def test_event_page_describes_the_event_and_its_registration(self) -> None:
        text = text_without_breaks(page("nfe/events/correction"))
        assert "TIPO 110110 - Carta de Correcao SEQUÊNCIA 2 DATA E HORA DO EVENTO 14/11/2026 15:00:00" in text
        assert "SITUAÇÃO 135 - Evento registrado e vinculado a NF-e" in text
        assert f"PROTOCOLO {REGISTRATION} DATA E HORA DO REGISTRO 15/11/2026 10:00:00" in text

    @pytest.mark.parametrize("name", ["nfe/events/correction", "nfe/events/cancellation-letters"])
    def test_event_page_has_the_key_as_text_and_as_bar_code(self, name: str) -> None:
        pdf, key = page(name), key_of(name)
        assert " ".join(re.findall(".{4}", key)) in text_without_breaks(pdf)
        assert codes_of(pdf) == {key}

    def test_event_page_is_marked_only_in_homologation(self) -> None:
        production = page("nfce/events/cancellation", ("<tpAmb>2", "<tpAmb>1"))
        assert "SEM VALOR FISCAL" in text_without_breaks(page("nfce/events/cancellation"))
        assert "SEM VALOR FISCAL" not in text_without_breaks(production)

    def test_event_page_has_the_issuers_logo(self) -> None:
        file = io.BytesIO()
        Image.new("RGB", (300, 100), "navy").save(file, "PNG")
        name = "nfe/events/cancellation"
        assert b"/Subtype /Image" in page(name, logo=file.getvalue())
        assert b"/Subtype /Image" not in page(name)

    def test_event_page_title_names_the_document(self) -> None:
        title = "CANCELAMENTO DE NFC-e - NFC-e nº 1 série 1".encode("utf-16-be").hex()
        assert title.encode() in page("nfce/events/cancellation")

    def test_unknown_event_type_is_named_as_in_its_file(self) -> None:
        pdf = page(
            "nfe/events/correction",
            ("<tpEvento>110110", "<tpEvento>110999"),
            ("Carta de Correcao<", "Outro {x}<"),
        )
        assert "Outro {x}" in text_of(pdf).splitlines()
