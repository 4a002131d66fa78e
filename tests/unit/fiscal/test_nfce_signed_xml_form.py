"""What a point of sale sends in the place of a signed NFC-e: other XML, and no XML at all."""

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from carimbo.fiscal.documents.nfce.signed_xml import CheckedXml
from carimbo.fiscal.layouts.nfe_v4.invoice import NAMESPACE
from unit.fiscal.point_of_sale import SIGNED_PART, PointOfSale, check, codes


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
    def test_what_cannot_be_read_is_told_so(self, xml: bytes) -> None:
        assert codes(xml) == {"243"}

    @pytest.mark.parametrize("wrapping", ["nfeProc", "enviNFe"])
    def test_a_document_inside_another_is_refused_with_a_hint(
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

    def test_an_nfe_without_namespace_is_reported_with_the_expected_namespace(self) -> None:
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
    def test_nothing_may_stand_between_or_beside_the_elements(
        self, point_of_sale: PointOfSale, old: str, new: str
    ) -> None:
        assert codes(point_of_sale.v2().replace(old.encode(), new.encode())) == {"588"}

    def test_prefixes_are_refused(self, point_of_sale: PointOfSale) -> None:
        xml = point_of_sale.v2().replace(b"<infNFeSupl>", b'<infNFeSupl xmlns:x="urn:x">')
        assert codes(xml) == {"404"}

    def test_the_schema_is_checked(self, point_of_sale: PointOfSale) -> None:
        xml = point_of_sale.v3(SIGNED_PART.replace("<NCM>96081000</NCM>", "<NCM>caneta</NCM>"))
        answer = check(xml)
        assert isinstance(answer, tuple)
        (problem,) = answer
        assert (problem.code, problem.path) == ("225", "signedXml")
        assert "NCM" in problem.message

    def test_of_very_many_schema_errors_the_first_are_told(self, point_of_sale: PointOfSale) -> None:
        wrong = " ".join(f'a{number}="x"' for number in range(1000)).encode()
        answer = check(point_of_sale.v3().replace(b"<infNFeSupl", b"<infNFeSupl " + wrong))
        assert isinstance(answer, tuple)
        assert len(answer) == 50


class TestHostileInput:
    @settings(max_examples=100)
    @given(st.binary(max_size=300) | st.text(alphabet="<>/NFe &;!?x'\"= \n", max_size=80).map(str.encode))
    def test_any_bytes_give_problems(self, xml: bytes) -> None:
        answer = check(xml)
        assert isinstance(answer, tuple)
        assert answer

    @settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(st.data())
    def test_a_damaged_document_gives_problems_or_comes_out_as_it_went_in(
        self, point_of_sale: PointOfSale, data: st.DataObject
    ) -> None:
        whole = data.draw(st.sampled_from([point_of_sale.v2(), point_of_sale.v3()]))
        start = data.draw(st.integers(0, len(whole)))
        end = data.draw(st.integers(start, min(start + 20, len(whole))))
        xml = whole[:start] + data.draw(st.binary(max_size=4)) + whole[end:]
        answer = check(xml)
        assert answer.xml is xml if isinstance(answer, CheckedXml) else len(answer) > 0

    @pytest.mark.parametrize("tag", ["infNFe", "ide", "emit", "total", "infNFeSupl", "Signature", "KeyInfo"])
    def test_a_missing_part_gives_problems(self, point_of_sale: PointOfSale, tag: str) -> None:
        xml = re.sub(rf"<{tag}\b.*</{tag}>".encode(), b"", point_of_sale.v3())
        answer = check(xml)
        assert isinstance(answer, tuple)
        assert answer
