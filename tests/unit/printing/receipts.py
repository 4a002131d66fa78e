"""Printed NFC-e receipts, and readers of their text."""

import pytest
from golden import FOLDER

from carimbo.fiscal.printout import DocumentPrint, PaperSize
from carimbo.printing.engine.typeface import typeface_of
from carimbo.printing.nfce_receipt import draw_receipt
from nfe_answers import alone, note_protocol
from nfe_dialect import authorized_invoice
from pdf_reading import Word, text_of, words_of

PAPERS = pytest.mark.parametrize("paper", [PaperSize.ROLL_80, PaperSize.ROLL_58])


def signed(name: str, *changes: tuple[str, str]) -> bytes:
    """Returns the document of an example, optionally changed: printing does not check the signature."""
    xml = (FOLDER / "nfce" / f"{name}.xml").read_text()
    for old, new in changes:
        assert old in xml
        xml = xml.replace(old, new)
    return xml.encode()


def authorized(name: str, *changes: tuple[str, str], alerts: str = "") -> bytes:
    protocol = note_protocol("100", "Autorizado o uso da NF-e", alerts=alerts)
    return authorized_invoice(signed(name, *changes), alone(protocol))


def receipt(
    xml: bytes, paper: PaperSize = PaperSize.ROLL_80, *, is_canceled: bool = False, logo: bytes | None = None
) -> bytes:
    return draw_receipt(typeface_of(None), DocumentPrint("nfce", xml, paper, is_canceled, logo=logo))


def lines_of(pdf: bytes) -> list[str]:
    return text_of(pdf).removesuffix("\f").splitlines()


def word(pdf: bytes, text: str) -> Word:
    """Returns the first word with a text."""
    return next(word for word in words_of(pdf) if word.text == text)
