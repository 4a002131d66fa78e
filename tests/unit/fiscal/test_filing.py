"""What people write for an authority to read, and what tells one signed statement from another."""

import pytest
from pydantic import TypeAdapter, ValidationError

from carimbo.fiscal.filing import Justification, Line
from carimbo.fiscal.signed_filing import SignedFiling
from unit.fiscal.goods.support import misformed

JUSTIFICATION: TypeAdapter[str] = TypeAdapter(Justification)
LINE: TypeAdapter[str] = TypeAdapter(Line)
SHORTEST, LONGEST = 15, 255


def refusal(text: object) -> str:
    """What is said of a justification that is none."""
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
    def test_what_moves_a_cursor_is_refused_and_not_made_up_for(self, text: str) -> None:
        with pytest.raises(ValidationError) as caught:
            LINE.validate_python(text)
        assert "caracteres de controle" in next(iter(misformed(caught.value).values()))

    @pytest.mark.parametrize("text", ["", "   ", "\u00a0"])
    def test_nothing_is_no_line(self, text: str) -> None:
        with pytest.raises(ValidationError):
            LINE.validate_python(text)


class TestJustification:
    @pytest.mark.parametrize("length", [SHORTEST, LONGEST])
    def test_of_the_shortest_and_the_longest_is_taken(self, length: int) -> None:
        assert JUSTIFICATION.validate_python("x" * length) == "x" * length

    @pytest.mark.parametrize(
        ("length", "sentence"),
        [
            (SHORTEST - 1, "Deve ter pelo menos 15 caracteres."),
            (LONGEST + 1, "Deve ter no máximo 255 caracteres."),
        ],
    )
    def test_of_another_length_is_refused(self, length: int, sentence: str) -> None:
        assert refusal("x" * length) == sentence

    def test_is_not_long_enough_by_its_spaces(self) -> None:
        assert refusal(f"Pedido{' ' * 20}errado") == "Deve ter pelo menos 15 caracteres."

    def test_is_not_too_long_by_its_spaces(self) -> None:
        text = f"  {'x' * 127}{' ' * 50}{'y' * 127}  "
        assert len(JUSTIFICATION.validate_python(text)) == LONGEST

    def test_is_a_text(self) -> None:
        assert refusal(123456789012345) == "Deve ser um texto."


class TestSignedFiling:
    def test_is_known_by_its_digest(self) -> None:
        xml = b"<evento><Signature><DigestValue>IJKcPCllY/ZW9aIZ8cyA=</DigestValue></Signature></evento>"
        assert SignedFiling.of(xml) == SignedFiling(xml, "IJKcPCllY/ZW9aIZ8cyA=")

    @pytest.mark.parametrize("xml", [b"", b"<evento/>", b"<evento><DigestValue></DigestValue></evento>"])
    def test_without_one_is_a_mistake_of_ours(self, xml: bytes) -> None:
        with pytest.raises(LookupError):
            SignedFiling.of(xml)

    def test_does_not_fill_a_log(self) -> None:
        assert "secret" not in repr(SignedFiling(b"<secret/>", "abc="))
