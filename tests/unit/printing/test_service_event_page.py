"""The printed page of an event of an NFS-e."""

import re

import pytest
from golden import FOLDER

from carimbo.fiscal.printout import EventPrint
from pdf_reading import codes_of, pages_of, text_of, text_without_breaks, title_of
from unit.printing.issued_notes import issued, registered
from unit.printing.paper import RENDERER
from unit.printing.pictures import png
from unit.printing.room import room_faults

REQUEST = (FOLDER / "nfse/events/cancellation-mistake.xml").read_text()
LETTERS = "letters"
OTHER_KEY = "35503082212ABC34501DE35000000000012426111234567890"
SUBSTITUTION = (
    "<e105102><xDesc>Cancelamento de NFS-e por Substituição</xDesc><cMotivo>05</cMotivo>"
    f"<chSubstituta>{OTHER_KEY}</chSubstituta></e105102>"
)


def page(
    *changes: tuple[str, str], name: str = "normal", logo: bytes | None = None, taker: bool = True
) -> bytes:
    """Prints an event, optionally with a changed request."""
    request, declaration = REQUEST, (FOLDER / f"nfse/{name}.xml").read_text()
    for old, new in changes:
        assert old in request
        request = request.replace(old, new)
    if not taker:
        declaration = re.sub("<toma>.*</toma>", "", declaration)
    return RENDERER.event(EventPrint("nfse", issued(declaration.encode()), registered(request), logo))


def by_substitution() -> bytes:
    (detail,) = re.findall("<e101101>.*</e101101>", REQUEST)
    return page((detail, SUBSTITUTION))


class TestCancellation:
    def test_cancellation_has_its_reason(self) -> None:
        text = text_without_breaks(page())
        assert "CANCELAMENTO DE NFS-e" in text
        assert "MOTIVO 1 - Erro na Emissão JUSTIFICATIVA Nota emitida em duplicidade" in text
        assert "SUBSTITUI" not in text

    def test_cancellation_describes_the_event_and_its_registration(self) -> None:
        text = text_without_breaks(page())
        assert "TIPO 101101 - Cancelamento de NFS-e SEQUÊNCIA 1" in text
        assert "DATA E HORA DO EVENTO 14/11/2026 15:00:00" in text
        assert re.search(r"IDENTIFICADOR DO REGISTRO EVT\d{50}101101001 AUTOR 11.222.333/0001-81", text)
        assert "DATA E HORA DO REGISTRO 14/11/2026 12:00:03" in text

    def test_longest_reason_fits(self) -> None:
        pdf = page(("Nota emitida em duplicidade", "W" * 255), ("<tpAmb>2", "<tpAmb>1"))
        assert text_of(pdf).count("W") == 255
        assert room_faults(pdf) == {}
        assert pages_of(pdf) == 1

    def test_unknown_reason_is_printed_as_its_code(self) -> None:
        assert "MOTIVO 7" in text_without_breaks(page(("<cMotivo>1", "<cMotivo>7")))


class TestSubstitution:
    def test_substitution_has_the_key_of_the_other_note(self) -> None:
        text = text_without_breaks(by_substitution())
        assert "CANCELAMENTO DE NFS-e POR SUBSTITUIÇÃO" in text
        assert "MOTIVO 05 - Rejeição de NFS-e pelo tomador" in text
        key = " ".join(re.findall("..?.?.?", OTHER_KEY))
        assert f"CHAVE DE ACESSO DA NFS-e QUE A SUBSTITUI {key}" in text
        assert "JUSTIFICATIVA" not in text


class TestEveryEvent:
    def test_event_page_names_issuer_and_taker(self) -> None:
        text = text_without_breaks(page())
        for value in (
            "Estúdio Modelo Ltda", "11.222.333/0001-81", "1234567", "Avenida Paulista, 1000, Sala 12",
            "Bela Vista", "01310-100", "São Paulo", "(11) 3333-4444", "Mercado Modelo S.A.",
            "66.677.788/0001-83",
        ):  # fmt: skip
            assert value in text

    def test_missing_taker_is_printed_as_unidentified(self) -> None:
        assert "TOMADOR NÃO IDENTIFICADO" in text_without_breaks(page(taker=False))

    def test_event_page_describes_the_note(self) -> None:
        text = text_without_breaks(page())
        for value in ("NÚMERO DA NFS-e 123", "14/11/2026 10:00:02", "COMPETÊNCIA 14/11/2026", "1.234,50"):
            assert value in text

    @pytest.mark.parametrize("name", ["normal", LETTERS])
    def test_event_page_has_the_key_as_text_and_as_qr_code(self, name: str) -> None:
        pdf = page(name=name)
        (address,) = codes_of(pdf)
        host, _, key = address.partition("/ConsultaPublica/?tpc=1&chave=")
        assert host == "https://www.producaorestrita.nfse.gov.br"
        assert len(key) == 50
        assert " ".join(re.findall("..?.?.?", key)) in text_without_breaks(pdf)
        assert key.isdigit() is (name != LETTERS)

    def test_event_page_is_marked_only_in_homologation(self) -> None:
        production = page(("<tpAmb>2", "<tpAmb>1"))
        assert "SEM VALOR FISCAL" in text_without_breaks(page())
        assert "SEM VALOR FISCAL" not in text_without_breaks(production)

    def test_event_page_has_the_issuers_logo(self) -> None:
        assert b"/Subtype /Image" in page(logo=png(300, 100))
        assert b"/Subtype /Image" not in page()

    def test_event_page_title_names_the_note(self) -> None:
        assert title_of(page()) == "CANCELAMENTO DE NFS-e - NFS-e nº 123"
