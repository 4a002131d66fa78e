"""Other XML instead of a signed NFC-e, or no XML at all, is refused with a reason."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carimbo.fiscal.documents.nfce.signed_xml import CheckedXml
from carimbo.fiscal.layouts.nfe_v4.invoice import NAMESPACE
from unit.fiscal.point_of_sale import SIGNED_PART, PointOfSale, check, codes


@pytest.fixture(scope="module")
def documents(point_of_sale: PointOfSale) -> tuple[bytes, ...]:
    """A signed NFC-e of each version of the QR code."""
    return point_of_sale.v2(), point_of_sale.v3()


class TestForm:
    @pytest.mark.parametrize(
        "xml",
        [
            b"",
            b"nada",
            b"<NFe",
            b"<!DOCTYPE NFe><NFe/>",
            b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>',
            b"<a>" * 500,
            b"<a>" + b" " * 500_000 + b"</a>",
        ],
    )
    def test_unreadable_xml_is_refused_as_malformed(self, xml: bytes) -> None:
        assert codes(xml) == {"243"}

    @pytest.mark.parametrize("wrapping", ["nfeProc", "enviNFe"])
    def test_document_inside_another_is_refused_with_a_hint(
        self, point_of_sale: PointOfSale, wrapping: str
    ) -> None:
        xml = f'<{wrapping} xmlns="{NAMESPACE}">'.encode() + point_of_sale.v2() + f"</{wrapping}>".encode()
        answer = check(xml)
        assert isinstance(answer, tuple)
        (problem,) = answer
        assert problem.code == "SIGNED_XML_NOT_NFE"
        assert problem.message.startswith(
            f"O elemento raiz do XML é “{wrapping}” do namespace “{NAMESPACE}”;"
        )
        assert problem.hint

    def test_nfe_without_namespace_is_reported_with_the_expected_namespace(self) -> None:
        answer = check(b"<NFe/>")
        assert isinstance(answer, tuple)
        (problem,) = answer
        assert problem.code == "SIGNED_XML_NOT_NFE"
        assert problem.message == (
            f"O elemento raiz do XML é “NFe” sem namespace; o esperado é “NFe” do namespace “{NAMESPACE}”."
        )

    @pytest.mark.parametrize(
        ("old", "new"),
        [
            ("</infNFe>", "</infNFe>\n"),
            ("<infNFeSupl>", "<infNFeSupl><!-- caixa 2 -->"),
            ("<NFe ", "<!-- caixa 2 --><NFe "),
            ("</NFe>", "</NFe><?caixa 2?>"),
        ],
    )
    def test_text_and_comments_between_or_beside_elements_are_refused(
        self, point_of_sale: PointOfSale, old: str, new: str
    ) -> None:
        assert codes(point_of_sale.v2().replace(old.encode(), new.encode())) == {"588"}

    def test_prefixes_are_refused(self, point_of_sale: PointOfSale) -> None:
        xml = point_of_sale.v2().replace(b"<infNFeSupl>", b'<infNFeSupl xmlns:x="urn:x">')
        assert codes(xml) == {"404"}

    def test_schema_is_checked(self, point_of_sale: PointOfSale) -> None:
        xml = point_of_sale.v3(SIGNED_PART.replace("<NCM>96081000</NCM>", "<NCM>caneta</NCM>"))
        answer = check(xml)
        assert isinstance(answer, tuple)
        (problem,) = answer
        assert (problem.code, problem.path) == ("225", "signedXml")
        assert "NCM" in problem.message

    def test_only_the_first_of_many_schema_errors_are_reported(self, point_of_sale: PointOfSale) -> None:
        wrong = " ".join(f'a{number}="x"' for number in range(1000)).encode()
        answer = check(point_of_sale.v3().replace(b"<infNFeSupl", b"<infNFeSupl " + wrong))
        assert isinstance(answer, tuple)
        assert len(answer) == 50


ANY_BYTES = st.binary(max_size=300) | st.text(alphabet="<>/NFe &;!?x'\"= \n", max_size=80).map(str.encode)


def damaged(data: st.DataObject, whole: bytes) -> bytes:
    """Returns a document with a few bytes replaced."""
    start = data.draw(st.integers(0, len(whole)))
    end = data.draw(st.integers(start, min(start + 20, len(whole))))
    return whole[:start] + data.draw(st.binary(max_size=4)) + whole[end:]


def assert_gives_problems(xml: bytes) -> None:
    """Checks that a text that is no signed NFC-e has problems."""
    answer = check(xml)
    assert isinstance(answer, tuple)
    assert answer


def assert_gives_problems_or_is_kept(xml: bytes) -> None:
    """Checks that a document is refused, or returned unchanged."""
    answer = check(xml)
    assert answer.xml is xml if isinstance(answer, CheckedXml) else len(answer) > 0


class TestHostileInput:
    @settings(max_examples=30)
    @given(ANY_BYTES)
    def test_any_bytes_give_problems(self, xml: bytes) -> None:
        assert_gives_problems(xml)

    @settings(max_examples=40)
    @given(data=st.data())
    def test_damaged_document_gives_problems_or_is_returned_unchanged(
        self, documents: tuple[bytes, ...], data: st.DataObject
    ) -> None:
        assert_gives_problems_or_is_kept(damaged(data, data.draw(st.sampled_from(documents))))

    def test_missing_part_gives_problems(self, documents: tuple[bytes, ...]) -> None:
        parts = ("infNFe", "ide", "emit", "total", "infNFeSupl", "Signature", "KeyInfo")
        cut = {tag: re.sub(rf"<{tag}\b.*</{tag}>".encode(), b"", documents[-1]) for tag in parts}
        assert [tag for tag, xml in cut.items() if isinstance(check(xml), CheckedXml)] == []
