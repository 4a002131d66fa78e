"""Texts that authorities read, and the digest that distinguishes one signed filing from another."""

import pytest
from pydantic import TypeAdapter, ValidationError

from carimbo.fiscal.filing import Justification, SingleLineText
from carimbo.fiscal.signed_documents import SignedFiling
from unit.fiscal.goods.support import misformed

JUSTIFICATION: TypeAdapter[str] = TypeAdapter(Justification)
LINE: TypeAdapter[str] = TypeAdapter(SingleLineText)
MIN_LENGTH, MAX_LENGTH = 15, 255


def refusal(text: object) -> str:
    """Returns the message for an invalid justification."""
    with pytest.raises(ValidationError) as caught:
        JUSTIFICATION.validate_python(text)
    (sentence,) = misformed(caught.value).values()
    return sentence


class TestLine:
    @pytest.mark.parametrize(
        "text", [" Pedido  errado ", "Pedido   errado", "Pedido\u00a0\u2003errado", "Pedido\u2028errado"]
    )
    def test_spaces_are_single_and_none_is_at_the_ends(self, text: str) -> None:
        assert LINE.validate_python(text) == "Pedido errado"

    @pytest.mark.parametrize("text", ["Pedido\nerrado", "Pedido\terrado", "Pedido\x00errado"])
    def test_control_characters_are_refused_and_not_replaced(self, text: str) -> None:
        with pytest.raises(ValidationError) as caught:
            LINE.validate_python(text)
        assert "caracteres de controle" in next(iter(misformed(caught.value).values()))

    @pytest.mark.parametrize("text", ["", "   ", "\u00a0"])
    def test_empty_line_is_refused(self, text: str) -> None:
        with pytest.raises(ValidationError):
            LINE.validate_python(text)


class TestJustification:
    @pytest.mark.parametrize("length", [MIN_LENGTH, MAX_LENGTH])
    def test_justification_of_the_limit_lengths_is_accepted(self, length: int) -> None:
        assert JUSTIFICATION.validate_python("x" * length) == "x" * length

    @pytest.mark.parametrize(
        ("length", "sentence"),
        [
            (MIN_LENGTH - 1, "Deve ter pelo menos 15 caracteres."),
            (MAX_LENGTH + 1, "Deve ter no máximo 255 caracteres."),
        ],
    )
    def test_justification_of_another_length_is_refused(self, length: int, sentence: str) -> None:
        assert refusal("x" * length) == sentence

    def test_extra_spaces_do_not_make_a_justification_long_enough(self) -> None:
        assert refusal(f"Pedido{' ' * 20}errado") == "Deve ter pelo menos 15 caracteres."

    def test_extra_spaces_do_not_make_a_justification_too_long(self) -> None:
        text = f"  {'x' * 127}{' ' * 50}{'y' * 127}  "
        assert len(JUSTIFICATION.validate_python(text)) == MAX_LENGTH

    def test_justification_must_be_a_text(self) -> None:
        assert refusal(123456789012345) == "Deve ser um texto."


class TestSignedFiling:
    def test_filing_is_identified_by_its_digest(self) -> None:
        xml = b"<evento><Signature><DigestValue>IJKcPCllY/ZW9aIZ8cyA=</DigestValue></Signature></evento>"
        assert SignedFiling.of(xml) == SignedFiling(xml, "IJKcPCllY/ZW9aIZ8cyA=")

    @pytest.mark.parametrize("xml", [b"", b"<evento/>", b"<evento><DigestValue></DigestValue></evento>"])
    def test_filing_without_a_digest_raises_lookup_error(self, xml: bytes) -> None:
        with pytest.raises(LookupError):
            SignedFiling.of(xml)

    def test_repr_of_a_filing_has_no_xml(self) -> None:
        assert "secret" not in repr(SignedFiling(b"<secret/>", "abc="))
